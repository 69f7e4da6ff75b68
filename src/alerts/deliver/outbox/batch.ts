import type { Decision } from "../../judge/judge.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { Subscription } from "../../route/subscription.ts";
import type { AlertMessage } from "../../message/message.ts";
import type { Notice } from "../../message/notice.ts";
import { timeToText } from "../../judge/kinds/json-fields.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import type { NotificationState } from "./notification-state.ts";
import type { Destination } from "../../destination.ts";

export const DELIVERY_PHASES = [
  "trigger",
  "escalation",
  "reminder",
  "resolve",
  "state",
  "event",
  "digest",
  "rolling",
  "group",
  "flapping",
  "calm",
  "bot",
] as const;
export type DeliveryPhase = (typeof DELIVERY_PHASES)[number];

/** A delivery to be written to the outbox. */
export interface PlannedDelivery {
  readonly id: string;
  readonly destination: Destination;
  readonly phase: DeliveryPhase;
  readonly message: AlertMessage;
  readonly episode?: string;
  /** Of an edit: the delivery whose message it changes. Absent for a new message. */
  readonly edits?: string;
  readonly mention?: string;
  readonly quiet?: true;
  /** The delivery in whose thread it is posted. */
  readonly threadOf?: string;
  /** One message says the deliveries with an equal key that follow each other within so long (absent = without end). */
  readonly group?: { readonly key: string; readonly within?: Milliseconds };
}

/** A message for the digest at the end of quiet hours. */
interface HeldMessage {
  readonly destination: Destination;
  readonly message: AlertMessage;
  /** Unix milliseconds. */
  readonly until: Milliseconds;
}

/** Adds an event to a destination's rolling message of the day. */
interface RollingUpdate {
  readonly destination: Destination;
  readonly message: Extract<AlertMessage, { type: "event" }>;
}

/** A batch for the outbox: deliveries, notification states and log entries, written in one transaction; in order. */
export interface OutboxBatch {
  readonly deliveries: readonly PlannedDelivery[];
  readonly states: readonly {
    readonly episode: string;
    readonly destination: string;
    readonly state: NotificationState;
  }[];
  readonly held: readonly HeldMessage[];
  readonly rollingUpdates: readonly RollingUpdate[];
  /** Personal subscriptions to end. */
  readonly endedSubscriptions: readonly Subscription[];
  readonly decisions: readonly Decision[];
}

/** A part of a batch; what is absent is none. */
export type Plan = Partial<OutboxBatch>;

/** One batch of several plans, in their order. */
export function joinPlans(plans: readonly Plan[]): OutboxBatch {
  const all = <K extends keyof OutboxBatch>(of: K): readonly OutboxBatch[K][number][] => {
    const parts = plans.flatMap((plan): (readonly OutboxBatch[K][number][])[] => (plan[of]?.length ? [plan[of]] : []));
    const [first = []] = parts;
    return parts.length < 2 ? first : parts.flat();
  };
  return {
    deliveries: all("deliveries"),
    states: all("states"),
    held: all("held"),
    rollingUpdates: all("rollingUpdates"),
    endedSubscriptions: all("endedSubscriptions"),
    decisions: all("decisions"),
  };
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
