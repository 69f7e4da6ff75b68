import { z } from "zod";

import type { Severity } from "../judge/kinds/kind.ts";
import { Episode } from "../judge/rules/episode.ts";
import { Silence } from "../route/silence.ts";

/** A channel whose messages were refused: how many were given up, and how many passed as plain text. */
export const RefusedPlace = z.object({ channel: z.string(), why: z.string(), dead: z.int(), plain: z.int() });

/** What the operators must know of the bot and of its alerts. */
export const Notice = z.discriminatedUnion("about", [
  /** Nobody acknowledged it by its last reminder. */
  z.object({ about: z.literal("unacknowledged"), episode: Episode, reminders: z.int() }),
  /** A destination was lost, as earlier versions stored it. */
  z.object({
    about: z.literal("lost"),
    platform: z.string(),
    channel: z.string(),
    why: z.string(),
    subscriptions: z.int(),
    unsent: z.int(),
  }),
  /** Silences that hold, once a day. */
  z.object({ about: z.literal("silences"), silences: z.array(Silence) }),
  /** A platform refused messages. */
  z.object({ about: z.literal("refused"), platform: z.string(), places: z.array(RefusedPlace) }),
  /**
   * The database's file is no longer in its place, holds something else, or was gone at the start; or a server's lacks
   * what was stored last, in so long before.
   */
  z.object({
    about: z.literal("database"),
    what: z.enum(["deleted", "replaced", "overwritten", "begun anew", "gone back"]),
    /** Or the server's name. */
    file: z.string(),
    lostMillis: z.int().exactOptional(),
  }),
]);
export type Notice = z.infer<typeof Notice>;
export type NoticeAbout<A extends Notice["about"]> = Extract<Notice, { about: A }>;
export type DatabaseFault = NoticeAbout<"database">["what"];

export const NOTICE_SEVERITIES: Readonly<Record<Notice["about"], Severity>> = {
  unacknowledged: "critical",
  lost: "warning",
  silences: "warning",
  refused: "warning",
  database: "critical",
};
