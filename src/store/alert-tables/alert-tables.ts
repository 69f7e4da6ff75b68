import type { Milliseconds } from "../../units/duration.ts";
import type {
  ChunkRow,
  DecisionRow,
  DeliveryChange,
  DeliveryRow,
  EpisodeRow,
  HeldRow,
  KeptDecisionRow,
  KeptEpisodeRow,
  LoggedDelivery,
  MachineRow,
  MessageRow,
  NewDeliveryRow,
  NotificationStateRow,
  ReceiptRow,
  RollingRow,
  SilenceRow,
  SubscriptionRow,
} from "./alert-rows.ts";

export type * from "./alert-rows.ts";

// What is kept of alerts, as it is asked for. All of it is reached inside a transaction only, so that what was seen and
// what is thereby owed are kept together or not at all.

/** Which decisions to read; newest first. What is left out does not narrow. */
export interface DecisionQuery {
  readonly episode?: string;
  readonly destination?: string;
  readonly network?: string;
  readonly limit: number;
}

export interface Subscriptions {
  /** Grows with every change of a subscription or silence. */
  revision(): Promise<number>;
  /** As one change. */
  put(rows: readonly SubscriptionRow[]): Promise<void>;
  /** Of all destinations unless one is named. */
  list(destination?: string): Promise<readonly SubscriptionRow[]>;
  drop(ids: readonly string[]): Promise<void>;
  putSilence(row: SilenceRow): Promise<void>;
  /** Those that are not over. */
  silences(at: Milliseconds): Promise<readonly SilenceRow[]>;
}

export interface WatchState {
  snapshot(network: string, watcher: string): Promise<{ readonly at: Milliseconds; readonly data: string } | undefined>;
  /** When that snapshot was put. */
  observedAt(network: string, watcher: string): Promise<Milliseconds | undefined>;
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
  notificationRevisions(ids: readonly string[]): Promise<readonly Pick<KeptEpisodeRow, "id" | "told">[]>;
  /** Of all networks unless one is named; oldest first. */
  openEpisodes(network?: string): Promise<readonly KeptEpisodeRow[]>;
  /** The last ones, newest first. */
  lastEpisodes(limit: number, network?: string): Promise<readonly KeptEpisodeRow[]>;
  putEpisodes(rows: readonly EpisodeRow[]): Promise<void>;
  notificationStates(episodes: readonly string[]): Promise<readonly NotificationStateRow[]>;
  notificationState(episode: string, destination: string): Promise<NotificationStateRow | undefined>;
  putNotificationStates(rows: readonly NotificationStateRow[]): Promise<void>;
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
  hasOwedTriggers(episodes: readonly string[]): Promise<boolean>;
  /** What is still owed to a destination or being sent there, in order. */
  openOf(destination: string): Promise<readonly DeliveryRow[]>;
  /** Those that something became of last, newest first; of one destination where it is named. */
  settled(limit: number, destination?: string): Promise<readonly DeliveryRow[]>;
  /** The owed edits of a message. */
  owedEdits(targets: readonly string[]): Promise<readonly DeliveryRow[]>;
  update(id: string, change: DeliveryChange): Promise<void>;
  /** They say something else now. */
  setMessage(ids: readonly string[], message: string): Promise<void>;
  /** The next try of each of them begins. */
  beginAttempts(ids: readonly string[], at: Milliseconds): Promise<void>;
  /** They have arrived. */
  markSent(ids: readonly string[], at: Milliseconds): Promise<void>;
  /** Nothing goes to a destination before that. */
  postpone(destination: string, until: Milliseconds): Promise<void>;
  /** What is owed and to go after that moment, goes so much sooner. */
  bringForward(by: Milliseconds, after: Milliseconds): Promise<void>;
  /** What a process left behind in the middle of sending: of all of it the outcome is unknown. */
  recover(): Promise<readonly DeliveryRow[]>;
  /** Owed since before that moment, on other platforms than those. */
  overdue(before: Milliseconds, limit: number, except?: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** All that is owed on a platform and not being sent, in order. */
  owedOn(platform: string): Promise<readonly DeliveryRow[]>;
  /** They are given up. */
  deadLetter(ids: readonly string[], at: Milliseconds, why: string): Promise<void>;
  /** How many messages, without edits, were given up on a platform at that moment or later, by destination. */
  countDeadLetters(
    platform: string,
    since: Milliseconds,
  ): Promise<readonly { readonly destination: string; readonly count: number }[]>;
  putReceipts(rows: readonly ReceiptRow[]): Promise<void>;
  receipts(deliveries: readonly string[]): Promise<readonly ReceiptRow[]>;
  /** How many are owed, by platform, and since when the oldest; what is in parcels among them. */
  depth(): Promise<readonly { readonly platform: string; readonly owed: number; readonly oldest: Milliseconds }[]>;
}

export interface Chunks {
  put(rows: readonly ChunkRow[]): Promise<void>;
  /** Takes out the oldest ones, in the order in which they were put. */
  take(limit: number): Promise<readonly ChunkRow[]>;
  /** When the oldest one was put; undefined where there is none. */
  oldestAt(): Promise<Milliseconds | undefined>;
}

/** The messages that have arrived at a destination, without edits, in the order in which they arrived. */
export interface DeliveredMessages {
  /** Those behind a place, which is the `seq` of a delivery; oldest first. */
  after(destination: string, seq: number, limit: number): Promise<readonly DeliveryRow[]>;
  /** The last ones; oldest first. */
  last(destination: string, limit: number): Promise<readonly DeliveryRow[]>;
  /** The last edits of messages that grow over a day, settled at that moment (Unix milliseconds) or later; oldest first. */
  rollingEdits(destination: string, since: Milliseconds, limit: number): Promise<readonly DeliveryRow[]>;
}

export interface Backlog {
  hold(rows: readonly HeldRow[]): Promise<void>;
  /** All that waits for a destination is due then. */
  reschedule(destination: string, at: Milliseconds): Promise<void>;
  /** Takes out what is due, in the order in which it was held. */
  release(at: Milliseconds): Promise<readonly HeldRow[]>;
  rolling(keys: readonly string[]): Promise<readonly RollingRow[]>;
  putRolling(rows: readonly RollingRow[]): Promise<void>;
}

export interface DecisionLog {
  add(rows: readonly DecisionRow[]): Promise<void>;
  read(query: DecisionQuery): Promise<readonly DecisionRow[]>;
}

/** Which lines of the log to look at. */
export interface JournalQuery {
  /** The last so many decisions, and as many deliveries of which something became. */
  readonly within: number;
  /** Of these decisions, those about a destination or about none; the deliveries are the last ones to it. */
  readonly destination?: string | undefined;
}

/** The log's lines by their places: `seq` names a row of its table, times are Unix milliseconds. */
export interface Journal {
  counts(of: JournalQuery): Promise<{
    readonly decisions: number;
    readonly outcomes: number;
    /** How many of the deliveries are about an episode. */
    readonly ofEpisodes: number;
  }>;
  /** The newest first, so many at most. */
  decisions(of: JournalQuery, take: number): Promise<readonly { readonly seq: number; readonly at: Milliseconds }[]>;
  /** Those of which something became last first, so many at most. */
  outcomes(
    of: JournalQuery,
    take: number,
  ): Promise<
    readonly {
      readonly seq: number;
      readonly at: Milliseconds;
      readonly created_at: Milliseconds;
      readonly of_episode: 0 | 1;
    }[]
  >;
  /** In no order. */
  decisionsAt(seqs: readonly number[]): Promise<readonly KeptDecisionRow[]>;
  /** In no order. */
  deliveriesAt(seqs: readonly number[]): Promise<readonly LoggedDelivery[]>;
  /** All decisions, newest first, from the one before that `seq` on. */
  decisionsBefore(seq: number | undefined, take: number): Promise<readonly KeptDecisionRow[]>;
  /** The deliveries that something became of, in the order of `outcomes`, from the one after that one on. */
  deliveriesBefore(
    last: Pick<DeliveryRow, "seq" | "settled_at"> | undefined,
    take: number,
    destination?: string,
  ): Promise<readonly LoggedDelivery[]>;
}

/** How the alerts stand, as numbers. */
export interface AlertCounts {
  /** Messages given up within the last day. */
  readonly dead: readonly { readonly platform: string; readonly count: number }[];
  readonly subscriptions: readonly { readonly state: string; readonly count: number }[];
  /** Messages that wait for quiet hours to end. */
  readonly held: number;
}

/** Everything that is kept of alerts. */
export interface AlertTables {
  readonly subscriptions: Subscriptions;
  readonly watch: WatchState;
  readonly outbox: Outbox;
  readonly chunks: Chunks;
  readonly delivered: DeliveredMessages;
  readonly backlog: Backlog;
  readonly decisions: DecisionLog;
  readonly journal: Journal;
  counts(at: Milliseconds): Promise<AlertCounts>;
  /**
   * Deletes what is settled and older than that, whatever it is; what is open or owed stays. `whole` looks through all
   * that was told for what belongs to nothing any more, which may take seconds.
   */
  prune(before: Milliseconds, whole?: boolean): Promise<void>;
}
