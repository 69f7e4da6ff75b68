// Turns observations, subscriptions and silences into episodes and planned deliveries, each in one transaction.
// Read process-observation.ts and ../judge/judge.ts (observations), plan-open.ts and plan-events.ts (deliveries) and
// upkeep.ts (changes that time alone causes) next.
import type { Milliseconds } from "../../units/time.ts";
import { isDeepStrictEqual } from "node:util";

import { UserError } from "../../errors.ts";
import type { AlertTables, ArrivedQuery, DecisionQuery } from "../../store/alert-tables/alert-tables.ts";
import { type AlertDependencies, nowMillis } from "../dependencies.ts";
import { createLogReader, logDecisions } from "../deliver/outbox/alert-log.ts";
import { episodesSaidBy } from "../deliver/outbox/group.ts";
import { rescheduleAt, rescheduleHeld } from "../deliver/outbox/held.ts";
import { deliveriesOf, finishedDeliveries, outboxDepth, toldWithin } from "../deliver/outbox/queries.ts";
import { recordPress } from "../deliver/outbox/record.ts";
import { Silence, silenceEnds, silenceRow, parseSilence } from "../route/silence.ts";
import { subscriptionIndexReader } from "../route/subscription-index.ts";
import { rulesOf, Subscription, subscriptionRow } from "../route/subscription.ts";
import { type Episode, parseEpisode, parseMachine } from "../judge/rules/episode.ts";
import type { Receipt } from "../sender.ts";
import { readSuspensions, tryNow } from "../route/suspension.ts";
import { silenceLogLine } from "../words/silence-words.ts";
import { subscriptionLogLine } from "../words/subscription-words.ts";
import { acknowledge, type Acknowledger } from "./acknowledge.ts";
import { type Announcement, closeOffers, owe } from "./announce.ts";
import { closeUnwatched, createUpkeep, RETENTION, silenceDecision } from "./upkeep.ts";
import { observationProcessor } from "./process-observation.ts";
import { type Destination, destinationKey } from "../destination.ts";
import { readMessages } from "../deliver/outbox/stored-messages.ts";
import { AnyJson, parseRow } from "../judge/kinds/kind.ts";

export type { Announcement } from "./announce.ts";
export type { Told } from "../deliver/outbox/queries.ts";

/** An episode with its decisions, deliveries and receipts. */
export type EpisodeHistory = NonNullable<Awaited<ReturnType<AlertEngine["history"]>>>;

/** Turns observations, subscriptions and silences into deliveries in the outbox. */
export type AlertEngine = ReturnType<typeof createAlertEngine>;

export function createAlertEngine(dependencies: AlertDependencies) {
  const { store, config, clock } = dependencies;
  const readIndex = subscriptionIndexReader(config);
  const upkeep = createUpkeep(dependencies, readIndex);

  return {
    /** The clock of all waiting for alerts. */
    clock,
    /** How long the log, and what people were told, is kept. */
    retention: RETENTION,
    /** Stores an observation and its deliveries; see observationProcessor. */
    processObservation: observationProcessor(dependencies, readIndex),
    /** Applies changes that time alone causes; see createUpkeep. */
    upkeep,
    /** Closes the episodes of all other networks; see closeUnwatched. */
    closeUnwatched: (watched: readonly string[]) => closeUnwatched(dependencies, readIndex, watched),

    subscriptions: () =>
      store.transaction(async ({ alerts }) => (await readIndex(alerts, nowMillis(clock))).subscriptions),
    /**
     * Adds subscriptions, or replaces those with their ids, all of them or none. Throws UserError if their thresholds are
     * invalid, or if one is no longer as given in `was`: it was changed or ended meanwhile.
     */
    async putSubscriptions(
      given: readonly Subscription[],
      by: string,
      announced: readonly Announcement[] = [],
      was?: Subscription,
    ): Promise<void> {
      const subscriptions = given.map((one) => Subscription.parse(one));
      for (const subscription of subscriptions) rulesOf(subscription, config);
      const at = nowMillis(clock);
      await store.transaction(async ({ alerts }) => {
        const known = new Map((await readIndex(alerts, at)).subscriptions.map((one) => [one.id, one]));
        if (was !== undefined && !isDeepStrictEqual(known.get(was.id), was)) {
          throw new UserError(`Subscription ${was.id} has been changed meanwhile, so nothing was changed now.`, {
            option: "id",
            remedy: "Look at how it is, and ask again where that is still wanted:",
            suggestion: "alerts list",
          });
        }
        const offering = await owe(dependencies, alerts, announced);
        const stored: Subscription[] = [];
        for (const { announced: before = [], ...one } of subscriptions) {
          const isPaused = one.state === "paused";
          const what = one.state === "active" ? "resumed" : "removed";
          if (!isPaused) await closeOffers(dependencies, alerts, before, { what, by });
          stored.push(isPaused ? { ...one, ...offersOf([...before, ...offering]) } : one);
        }
        await alerts.subscriptions.put(stored.map((one) => subscriptionRow(one, at)));
        await rescheduleHeld(alerts, known, subscriptions, (await readIndex(alerts, at)).subscriptions, at);
        const decisions = subscriptions.map((one) => ({
          what: "subscription",
          network: one.network,
          destination: destinationKey(one.destination),
          detail: subscriptionLogLine(known.get(one.id), one, by),
        }));
        await logDecisions(alerts, decisions, at);
      });
      const offered = subscriptions.flatMap(({ state, announced: before = [] }) => (state === "paused" ? [] : before));
      if (announced.length + offered.length > 0) dependencies.onOwed?.();
      await upkeep();
    },
    /** Tries at once what waits for a destination that cannot be reached. */
    async retry(destination: Destination) {
      await store.transaction(({ alerts }) => tryNow(alerts, [destinationKey(destination)], nowMillis(clock)));
      dependencies.onOwed?.();
    },
    /** The silences that have not ended. */
    silences: () =>
      store.transaction(async ({ alerts }) => {
        const at = nowMillis(clock);
        return (await alerts.subscriptions.silences(at)).map(parseSilence);
      }),
    /**
     * Adds a silence or replaces the one with its id; one with `until` now ends it. Where that one is over already, an end
     * changes and announces nothing, nor does what ends before it: false.
     */
    async putSilence(given: Silence, by: string, announced: readonly Announcement[] = []) {
      const { announced: _, ...silence } = Silence.parse(given);
      const at = nowMillis(clock);
      const isOver = silenceEnds(silence) <= at;
      const { destination } = silence.scope;
      const isStored = await store.transaction(async ({ alerts }) => {
        // Somebody else may have changed or ended it since it was read.
        const row = await alerts.subscriptions.silence(silence.id);
        if (row !== undefined && (isOver ? row.ends_at <= at : row.ends_at > silenceEnds(silence))) return false;
        const before = row === undefined ? [] : (parseSilence(row).announced ?? []);
        await closeOffers(dependencies, alerts, before, { what: isOver ? "ended" : "lengthened", by });
        const offering = offersOf(await owe(dependencies, alerts, announced));
        await alerts.subscriptions.putSilence(silenceRow({ ...silence, ...offering }));
        if (destination !== undefined && isOver) {
          const { subscriptions } = await readIndex(alerts, at);
          await rescheduleAt(alerts, destination, subscriptions, at);
        }
        await logDecisions(alerts, [silenceDecision(silence, silenceLogLine(silence, by, at))], at);
        return true;
      });
      if (isStored) dependencies.onOwed?.();
      await upkeep();
      return isStored;
    },
    /**
     * Undefined if there is no such episode. Acknowledging twice changes nothing and announces nothing. With `only`,
     * the reminders end at that destination, and go on at all others. The messages of the alert show it by an edit;
     * `announced` is given the destinations that need a new message as well. `others` are acknowledged with it; a
     * destination that was told several of them gets a message about the first.
     */
    async acknowledge(
      id: string,
      by: Acknowledger,
      announced: (acknowledged: Episode, at: readonly Destination[]) => readonly Announcement[] = () => [],
      only?: Destination,
      others: readonly string[] = [],
    ) {
      const at = clock.wallClock();
      const done = await store.transaction(async ({ alerts }) => {
        const given = { by, at, ...(only === undefined ? {} : { only: destinationKey(only) }) };
        const all: Awaited<ReturnType<typeof acknowledge>>[] = [];
        for (const episode of [id, ...others]) all.push(await acknowledge(alerts, { ...given, episode }));
        const announcedAt = new Set<string>();
        for (const one of all) {
          const places = one?.isNew === true ? one.announceAt.filter((at) => !announcedAt.has(destinationKey(at))) : [];
          if (one === undefined || places.length === 0) continue;
          await owe(dependencies, alerts, announced(one.episode, places), one.threads);
          for (const at of places) announcedAt.add(destinationKey(at));
        }
        return all[0];
      });
      if (done !== undefined) {
        dependencies.onOwed?.();
        await upkeep();
      }
      return done?.episode;
    },

    /** A button of an alert was pressed on this message: one that is known of no delivery is a copy, which is then tidied. */
    async notePress(episode: string, pressed: Receipt) {
      const tidied = await store.transaction(({ alerts }) => recordPress(alerts, episode, pressed, nowMillis(clock)));
      if (tidied) dependencies.onOwed?.();
    },
    ...createQueries(store),
  };
}

function offersOf(announced: readonly string[]): { announced?: string[] } {
  return announced.length === 0 ? {} : { announced: [...announced] };
}

function createQueries(store: AlertDependencies["store"]) {
  const read = <T>(work: (tables: AlertTables) => Promise<T>): Promise<T> =>
    store.transaction(({ alerts }) => work(alerts));
  return {
    /**
     * The last snapshot of a watcher, as it was stored, for its schema to check. Not read from a snapshot of the database: it
     * waits for what a watcher that gave up waiting still writes.
     */
    snapshot: (network: string, watcher: string) =>
      read(async (tables) => {
        const row = await tables.watch.snapshot(network, watcher);
        return row === undefined
          ? undefined
          : { at: row.at, data: parseRow(AnyJson, row.data, "watcher_snapshots", { network, watcher }) };
      }),
    /** When that snapshot was stored (Unix milliseconds), without reading it: with many markets it is megabytes. */
    lastObservedAt: (network: string, watcher: string) =>
      read(async (tables) => (await tables.watch.observedAts(network)).get(watcher)),
    /** The first episodes of those that one message says, by the delivery of the message; none where it is not known. */
    grouped: (delivery: string, count: number) =>
      read(async (tables) => (await episodesSaidBy(tables, delivery)).slice(0, count)),
    /** How many messages are owed on each platform, or with one workspace's token, and since when the oldest (Unix milliseconds). */
    outboxDepth: (token?: string) => read((tables) => outboxDepth(tables, token === undefined ? {} : { token })),
    /** The platforms that refuse the bot's token. */
    suspensions: () => read(readSuspensions),
    /** Finished deliveries, newest first; to one destination where it is named. */
    finished: (limit: number, destination?: string) => read((tables) => finishedDeliveries(tables, limit, destination)),
    /** What people were told within a range of time. */
    told: (query: ArrivedQuery) => read((tables) => toldWithin(tables, query)),
    /** Messages by their ids; without those that were pruned. */
    messages: (ids: readonly string[]) =>
      read((tables) =>
        readMessages(
          tables,
          ids.map((message) => ({ message })),
        ),
      ),

    /** The silence with that id, also one that has ended; undefined 30 days later. */
    silence: (id: string) =>
      read(async (tables) => {
        const row = await tables.subscriptions.silence(id);
        return row === undefined ? undefined : parseSilence(row);
      }),
    openEpisodes: (network?: string) =>
      read(async (tables): Promise<readonly Episode[]> => (await tables.watch.openEpisodes(network)).map(parseEpisode)),
    /** The same of one network, and its last halt, where that is among the newest alerts: each answer of it asks for both. */
    openAndLastHalt: (network: string) =>
      read(async ({ watch }) =>
        (await watch.openAndLast(network, "network.stalled", MAX_LOOKED_THROUGH)).map(parseEpisode),
      ),
    /** Machines that are bad and have not fired yet, of the rules with the configured thresholds. */
    pending: (network: string) =>
      read(async (tables) =>
        (await tables.watch.machines(network))
          .map(parseMachine)
          .filter(({ phase, rule, kind }) => phase === "pending" && rule === kind),
      ),
    /** Newest first. */
    lastEpisodes: (limit: number) => read(async (tables) => (await tables.watch.lastEpisodes(limit)).map(parseEpisode)),
    /** Those that fired in a range of Unix milliseconds, oldest first; so many at most. */
    episodesBetween: (network: string, from: Milliseconds, to: Milliseconds) =>
      read(async (tables) =>
        (await tables.watch.episodesBetween(network, from, to, MAX_EPISODES_BETWEEN)).map(parseEpisode),
      ),
    history: (id: string) =>
      read(async (tables) => {
        const row = await tables.watch.episode(id);
        if (row === undefined) return undefined;
        // Oldest first.
        const decisions = (await tables.log.read({ episode: id, limit: MAX_HISTORY_DECISIONS })).toReversed();
        return { episode: parseEpisode(row), decisions, ...(await deliveriesOf(tables, id)) };
      }),
    /** The log as people read it: decisions, and the outcomes of deliveries. */
    log: createLogReader(store),
    /** Newest first. */
    decisions: (query: DecisionQuery) => read((tables) => tables.log.read(query)),
  };
}

/** A halt is sought among so many, so that a day full of alerts makes no answer slow. */
const MAX_LOOKED_THROUGH = 50;
const MAX_EPISODES_BETWEEN = 10_000;
/** How many decisions a history holds at most. */
const MAX_HISTORY_DECISIONS = 1000;
