import { z } from "zod";

import type { Decision } from "../../judge/judge.ts";
import { fromMillis, type Milliseconds } from "../../../units/time.ts";
import type { Subscription } from "../../route/subscription.ts";
import type { AlertMessage } from "../../message/message.ts";
import type { Notice } from "../../message/notice.ts";
import { timeToText } from "../../judge/kinds/json-fields.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import type { NotificationState } from "./notification-state.ts";
import { type Destination, StoredDestination } from "../../destination.ts";

export const DELIVERY_PHASES = [
  "trigger",
  "escalation",
  "reminder",
  "resolve",
  "state",
  "event",
  "digest",
  "rolling",
  "flapping",
  "calm",
  "bot",
  "export",
] as const;
export type DeliveryPhase = (typeof DELIVERY_PHASES)[number];

/** What is planned of a delivery, beside its message. */
export const DeliveryFields = z.object({
  id: z.string(),
  destination: StoredDestination,
  phase: z.enum(DELIVERY_PHASES),
  episode: z.string().exactOptional(),
  /** The delivery whose message says this from now on. Absent for a new message. */
  edits: z.string().exactOptional(),
  /** Of an edit: the message stays as it is, and loses the buttons that act. */
  spent: z.literal(true).exactOptional(),
  /** Of an edit: the message says what it says, and is given a picture in that zone. */
  picture: z.string().exactOptional(),
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  /** The delivery in whose thread it is posted. */
  threadOf: z.string().exactOptional(),
  /** Of a short post: the delivery of its card. */
  cardOf: z.string().exactOptional(),
  /** It is kept back until then, in Unix milliseconds. */
  heldUntil: z.number().exactOptional(),
});

/** A delivery to be written to the outbox. */
export interface PlannedDelivery extends Readonly<z.infer<typeof DeliveryFields>> {
  readonly message: AlertMessage;
  /** Default: by the table in join-rules.ts. */
  readonly joins?: JoinRule;
}

/** A message can be joined for no longer than this after it was planned, however long it keeps growing. */
export const LONGEST_GROUPING: Milliseconds = 60_000;
/** Troubles of nodes with one cause, such as a restart of one after the other, follow each other this slowly. */
export const SLOW_TO_FOLLOW: Milliseconds = 300_000;
/** How long a message is open for them, however long it keeps growing. */
export const LONGEST_SLOW: Milliseconds = 3 * SLOW_TO_FOLLOW;

/**
 * Which message a delivery joins: that of its cause, else the last one with an equal key to its destination while that is
 * open. Where there is none, it begins one that others may join by its key.
 */
export interface JoinRule {
  /** The key of the message of its cause, which it joins while that lasts, or until so long after its end. */
  readonly cause?: { readonly key: string; readonly after: Milliseconds };
  readonly key?: string;
  /**
   * How long a message is open once it is sent: for `within` of the last that joined, `LONGEST_GROUPING` at most (of
   * `SLOW_TO_FOLLOW`, `LONGEST_SLOW`); until a moment, in Unix milliseconds. With neither, the message is a cause: it joins
   * none, and only its effects join it.
   */
  readonly within?: Milliseconds;
  readonly until?: Milliseconds;
}

/** The rule of a planned delivery that was given none; undefined = it is a message of its own. */
export type RuleOf = (planned: PlannedDelivery) => JoinRule | undefined;

/** A batch for the outbox: deliveries, notification states and log entries, written in one transaction; in order. */
export interface OutboxBatch {
  readonly deliveries: readonly PlannedDelivery[];
  readonly states: readonly {
    readonly episode: string;
    readonly destination: string;
    readonly state: NotificationState;
  }[];
  readonly endings: readonly Ending[];
  readonly decisions: readonly Decision[];
}

/** A subscription that ends, and why; of a subject, it goes on with its others, as long as it has any. */
export interface Ending {
  readonly subscription: Subscription;
  readonly why: string;
  readonly subject?: string;
}

/** A part of a batch; what is absent is none. */
export type Plan = Partial<OutboxBatch>;

/** One for all: thousands of plans have no decisions. */
const NOTHING: readonly never[] = [];

/** Subscriptions that end with a plan, and why. */
export function endedBecause(why: string, subscriptions: readonly Subscription[], subject?: string): Ending[] {
  return subscriptions.map((subscription) => ({ subscription, why, ...withoutUndefined({ subject }) }));
}

/** Subscriptions as they are after their endings. */
export function afterEndings(endings: readonly Ending[]): Subscription[] {
  return [...Map.groupBy(endings, ({ subscription }) => subscription.id).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { subscription, why } = first;
    const gone = all.map(({ subject }) => subject);
    const subjects = gone.includes(undefined) ? [] : subscription.subjects.filter((one) => !gone.includes(one));
    return [subjects.length === 0 ? { ...subscription, why, state: "ended" } : { ...subscription, subjects }];
  });
}

/** One batch of several plans, in their order. */
export function joinPlans(plans: readonly Plan[]): OutboxBatch {
  return {
    deliveries: plans.flatMap(({ deliveries = NOTHING }) => deliveries),
    states: plans.flatMap(({ states = NOTHING }) => states),
    endings: plans.flatMap(({ endings = NOTHING }) => endings),
    decisions: plans.flatMap(({ decisions = NOTHING }) => decisions),
  };
}

/** Where notices go: the console and the operators' channel, as far as there are any. */
export function noticeRecipients(places: {
  readonly console?: Destination;
  readonly operators?: Destination;
}): Destination[] {
  return [places.console, places.operators].filter((one) => one !== undefined);
}

/** A notice as deliveries to the operators. `at` is in Unix milliseconds. */
export function planNotice(
  to: readonly Destination[],
  notice: Notice,
  at: Milliseconds,
  newId: () => string,
  marks: Pick<AlertMessage, "simulated"> = {},
): PlannedDelivery[] {
  const message: AlertMessage = { type: "notice", ...marks, at: timeToText(fromMillis(at)), notice };
  return to.map((destination) => ({ id: newId(), destination, phase: "bot", message }));
}
