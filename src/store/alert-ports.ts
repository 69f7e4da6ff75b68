import type { Milliseconds } from "../units/duration.ts";

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
export interface TellingRow {
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
export interface ParcelRow {
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

/** Which decisions to read; newest first. What is left out does not narrow. */
export interface DecisionQuery {
  readonly episode?: string;
  readonly destination?: string;
  readonly network?: string;
  readonly limit: number;
}

export interface Choices {
  /** Grows with every change of a subscription or silence. */
  revision(): Promise<number>;
  putSubscription(row: SubscriptionRow): Promise<void>;
  /** The same for many, as one change. */
  putSubscriptions(rows: readonly SubscriptionRow[]): Promise<void>;
  subscriptions(): Promise<readonly SubscriptionRow[]>;
  dropSubscriptions(ids: readonly string[]): Promise<void>;
  putSilence(row: SilenceRow): Promise<void>;
  /** Those that are not over. */
  silences(at: Milliseconds): Promise<readonly SilenceRow[]>;
}

export interface WatchState {
  snapshot(network: string, watcher: string): Promise<{ readonly at: Milliseconds; readonly data: string } | undefined>;
  /** When that snapshot was put. */
  lookedAt(network: string, watcher: string): Promise<Milliseconds | undefined>;
  putSnapshot(network: string, watcher: string, at: Milliseconds, data: string): Promise<void>;
  /** Of all networks unless one is named. */
  machines(network?: string): Promise<readonly MachineRow[]>;
  machine(of: Pick<MachineRow, "rule" | "network" | "subject">): Promise<MachineRow | undefined>;
  /** Those of all networks that flap. */
  flapping(): Promise<readonly MachineRow[]>;
  putMachines(rows: readonly MachineRow[]): Promise<void>;
  dropMachines(rows: readonly Pick<MachineRow, "rule" | "network" | "subject">[]): Promise<void>;
  episode(id: string): Promise<KeptEpisodeRow | undefined>;
  /** Of those that are kept: `told`. */
  told(ids: readonly string[]): Promise<readonly Pick<KeptEpisodeRow, "id" | "told">[]>;
  /** Of all networks unless one is named; oldest first. */
  openEpisodes(network?: string): Promise<readonly KeptEpisodeRow[]>;
  /** The last ones, newest first. */
  lastEpisodes(limit: number, network?: string): Promise<readonly KeptEpisodeRow[]>;
  putEpisodes(rows: readonly EpisodeRow[]): Promise<void>;
  tellings(episodes: readonly string[]): Promise<readonly TellingRow[]>;
  putTellings(rows: readonly TellingRow[]): Promise<void>;
}

export interface Outbox {
  addMessages(rows: readonly MessageRow[], at: Milliseconds): Promise<void>;
  messages(ids: readonly string[]): Promise<readonly MessageRow[]>;
  /** In the order given, behind everything that is owed already. */
  add(rows: readonly NewDeliveryRow[]): Promise<void>;
  /** Those that may be sent now: of each destination what comes first, none where something is under way. */
  due(platform: string, at: Milliseconds, limit: number): Promise<readonly DeliveryRow[]>;
  /** News of conditions that may be sent now: behind no other message to its destination, but ahead of edits. */
  urgent(platform: string, at: Milliseconds, limit: number): Promise<readonly DeliveryRow[]>;
  /** When the next one that is not due yet becomes so. */
  nextRunAt(platforms: readonly string[], after: Milliseconds): Promise<Milliseconds | undefined>;
  get(ids: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** What an episode owes or owed a destination, in order. */
  ofEpisode(episode: string, destination?: string): Promise<readonly DeliveryRow[]>;
  /** Whether a trigger of any of these episodes has still to go. */
  oweTriggers(episodes: readonly string[]): Promise<boolean>;
  /** What is still owed to a destination or being sent there, in order. */
  openOf(destination: string): Promise<readonly DeliveryRow[]>;
  /** Those that something became of last, newest first; of one destination where it is named. */
  settled(limit: number, destination?: string): Promise<readonly DeliveryRow[]>;
  /** The owed edits of a message. */
  owedEdits(targets: readonly string[]): Promise<readonly DeliveryRow[]>;
  change(id: string, change: DeliveryChange): Promise<void>;
  /** They say something else now. */
  reword(ids: readonly string[], message: string): Promise<void>;
  /** The next try of each of them begins. */
  begin(ids: readonly string[], at: Milliseconds): Promise<void>;
  /** They have arrived. */
  sent(ids: readonly string[], at: Milliseconds): Promise<void>;
  /** Nothing goes to a destination before that. */
  hold(destination: string, until: Milliseconds): Promise<void>;
  /** What is owed and to go after that moment, goes so much sooner. */
  bringForward(by: Milliseconds, after: Milliseconds): Promise<void>;
  /** What a process left behind in the middle of sending: of all of it the outcome is unknown. */
  recover(): Promise<readonly DeliveryRow[]>;
  /** Owed since before that moment, on other platforms than those. */
  overdue(before: Milliseconds, limit: number, except?: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** All that is owed on a platform and not being sent, in order. */
  owedOn(platform: string): Promise<readonly DeliveryRow[]>;
  /** They are given up. */
  giveUp(ids: readonly string[], at: Milliseconds, why: string): Promise<void>;
  /** How many messages, without edits, were given up on a platform at that moment or later, by destination. */
  givenUp(
    platform: string,
    since: Milliseconds,
  ): Promise<readonly { readonly destination: string; readonly count: number }[]>;
  putReceipts(rows: readonly ReceiptRow[]): Promise<void>;
  receipts(deliveries: readonly string[]): Promise<readonly ReceiptRow[]>;
  /** How many are owed, by platform, and since when the oldest; what is in parcels among them. */
  depth(): Promise<readonly { readonly platform: string; readonly owed: number; readonly oldest: Milliseconds }[]>;
}

export interface Parcels {
  put(rows: readonly ParcelRow[]): Promise<void>;
  /** Takes out the oldest ones, in the order in which they were put. */
  take(limit: number): Promise<readonly ParcelRow[]>;
  /** When the oldest one was put; undefined where there is none. */
  since(): Promise<Milliseconds | undefined>;
}

/** The messages that have arrived at a destination, without edits, in the order in which they arrived. */
export interface Arrivals {
  /** Those behind a place, which is the `seq` of a delivery; oldest first. */
  after(destination: string, seq: number, limit: number): Promise<readonly DeliveryRow[]>;
  /** The last ones; oldest first. */
  last(destination: string, limit: number): Promise<readonly DeliveryRow[]>;
  /** The last edits of messages that grow over a day, settled at that moment (Unix milliseconds) or later; oldest first. */
  grown(destination: string, since: Milliseconds, limit: number): Promise<readonly DeliveryRow[]>;
}

export interface Backlog {
  hold(rows: readonly HeldRow[]): Promise<void>;
  /** Takes out what is due, in the order in which it was held. */
  release(at: Milliseconds): Promise<readonly HeldRow[]>;
  rolling(keys: readonly string[]): Promise<readonly RollingRow[]>;
  putRolling(rows: readonly RollingRow[]): Promise<void>;
}

export interface DecisionLog {
  add(rows: readonly DecisionRow[]): Promise<void>;
  read(query: DecisionQuery): Promise<readonly DecisionRow[]>;
}

/** How the alerts stand, as numbers. */
export interface AlertFigures {
  /** Messages given up within the last day. */
  readonly dead: readonly { readonly platform: string; readonly count: number }[];
  readonly subscriptions: readonly { readonly state: string; readonly count: number }[];
  /** Messages that wait for quiet hours to end. */
  readonly held: number;
}

/** Everything that is kept of alerts. */
export interface AlertTables {
  readonly choices: Choices;
  readonly watch: WatchState;
  readonly outbox: Outbox;
  readonly parcels: Parcels;
  readonly arrivals: Arrivals;
  readonly backlog: Backlog;
  readonly log: DecisionLog;
  figures(at: Milliseconds): Promise<AlertFigures>;
  /** Deletes what is settled and older than that, whatever it is; what is open or owed stays. */
  prune(before: Milliseconds): Promise<void>;
}
