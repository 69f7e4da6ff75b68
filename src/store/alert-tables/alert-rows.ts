import type { Milliseconds } from "../../units/time.ts";

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

/** `held`: kept back until `run_at`; `merged`: part of another delivery; `dropped`: no longer needed. */
export type DeliveryState = "held" | "owed" | "sending" | "sent" | "dead" | "merged" | "dropped";

/**
 * `2` is critical, or its end: it overtakes all that is owed to its destination. `1` is other news of conditions, `0`
 * all else: of several destinations, the one with the more urgent delivery comes first.
 */
export type Urgency = 0 | 1 | 2;

/** One message to one destination: what it should say by now, and what was sent of it. */
export interface DeliveryRow {
  /** The order within its destination. */
  readonly seq: number;
  readonly id: string;
  readonly destination: string;
  readonly platform: string;
  readonly phase: string;
  readonly urgency: Urgency;
  readonly state: DeliveryState;
  /** Grows with each change of what it says. */
  readonly revision: number;
  /** The revision that arrived last; null before the first. */
  readonly shown: number | null;
  /** What is planned with an equal key for its destination joins it. Null = nothing does. */
  readonly join_key: string | null;
  /** Until when it may be joined once it is sent. Null = without end. */
  readonly open_until: Milliseconds | null;
  /** The id of its message. */
  readonly message: string;
  readonly episode: string | null;
  readonly run_at: Milliseconds;
  readonly created_at: Milliseconds;
  /** Since when what it says by now is owed. */
  readonly owed_at: Milliseconds;
  /** Of the last revision that was sent, or is owed. */
  readonly attempts: number;
  readonly attempted_at: Milliseconds | null;
  /** The process that tries, or tried last. */
  readonly claimed_by: string | null;
  /** The time of the first attempt whose result is unknown; 0 = at some time, perhaps as another delivery. */
  readonly uncertain_since: Milliseconds | null;
  /** How many processes have died while they were sending it, since it last arrived. */
  readonly interruptions: number;
  readonly last_error: string | null;
  /** When it first arrived, or was given up. */
  readonly settled_at: Milliseconds | null;
  readonly data: string;
}

/** A delivery to add, owed or held, at revision 0, without a key and not shown unless it says so. */
export type NewDeliveryRow = Pick<
  DeliveryRow,
  "id" | "destination" | "platform" | "phase" | "urgency" | "message" | "episode" | "run_at" | "created_at" | "data"
> &
  Partial<Pick<DeliveryRow, "state" | "revision" | "shown" | "join_key" | "open_until">>;

/** What joined the message of a delivery. */
export interface ItemRow {
  /** Of the delivery that it would have been. */
  readonly id: string;
  readonly delivery: string;
  /** The delivery's revision by which it joined. */
  readonly revision: number;
  readonly phase: string;
  readonly episode: string | null;
  /** The id of its message. */
  readonly message: string;
}

/** The columns that may change by themselves. */
export type DeliveryChange = Partial<
  Omit<DeliveryRow, "seq" | "id" | "destination" | "platform" | "created_at" | "claimed_by" | "interruptions">
>;

export interface ReceiptRow {
  readonly delivery: string;
  readonly platform: string;
  readonly channel: string;
  readonly message: string;
  readonly at: Milliseconds;
}

export interface NewDecisionRow extends DecisionRow {
  /** It is about the state of an episode, names nobody, and is kept for as long as that. */
  readonly lasting?: 0 | 1;
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
