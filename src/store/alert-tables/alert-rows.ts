import type { Milliseconds } from "../../units/duration.ts";

// `data` is JSON that src/alerts writes and checks; the other columns are searched. All times are Unix milliseconds.

export interface SubscriptionRow {
  readonly id: string;
  /** The destination's key. */
  readonly destination: string;
  readonly network: string;
  readonly state: string;
  readonly data: string;
}

export interface SilenceRow {
  readonly id: string;
  /** When it ends for good. */
  readonly ends_at: Milliseconds;
  readonly data: string;
}

export interface MachineRow {
  readonly rule: string;
  readonly network: string;
  readonly subject: string;
  /** It has fired and resolved too often of late. */
  readonly flapping: 0 | 1;
  readonly data: string;
}

export interface EpisodeRow {
  readonly id: string;
  readonly network: string;
  readonly open: 0 | 1;
  readonly opened_at: Milliseconds;
  readonly data: string;
}

/** The notification state of one episode at one destination. */
export interface NotificationStateRow {
  readonly episode: string;
  readonly destination: string;
  readonly data: string;
}

export interface MessageRow {
  /** Equal contents have equal ids. */
  readonly id: string;
  readonly data: string;
}

/** A stored part of a large batch, in one row until it is fanned out into deliveries. */
export interface ChunkRow {
  readonly platform: string;
  /** Its number of deliveries. */
  readonly owed: number;
  readonly created_at: Milliseconds;
  readonly data: string;
}

/** `merged`: part of another delivery; `dropped`: an edit that was no longer needed. */
export type DeliveryState = "owed" | "sending" | "sent" | "dead" | "merged" | "dropped";

/**
 * `2` is critical, or its end: it overtakes all that is owed to its destination. `1` is other news of conditions, `0`
 * all else: of several destinations, the one with the more urgent delivery comes first.
 */
export type Urgency = 0 | 1 | 2;

export interface NewDeliveryRow {
  readonly id: string;
  readonly destination: string;
  readonly platform: string;
  readonly kind: "message" | "edit";
  readonly phase: string;
  readonly urgency: Urgency;
  /** One message may hold the deliveries with an equal key to its destination. Absent = none. */
  readonly group_key?: string | null;
  /** The id of its message. */
  readonly message: string;
  readonly episode: string | null;
  /** Of an edit: the delivery of the message that it changes. */
  readonly target: string | null;
  readonly run_at: Milliseconds;
  readonly created_at: Milliseconds;
  readonly data: string;
}

export interface DeliveryRow extends NewDeliveryRow {
  /** The order within its destination. */
  readonly seq: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly attempted_at: Milliseconds | null;
  /** The process that tries, or tried last. */
  readonly claimed_by: string | null;
  /** The time of the first attempt whose result is unknown. */
  readonly uncertain_since: Milliseconds | null;
  readonly last_error: string | null;
  readonly settled_at: Milliseconds | null;
  readonly group_key: string | null;
  /** Of a merged one: the delivery of its group that says it; its receipt is then the same. */
  readonly said_by: string | null;
}

/** The columns that the log shows. */
export type LoggedDelivery = Omit<
  DeliveryRow,
  "platform" | "urgency" | "group_key" | "said_by" | "target" | "run_at" | "data" | "claimed_by"
>;

export type DeliveryChange = Partial<
  Pick<
    DeliveryRow,
    | "state"
    | "run_at"
    | "attempts"
    | "attempted_at"
    | "uncertain_since"
    | "last_error"
    | "settled_at"
    | "phase"
    | "message"
    | "data"
    | "group_key"
    | "said_by"
  >
>;

export interface ReceiptRow {
  readonly delivery: string;
  readonly platform: string;
  readonly channel: string;
  readonly message: string;
  readonly at: Milliseconds;
}

/** A message held until quiet hours end. */
export interface HeldRow {
  readonly destination: string;
  readonly release_at: Milliseconds;
  readonly message: string;
  readonly data: string;
}

/** A rolling message: one that is edited over a day. */
export interface RollingRow {
  readonly key: string;
  readonly delivery: string;
  readonly day_ends_at: Milliseconds;
  /** The id of its message. */
  readonly message: string;
}

export interface DecisionRow {
  readonly at: Milliseconds;
  readonly what: string;
  readonly network: string | null;
  readonly episode: string | null;
  readonly destination: string | null;
  readonly delivery: string | null;
  readonly detail: string | null;
}
