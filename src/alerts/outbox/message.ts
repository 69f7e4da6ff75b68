import { createHash } from "node:crypto";

import { z } from "zod";

import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { AlertEvent } from "../kinds/event.ts";
import { MillisField, TimeText } from "../kinds/json-fields.ts";
import { ALERT_KINDS } from "../kinds/kinds.ts";
import { NetworkStatus } from "../kinds/network-status.ts";
import { Silence } from "../routing/silence.ts";
import { Subscription } from "../routing/subscription.ts";
import { Episode } from "../rules/episode.ts";

const common = {
  /** Nothing in it is real. */
  simulated: z.literal(true).exactOptional(),
  /** What it is about was made up to try the way that alerts take. */
  drill: z.literal(true).exactOptional(),
};

/**
 * What a delivery says, as it is stored: the facts and never their rendering, so that what is sent after an upgrade is
 * worded by the new program.
 */
export const AlertMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("condition"),
    ...common,
    /** `state` is what an edited message shows. */
    phase: z.enum(["trigger", "escalation", "reminder", "resolve", "state"]),
    /** As it stood then. */
    episode: Episode,
    /** It had been firing before this destination could be told, and why so. */
    already: z.string().exactOptional(),
    /** Which reminder it is, of how many. */
    reminder: z.object({ number: z.int(), of: z.int() }).exactOptional(),
  }),
  z.object({ type: z.literal("event"), ...common, event: AlertEvent }),
  z.object({
    type: z.literal("digest"),
    ...common,
    /** More at once than a handful, or what came during quiet hours, or a silence, and waited for their end. */
    reason: z.enum(["catch-up", "quiet hours", "held"]),
    network: z.string(),
    /** In the order in which they happened. */
    events: z.array(AlertEvent),
    episodes: z.array(Episode),
  }),
  z.object({
    type: z.literal("rolling"),
    ...common,
    kind: z.enum(ALERT_KINDS),
    network: z.string(),
    /** `2024-06-03`, in UTC. */
    day: z.string(),
    /** How many there were that day; `events` are the last of them. */
    total: z.int(),
    events: z.array(AlertEvent),
  }),
  z.object({
    type: z.literal("flapping"),
    ...common,
    episode: Episode,
    episodes: z.int(),
    withinMillis: MillisField,
  }),
  /** Flapping is over. */
  z.object({
    type: z.literal("calm"),
    ...common,
    kind: z.enum(ALERT_KINDS),
    network: z.string(),
    subject: z.string(),
    /** What people call the subject. */
    label: z.string().exactOptional(),
    episodes: z.int(),
    since: TimeText,
    /** The last episode is still open. */
    open: z.boolean(),
    at: TimeText,
  }),
  /** The bot was away. */
  z.object({
    type: z.literal("away"),
    ...common,
    from: TimeText,
    to: TimeText,
    /** How many events were found late, by what they are. */
    late: z.array(z.object({ kind: z.enum(ALERT_KINDS), count: z.int() })),
    /** Networks that could not be looked at whole by then: what happened there is not known yet. Absent = none. */
    unseen: z.array(z.string()).exactOptional(),
  }),
  /** A destination was lost: for the operators. */
  z.object({
    type: z.literal("lost"),
    ...common,
    platform: z.string(),
    channel: z.string(),
    why: z.string(),
    subscriptions: z.int(),
    unsent: z.int(),
    at: TimeText,
  }),
  /** A platform refuses the bot's own token, or takes it again: for the operators, and for channels that are back. */
  z.object({
    type: z.literal("token"),
    ...common,
    platform: z.string(),
    /** In the platform's words. */
    why: z.string(),
    since: TimeText,
    at: TimeText,
    change: z.discriminatedUnion("what", [
      /** What waits there goes once a token is accepted, until that moment. */
      z.object({ what: z.literal("refused"), waiting: z.int(), until: TimeText }),
      /** All that was told there ended. */
      z.object({
        what: z.literal("revoked"),
        /** The platform says that the bot was removed; absent = it was waited for a day. */
        removed: z.literal(true).exactOptional(),
        subscriptions: z.int(),
        unsent: z.int(),
      }),
      /** What waits there goes now; so many subscriptions came back, so many messages were given up. */
      z.object({ what: z.literal("accepted"), waiting: z.int(), subscriptions: z.int(), unsent: z.int() }),
      /** The same, for a channel of which it is true. */
      z.object({ what: z.literal("back"), subscriptions: z.int(), unsent: z.int() }),
    ]),
  }),
  /** A new subscription shows that it can be heard. */
  z.object({
    type: z.literal("test"),
    ...common,
    by: z.string(),
    at: TimeText,
    subscription: Subscription.exactOptional(),
    /** How the network stood then. */
    standing: NetworkStatus.exactOptional(),
  }),
  /** Somebody changed what a channel is told: for the channel. */
  z.object({
    type: z.literal("change"),
    ...common,
    by: z.string(),
    at: TimeText,
    change: z.discriminatedUnion("what", [
      z.object({
        what: z.enum(["added", "edited", "removed", "paused", "resumed"]),
        subscription: Subscription,
        /** How the network stood then, for those who have just subscribed. */
        standing: NetworkStatus.exactOptional(),
      }),
      z.object({ what: z.enum(["silenced", "unsilenced"]), silence: Silence }),
      z.object({ what: z.literal("acknowledged"), episode: Episode }),
    ]),
    /** What people call the subjects in it, by id. */
    labels: z.record(z.string(), z.string()).exactOptional(),
  }),
]);
export type AlertMessage = z.infer<typeof AlertMessage>;
export type ChangeMessage = Extract<AlertMessage, { type: "change" }>;
export type TokenMessage = Extract<AlertMessage, { type: "token" }>;

/** Names a message by what it says: equal messages are stored once. */
function messageId(data: string): string {
  return createHash("sha256").update(data).digest().subarray(0, 16).toString("base64url");
}

/** Gathers messages that are to be stored: equal ones once. */
export class MessageCollector {
  readonly #byMessage = new Map<AlertMessage, string>();
  readonly #byId = new Map<string, string>();

  /** The id under which it will be stored. */
  add(message: AlertMessage): string {
    const known = this.#byMessage.get(message);
    if (known !== undefined) return known;
    const data = JSON.stringify(message);
    const id = messageId(data);
    this.#byMessage.set(message, id);
    this.#byId.set(id, data);
    return id;
  }

  rows(): { id: string; data: string }[] {
    return [...this.#byId].map(([id, data]) => ({ id, data }));
  }
}

/** What messages say, by their ids. What this program cannot read is left out: it keeps nothing else waiting. */
export async function readMessages(
  tables: AlertTables,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AlertMessage>> {
  const rows = await tables.outbox.messages([...new Set(ids)]);
  return new Map(
    rows.flatMap(({ id, data }) => {
      const parsed = AlertMessage.safeParse(JSON.parse(data));
      return parsed.success ? [[id, parsed.data] as const] : [];
    }),
  );
}
