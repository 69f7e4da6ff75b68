import { z } from "zod";

import { TimeText } from "../judge/kinds/json-fields.ts";
import type { Severity } from "../judge/kinds/severity.ts";
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
  /** The database's file is no longer in its place, holds something else, or was gone at the start. */
  z.object({
    about: z.literal("database"),
    what: z.enum(["deleted", "replaced", "overwritten", "begun anew"]),
    file: z.string(),
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

/** Earlier versions stored the subject of a notice as the message's type, and its facts beside it. */
const EarlierNotice = z
  .looseObject({
    type: z.enum(["unacknowledged", "lost", "silences", "refused", "database"]),
    simulated: z.literal(true).exactOptional(),
    drill: z.literal(true).exactOptional(),
    at: TimeText,
  })
  .transform(({ type: about, at, simulated, drill, ...facts }) => ({
    type: "notice",
    ...(simulated === undefined ? {} : { simulated }),
    ...(drill === undefined ? {} : { drill }),
    at,
    notice: { about, ...facts },
  }));

/** A stored message in the form of this version. */
export function upgradeMessage(stored: unknown): unknown {
  return EarlierNotice.safeParse(stored).data ?? stored;
}
