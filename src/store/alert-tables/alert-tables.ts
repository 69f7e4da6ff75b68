// The store's ports for alerts, reached only inside a transaction, so that an observation and the deliveries that follow
// from it are stored together or not at all. create-alert-tables.ts binds them to a transaction and deletes what is old.
// Next: alert-rows.ts (the rows), then one module per port: subscriptions, watch-state, outbox, backlog, alert-log.

import type { Milliseconds } from "../../units/duration.ts";
import type {
  ChunkRow,
  DecisionRow,
  DeliveryChange,
  DeliveryRow,
  EpisodeRow,
  HeldRow,
  LoggedDelivery,
  MachineRow,
  MessageRow,
  NewDeliveryRow,
  NotificationStateRow,
  ReceiptRow,
  RollingRow,
  SilenceRow,
  StoredDecisionRow,
  StoredEpisodeRow,
  SubscriptionRow,
} from "./alert-rows.ts";

export type * from "./alert-rows.ts";

/** A filter of decisions, which are read newest first. */
export interface DecisionQuery {
  readonly episode?: string;
  readonly destination?: string;
  readonly network?: string;
  readonly limit: number;
}

/** Subscriptions and silences. */
export interface Subscriptions {
  /** Grows with every change of a subscription or silence. */
  revision(): Promise<number>;
  /** As one change. */
  put(rows: readonly SubscriptionRow[]): Promise<void>;
  /** Of all destinations unless one is named. */
  list(destination?: string): Promise<readonly SubscriptionRow[]>;
  drop(ids: readonly string[]): Promise<void>;
  putSilence(row: SilenceRow): Promise<void>;
  /** The silences that last beyond that moment. */
  silences(at: Milliseconds): Promise<readonly SilenceRow[]>;
}

/** Snapshots of watchers, state machines of conditions, episodes, and the destinations' notification states. */
export interface WatchState {
  snapshot(network: string, watcher: string): Promise<{ readonly at: Milliseconds; readonly data: string } | undefined>;
  /** The time of that snapshot. */
  observedAt(network: string, watcher: string): Promise<Milliseconds | undefined>;
  putSnapshot(network: string, watcher: string, at: Milliseconds, data: string): Promise<void>;
  /** Of all networks unless one is named. */
  machines(network?: string): Promise<readonly MachineRow[]>;
  machine(of: Pick<MachineRow, "rule" | "network" | "subject">): Promise<MachineRow | undefined>;
  /** The flapping ones of all networks. */
  flapping(): Promise<readonly MachineRow[]>;
  putMachines(rows: readonly MachineRow[]): Promise<void>;
  dropMachines(rows: readonly Pick<MachineRow, "rule" | "network" | "subject">[]): Promise<void>;
  episode(id: string): Promise<StoredEpisodeRow | undefined>;
  /** Those of these episodes that are stored, in no order. */
  episodes(ids: readonly string[]): Promise<readonly StoredEpisodeRow[]>;
  /** The notification revisions of those episodes that are still stored. */
  notificationRevisions(
    ids: readonly string[],
  ): Promise<readonly Pick<StoredEpisodeRow, "id" | "notification_revision">[]>;
  /** Of all networks unless one is named; oldest first. */
  openEpisodes(network?: string): Promise<readonly StoredEpisodeRow[]>;
  /** The last ones, newest first. */
  lastEpisodes(limit: number, network?: string): Promise<readonly StoredEpisodeRow[]>;
  putEpisodes(rows: readonly EpisodeRow[]): Promise<void>;
  /** At one destination, or at all. */
  notificationStates(episodes: readonly string[], destination?: string): Promise<readonly NotificationStateRow[]>;
  putNotificationStates(rows: readonly NotificationStateRow[]): Promise<void>;
}

/** Deliveries with their messages and receipts. */
export interface Outbox {
  addMessages(rows: readonly MessageRow[], at: Milliseconds): Promise<void>;
  messages(ids: readonly string[]): Promise<readonly MessageRow[]>;
  /** In the order given, behind all deliveries there are. */
  add(rows: readonly NewDeliveryRow[]): Promise<void>;
  /**
   * Deliveries that may be sent now, the most urgent first: of each destination the first one, none where one is being
   * sent. What overtakes waits for neither. `token` is a platform's id, with a slash and a workspace one workspace's key;
   * `except` are workspaces' keys.
   */
  due(token: string, at: Milliseconds, limit: number, except?: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** When the next delivery becomes due. */
  nextRunAt(platforms: readonly string[], after: Milliseconds): Promise<Milliseconds | undefined>;
  /** In no order. */
  get(ids: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** All deliveries of an episode, in order; to one destination where it is named. */
  ofEpisode(episode: string, destination?: string): Promise<readonly DeliveryRow[]>;
  /** Whether a trigger of any of these episodes is still owed. */
  hasOwedTriggers(episodes: readonly string[]): Promise<boolean>;
  /** Deliveries to a destination that are owed or being sent, in order. */
  openOf(destination: string): Promise<readonly DeliveryRow[]>;
  /** Finished deliveries, newest first; to one destination where it is named. */
  finished(limit: number, destination?: string): Promise<readonly DeliveryRow[]>;
  /** The messages of a group to a destination that are certainly unsent, or arrived and are no older, in order. */
  inGroup(destination: string, key: string, since: Milliseconds): Promise<readonly DeliveryRow[]>;
  /** Those of these deliveries beside which their destination is owed another one, or has one of their group. */
  accompanied(ids: readonly string[]): Promise<readonly string[]>;
  /** The deliveries that one says beside itself, in order. */
  saidBy(id: string): Promise<readonly DeliveryRow[]>;
  /** Those of these deliveries that another one says, and which that is, where it is still stored. */
  carriersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The certainly unsent messages and edits of some episodes to a destination, in order. */
  owedOf(episodes: readonly string[], destination: string): Promise<readonly DeliveryRow[]>;
  /** The owed edits of a message. */
  owedEdits(targets: readonly string[]): Promise<readonly DeliveryRow[]>;
  update(id: string, change: DeliveryChange): Promise<void>;
  /** The same change of several. */
  updateAll(ids: readonly string[], change: DeliveryChange): Promise<void>;
  /** Points deliveries to another message. */
  setMessage(ids: readonly string[], message: string): Promise<void>;
  /** Marks them as being sent by a process and counts the attempt. */
  beginAttempts(ids: readonly string[], at: Milliseconds, process: string): Promise<void>;
  /** Those of these deliveries that this process claimed last, with the number of its attempt. */
  claimedBy(process: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  markSent(ids: readonly string[], at: Milliseconds): Promise<void>;
  /** Sends nothing to a destination before that moment. */
  postpone(destination: string, until: Milliseconds): Promise<void>;
  /** Moves deliveries that are due after that moment forward. */
  bringForward(by: Milliseconds, after: Milliseconds): Promise<void>;
  /**
   * Owes deliveries again, marked as uncertain, that a process was sending which lives no more, or this one (`self`)
   * without knowing; returns them.
   */
  recover(self: string, known: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** Deliveries owed since before that moment, except on some platforms, or of one token's key. */
  overdue(
    before: Milliseconds,
    limit: number,
    where?: { readonly except: readonly string[] } | { readonly token: string },
  ): Promise<readonly DeliveryRow[]>;
  /** Deliveries of a token's key, owed and not being sent, in order. */
  owedOn(token: string): Promise<readonly DeliveryRow[]>;
  deadLetter(ids: readonly string[], at: Milliseconds, why: string): Promise<void>;
  /** Messages, without edits, of a token's key, dead-lettered since that moment, by destination. */
  countDeadLetters(
    platform: string,
    since: Milliseconds,
  ): Promise<readonly { readonly destination: string; readonly count: number }[]>;
  putReceipts(rows: readonly ReceiptRow[]): Promise<void>;
  receipts(deliveries: readonly string[]): Promise<readonly ReceiptRow[]>;
  /** Whether a message is known as that of a delivery; reads all receipts. */
  hasReceipt(of: Pick<ReceiptRow, "platform" | "channel" | "message">): Promise<boolean>;
  /**
   * The number of owed deliveries and the age of the oldest, by platform; those in chunks are counted, too. Without
   * those to some destinations, or that need some workspaces' tokens, by key.
   */
  depth(
    except?: readonly string[],
  ): Promise<readonly { readonly platform: string; readonly owed: number; readonly oldest: Milliseconds }[]>;
}

/** Deliveries of large batches that are not fanned out yet. */
export interface Chunks {
  put(rows: readonly ChunkRow[]): Promise<void>;
  /** Removes and returns the oldest chunks, in the order in which they were put. */
  take(limit: number): Promise<readonly ChunkRow[]>;
  /** When the oldest chunk was put; undefined where there is none. */
  oldestAt(): Promise<Milliseconds | undefined>;
}

/** The messages delivered to a destination, without edits, in the order of their delivery. */
export interface DeliveredMessages {
  /**
   * Those behind a delivery's `seq`, oldest first, up to the first that is still owed: a reader that goes on behind the
   * last of them misses none.
   */
  after(destination: string, seq: number, limit: number): Promise<readonly DeliveryRow[]>;
  /** The last ones; oldest first. */
  last(destination: string, limit: number): Promise<readonly DeliveryRow[]>;
  /** The last edits of rolling messages, finished since that moment; oldest first. */
  rollingEdits(destination: string, since: Milliseconds, limit: number): Promise<readonly DeliveryRow[]>;
}

/** Messages held during quiet hours, and rolling messages. */
export interface Backlog {
  hold(rows: readonly HeldRow[]): Promise<void>;
  /** Makes everything held for a destination due at that moment. */
  reschedule(destination: string, at: Milliseconds): Promise<void>;
  /** Removes and returns what is due, in the order in which it was held. */
  release(at: Milliseconds): Promise<readonly HeldRow[]>;
  rolling(keys: readonly string[]): Promise<readonly RollingRow[]>;
  putRolling(rows: readonly RollingRow[]): Promise<void>;
}

/** A range of the log. */
export interface LogQuery {
  /** The number of last decisions, and of last finished deliveries, to read. */
  readonly within: number;
  /** Narrows these decisions to those about a destination or about none, and the deliveries to those to it. */
  readonly destination?: string | undefined;
}

/** The log's lines by `seq`, so that a page reads only its own rows. Times are Unix milliseconds. */
export interface AlertLog {
  add(rows: readonly DecisionRow[]): Promise<void>;
  read(query: DecisionQuery): Promise<readonly DecisionRow[]>;
  counts(of: LogQuery): Promise<{
    readonly decisions: number;
    readonly outcomes: number;
    /** Deliveries about an episode. */
    readonly ofEpisodes: number;
  }>;
  /** Newest first. */
  decisions(of: LogQuery, take: number): Promise<readonly { readonly seq: number; readonly at: Milliseconds }[]>;
  /** Finished deliveries, the last ones first. */
  outcomes(
    of: LogQuery,
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
  decisionsAt(seqs: readonly number[]): Promise<readonly StoredDecisionRow[]>;
  /** In no order. */
  deliveriesAt(seqs: readonly number[]): Promise<readonly LoggedDelivery[]>;
  /** All decisions before that `seq`, newest first. */
  decisionsBefore(seq: number | undefined, take: number): Promise<readonly StoredDecisionRow[]>;
  /** The finished deliveries after that one, in the order of `outcomes`. */
  deliveriesBefore(
    last: Pick<DeliveryRow, "seq" | "settled_at"> | undefined,
    take: number,
    destination?: string,
  ): Promise<readonly LoggedDelivery[]>;
}

/** Gauges of the alerts. */
export interface AlertCounts {
  /** Deliveries dead-lettered within the last day. */
  readonly dead: readonly { readonly platform: string; readonly count: number }[];
  readonly subscriptions: readonly { readonly state: string; readonly count: number }[];
  /** Messages that wait for quiet hours to end. */
  readonly held: number;
}

/** All ports for alerts. */
export interface AlertTables {
  readonly subscriptions: Subscriptions;
  readonly watch: WatchState;
  readonly outbox: Outbox;
  readonly chunks: Chunks;
  readonly delivered: DeliveredMessages;
  readonly backlog: Backlog;
  readonly log: AlertLog;
  counts(at: Milliseconds): Promise<AlertCounts>;
  /**
   * Deletes finished rows older than that moment; open and owed ones stay. `whole` also searches all notification states
   * for those without an episode, which may take seconds.
   */
  prune(before: Milliseconds, whole?: boolean): Promise<void>;
}
