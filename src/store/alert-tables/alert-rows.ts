import type { Milliseconds } from "../../units/duration.ts";

// What is kept of alerts. `data` is JSON that the alerts room writes and checks; the columns beside it are what is
// searched by. All times are Unix milliseconds. Everything here is reached inside a transaction only, so that what was
// seen and what is thereby owed are kept together or not at all.

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
  /** When it is over for good. */
  readonly ends_at: Milliseconds;
  readonly data: string;
}

export interface MachineRow {
  readonly rule: string;
  readonly network: string;
  readonly subject: string;
  /** It fires and resolves too often of late. */
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

/** An episode as it is kept. */
export interface KeptEpisodeRow extends EpisodeRow {
  /** Grows whenever a telling of it is written. */
  readonly told: number;
}

/** What one destination was told, or not told, of one episode. */
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

/** A part of what is owed to many, in one row until it is spread over those whom it is owed to. */
export interface ChunkRow {
  readonly platform: string;
  /** How many deliveries are in it. */
  readonly owed: number;
  readonly created_at: Milliseconds;
  readonly data: string;
}

/** `merged`: said by another delivery; `dropped`: an edit that was no longer needed. */
export type DeliveryState = "owed" | "sending" | "sent" | "dead" | "merged" | "dropped";

export interface NewDeliveryRow {
  readonly id: string;
  readonly destination: string;
  readonly platform: string;
  readonly kind: "message" | "edit";
  readonly phase: string;
  /** The id of what it says. */
  readonly message: string;
  readonly episode: string | null;
  /** Of an edit: the delivery whose message it changes. */
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
  /** When the first try was made of which nobody knows whether it arrived. */
  readonly uncertain_since: Milliseconds | null;
  readonly last_error: string | null;
  readonly settled_at: Milliseconds | null;
}

/** What the log tells of a delivery. */
export type LoggedDelivery = Omit<DeliveryRow, "platform" | "target" | "run_at" | "data">;

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
  >
>;

export interface ReceiptRow {
  readonly delivery: string;
  readonly platform: string;
  readonly channel: string;
  readonly message: string;
  readonly at: Milliseconds;
}

/** What waits for the end of quiet hours. */
export interface HeldRow {
  readonly destination: string;
  readonly release_at: Milliseconds;
  readonly message: string;
  readonly data: string;
}

/** The message of one day that grows. */
export interface RollingRow {
  readonly key: string;
  readonly delivery: string;
  readonly day_ends_at: Milliseconds;
  /** The id of what it says. */
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

/** A decision as it is kept. */
export interface KeptDecisionRow extends DecisionRow {
  /** The order in which they were made. */
  readonly seq: number;
}
