// The message of a delivery, as it is stored. Read message-group.ts (what one message says for several deliveries) and
// delivery-subject.ts (what a message is about, for programs) next.
import { z } from "zod";

import { Guidance } from "../alerts-config.ts";
import { AlertEvent } from "../judge/kinds/event.ts";
import { MillisField, TimeText } from "../judge/kinds/kind.ts";
import { ALERT_KINDS } from "../judge/kinds/kinds.ts";
import { NetworkStatus } from "../judge/kinds/network-status.ts";
import { Silence } from "../route/silence.ts";
import { Subscription } from "../route/subscription.ts";
import { Episode } from "../judge/rules/episode.ts";
import { Notice } from "./notice.ts";

const common = {
  /** Nothing in it is real. */
  simulated: z.literal(true).exactOptional(),
  /** It belongs to a drill. */
  drill: z.literal(true).exactOptional(),
};

/** A channel is subscribed for the first time: it is told what to expect. */
const FirstWord = z.literal(true).exactOptional();

/** What came of a change that could be undone: its message loses the button. */
const Over = z.object({
  what: z.enum(["ended", "lengthened", "resumed", "removed"]),
  /** Absent where it ended by itself. */
  by: z.string().exactOptional(),
  at: TimeText,
});
export type Over = z.infer<typeof Over>;

/**
 * The message of a delivery, as stored: the facts and never their rendering, so that after an upgrade the new program
 * words it.
 */
export const AlertMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("condition"),
    ...common,
    /** `state` is what an edited message shows. */
    phase: z.enum(["trigger", "escalation", "reminder", "resolve", "state"]),
    /** As it stood then. */
    episode: Episode,
    /** Of the subscription by which it is told. */
    guidance: Guidance.exactOptional(),
    /** Why this destination could not be notified when it fired. */
    already: z.string().exactOptional(),
    /** One line that rings beside the card, and is never edited. */
    short: z.literal(true).exactOptional(),
    /** Which reminder it is, of how many. */
    reminder: z.object({ number: z.int(), of: z.int() }).exactOptional(),
  }),
  z.object({ type: z.literal("event"), ...common, event: AlertEvent, guidance: Guidance.exactOptional() }),
  z.object({
    type: z.literal("digest"),
    ...common,
    /** Many events at once, or what was held during quiet hours or a silence. */
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
    /** When the last episode ended. */
    until: TimeText.exactOptional(),
    /** One of the episodes was critical. */
    critical: z.literal(true).exactOptional(),
    /** The last episode is still open. */
    open: z.boolean(),
    at: TimeText,
  }),
  /** The bot was down. */
  z.object({
    type: z.literal("away"),
    ...common,
    from: TimeText,
    to: TimeText,
    /** How many events were found late, by what they are. */
    late: z.array(z.object({ kind: z.enum(ALERT_KINDS), count: z.int() })),
    /** Networks that could not be observed completely by then: what happened there is not known yet. Absent = none. */
    unseen: z.array(z.string()).exactOptional(),
  }),
  /** For the operators. */
  z.object({ type: z.literal("notice"), ...common, at: TimeText, notice: Notice }),
  /**
   * A platform refuses the bot's token, with `workspace` that of one workspace, or with `channel`, a channel cannot be
   * reached; or that is over. For the operators, whoever subscribed, and channels that are back.
   */
  z.object({
    type: z.literal("token"),
    ...common,
    platform: z.string(),
    workspace: z.string().exactOptional(),
    channel: z.string().exactOptional(),
    /** Of a channel: the operator must mend it, such as a missing scope; it may hold for others, too. */
    operator: z.literal(true).exactOptional(),
    /** In the platform's words. */
    why: z.string(),
    since: TimeText,
    at: TimeText,
    change: z.discriminatedUnion("what", [
      /** What waits there is sent if a token is accepted, or the channel reached, by `until`. */
      z.object({ what: z.literal("refused"), waiting: z.int(), until: TimeText }),
      /** Its subscriptions ended. */
      z.object({
        what: z.literal("revoked"),
        /** The platform says that the bot was removed; absent = the token was refused for a day. */
        removed: z.literal(true).exactOptional(),
        subscriptions: z.int(),
        unsent: z.int(),
      }),
      /** What waits there is sent now; `unsent` messages were dead-lettered. */
      z.object({ what: z.literal("accepted"), waiting: z.int(), subscriptions: z.int(), unsent: z.int() }),
      /** For a channel: alerts arrive there again. */
      z.object({ what: z.literal("back"), subscriptions: z.int(), unsent: z.int() }),
    ]),
  }),
  /** A ledger export of this person has ended: the reply is made from its job. */
  z.object({ type: z.literal("export"), ...common, job: z.string(), at: TimeText }),
  /** Shows that a newly subscribed destination can be reached. */
  z.object({
    type: z.literal("test"),
    ...common,
    by: z.string(),
    at: TimeText,
    subscription: Subscription.exactOptional(),
    /** How the network stood then. */
    standing: NetworkStatus.exactOptional(),
    first: FirstWord,
  }),
  /** Somebody changed a subscription or a silence: for the channel. */
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
        first: FirstWord,
        over: Over.exactOptional(),
      }),
      z.object({ what: z.enum(["silenced", "unsilenced"]), silence: Silence, over: Over.exactOptional() }),
      z.object({
        what: z.literal("acknowledged"),
        episode: Episode,
        /** How many others of the same message with it; absent = none. */
        others: z.int().exactOptional(),
      }),
    ]),
    /** What people call the subjects in it, by id. */
    labels: z.record(z.string(), z.string()).exactOptional(),
  }),
]);
export type AlertMessage = z.infer<typeof AlertMessage>;
/** The message of a type, or of one of several. */
export type MessageOf<T extends AlertMessage["type"]> = Extract<AlertMessage, { type: T }>;
export type ChangeMessage = MessageOf<"change">;
export type TestMessage = MessageOf<"test">;
export type TokenMessage = MessageOf<"token">;
