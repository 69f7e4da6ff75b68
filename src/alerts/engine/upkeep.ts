import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { fromMillis, type Milliseconds, type Nanoseconds, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { type AlertDependencies, nowMillis, randomId } from "../dependencies.ts";
import {
  type Episode,
  episodeId,
  episodeRow,
  isDrill,
  type Machine,
  machineKey,
  machineRow,
  parseEpisode,
  parseMachine,
  resetMachine,
} from "../judge/rules/episode.ts";
import { timeFromText, timeToText } from "../judge/kinds/kind.ts";
import { labelOf } from "../judge/kinds/reading.ts";
import { endedBecause, joinPlans, joinRules, type Plan } from "../deliver/outbox/batch.ts";
import { releaseHeld } from "../deliver/outbox/held.ts";
import type { NotificationState } from "../deliver/outbox/notification-state.ts";
import { enqueue } from "../deliver/outbox/outbox.ts";
import { isFanningOut, readNotificationStates } from "../deliver/outbox/queries.ts";
import type { SubscriptionIndex, subscriptionIndexReader } from "../route/subscription-index.ts";
import { isAlive, ownEndOf, type Subscription } from "../route/subscription.ts";
import { ParsedRowCache } from "../judge/rules/state-cache.ts";
import { endFlapping } from "../judge/rules/state-machine.ts";
import { evaluationInputs, sharedInputsReader } from "./evaluation-inputs.ts";
import { closeEndedOffers } from "./announce.ts";
import { planSilenceNotice } from "./silence-notice.ts";
import { planOpen } from "./plan-open.ts";
import type { Decision } from "../judge/judge.ts";
import { endAfter, type Silence, silenceRow } from "../route/silence.ts";
import { silenceOverLine } from "../words/silence-words.ts";

/** How long decisions, ended deliveries and receipts are kept; ended episodes and their states may be kept for longer. */
export const RETENTION: Milliseconds = 30 * 86_400_000;
const PRUNE_EVERY: Milliseconds = 3_600_000;

interface Evaluation {
  readonly index: SubscriptionIndex;
  readonly inputs: string | undefined;
  /** When the next reminder is due, in Unix milliseconds; Infinity if none is. */
  readonly until: Milliseconds;
}

/**
 * Applies changes that time alone causes, for all networks: the end of a silence, quiet hours, an inhibitor or flapping,
 * a new subscription to an open episode, reminders, episodes without subscribers, the ends of silences that wait for
 * one, the daily notice of silences. Run it about once a second, and at once after a subscription or a
 * silence has changed. It is cheap while nothing is due, however many destinations an open episode has.
 */
export function createUpkeep(
  dependencies: AlertDependencies,
  readIndex: ReturnType<typeof subscriptionIndexReader>,
): () => Promise<void> {
  const { store, config, clock, keepStates = RETENTION } = dependencies;
  const episodes = new ParsedRowCache(parseEpisode);
  const machines = new ParsedRowCache(parseMachine);
  const sharedInputs = sharedInputsReader();
  /** Of each open episode, under which inputs it was planned, and until when the plan holds. */
  let evaluations: ReadonlyMap<string, Evaluation | undefined> = new Map();
  let prunedAt = -Infinity;
  /** Offers to end silences that ended by then are closed; undefined until the first time, which closes all. */
  let closedUntil: Milliseconds | undefined;

  return async () => {
    const at = nowMillis(clock);
    const isPruneDue = at - prunedAt >= PRUNE_EVERY;
    const done = await store.transaction(async ({ alerts: tables }) => {
      if (await isFanningOut(tables, at)) return undefined;
      const index = await readIndex(tables, at);
      const rows = await tables.watch.openEpisodes();
      const open = [...episodes.parse(rows, ({ id }) => id).values()];
      const flapping = machines.parse(await tables.watch.flapping(), keyOf);
      const plans: Plan[] = [];
      const ownerless = open.filter((one) => !index.rules(one.kind, one).some((rule) => rule.id === one.rule));
      const withdrawn = await closeEpisodes(
        tables,
        ownerless,
        "withdrawn",
        () => "nobody is subscribed to it any more",
        at,
      );
      for (const [key, machine] of withdrawn.machines) flapping.set(key, machine);
      for (const machine of flapping.values()) {
        const calm = endFlapping(machine, fromMillis(at), config);
        // Only observed calm counts: nothing is known since the last observation.
        if (
          calm === undefined ||
          endFlapping(machine, await lastObservedAt(tables, machine, at), config) === undefined
        ) {
          continue;
        }
        flapping.set(keyOf(machine), calm);
        await tables.watch.putMachines([machineRow(calm)]);
        plans.push(await planCalmNotice(dependencies, tables, machine, at));
      }
      const still = open.filter((one) => !ownerless.includes(one));
      const machineOf = (episode: Episode): Machine | undefined => flapping.get(keyOf(episode));
      const inputs = await evaluationInputs(tables, rows, still, machineOf, sharedInputs(index, at));
      const holds = ({ id }: Episode): boolean => {
        const last = evaluations.get(id);
        return last?.index === index && last.inputs === inputs.get(id) && at < last.until;
      };
      const { plan, reminders } = await planOpen(dependencies, tables, {
        index,
        episodes: [...withdrawn.episodes, ...still.filter((one) => !holds(one))],
        open: still,
        machine: machineOf,
        at,
      });
      const evaluated = still.map(({ id }): [string, Evaluation | undefined] => {
        const until = reminders.get(id);
        return [id, until === undefined ? evaluations.get(id) : { index, inputs: inputs.get(id), until }];
      });
      const { owed, decisions } = await releaseHeld(tables, index, at);
      // A new end counts from the next round on: this one was planned with the silences as they were.
      const ends = await endSilences(tables, index.silences, new Set(still.map(({ id }) => id)), at);
      const closed = await closeEndedOffers(dependencies, tables, closedUntil ?? at - RETENTION, at);
      const notice = await planSilenceNotice(dependencies, tables, ends.silences, at);
      const over = index.subscriptions.filter((one) => isAlive(one) && ownEndOf(one).until <= at);
      const ended = { endings: endedBecause("its time is over", over) };
      const batch = joinPlans([
        withdrawn,
        ...plans,
        plan,
        ended,
        { decisions: [...decisions, ...ends.decisions] },
        notice,
      ]);
      await enqueue(tables, batch, at, dependencies.chunkRows, joinRules(dependencies));
      if (isPruneDue) {
        await tables.prune(at - RETENTION, prunedAt === -Infinity, at - Math.max(RETENTION, keepStates));
        await dropUnneeded(tables, index.subscriptions, at - RETENTION);
      }
      return { owed: owed + closed + batch.deliveries.length, evaluated };
    });
    if (done === undefined) return;
    closedUntil = at;
    evaluations = new Map(done.evaluated);
    if (isPruneDue) prunedAt = at;
    if (done.owed > 0) dependencies.onOwed?.();
  };
}

function keyOf({ network, rule, subject }: Pick<Machine, "network" | "rule" | "subject">): string {
  return `${network}|${machineKey(rule, subject)}`;
}

/** Closes open episodes whose end would never be observed. Returns them and their machines, by key, as they are then. */
async function closeEpisodes(
  tables: AlertTables,
  open: readonly Episode[],
  state: "withdrawn" | "gone",
  why: (network: string) => string,
  at: Milliseconds,
) {
  const episodes = open.map((one): Episode => ({ ...one, state, ended: timeToText(fromMillis(at)) }));
  const machines = new Map<string, Machine>();
  for (const episode of open) {
    const row = await tables.watch.machine(episode);
    if (row !== undefined) machines.set(keyOf(episode), resetMachine(parseMachine(row)));
  }
  await tables.watch.putMachines([...machines.values()].map(machineRow));
  await tables.watch.putEpisodes(episodes.map(episodeRow));
  const decisions = open.map(({ network, id }): Decision => ({
    what: state,
    network,
    episode: id,
    detail: why(network),
  }));
  return { episodes, machines, decisions };
}

/** When a machine was last observed; now if that is not known. */
async function lastObservedAt(
  tables: AlertTables,
  { network, watcher }: Machine,
  at: Milliseconds,
): Promise<Nanoseconds> {
  const observed = watcher === undefined ? undefined : (await tables.watch.observedAts(network)).get(watcher);
  return fromMillis(Math.min(at, observed ?? at));
}

/** Notifies the destinations of the flapping notice that the flapping is over. */
async function planCalmNotice(
  dependencies: AlertDependencies,
  tables: AlertTables,
  machine: Machine,
  at: Milliseconds,
): Promise<Plan> {
  const { simulated, newId = randomId } = dependencies;
  if (machine.flapping === undefined) return {};
  const { kind, network, subject, flapping } = machine;
  const began = episodeId(machine, flapping.before + 1);
  const row = await tables.watch.episode(episodeId(machine, machine.number));
  const last = row === undefined ? undefined : parseEpisode(row);
  const until = last?.recovered ?? last?.ended;
  const isCritical = (machine.critical?.lastMillis ?? 0) >= toMillis(timeFromText(flapping.since));
  const message = {
    type: "calm",
    ...(simulated.has(network) ? { simulated: true as const } : {}),
    kind,
    network,
    subject,
    ...withoutUndefined({
      label: last && labelOf(last.last),
      until,
      critical: isCritical ? (true as const) : undefined,
    }),
    episodes: machine.number - flapping.before,
    since: flapping.since,
    open: machine.phase === "firing" || machine.phase === "recovering",
    at: timeToText(fromMillis(at)),
  } as const;
  const states = (await readNotificationStates(tables, [began])).get(began) ?? new Map<string, NotificationState>();
  const told = [...states].filter(([, state]) => state.flapping === true);
  return {
    decisions: [{ what: "calm", network, episode: began, detail: machine.rule }],
    deliveries: told.map(([, { destination }]) => ({
      id: newId(),
      destination,
      phase: "calm",
      message,
      episode: began,
    })),
  };
}

/** Deletes machines that nothing needs, and subscriptions that were over before then. */
async function dropUnneeded(
  tables: AlertTables,
  subscriptions: readonly Subscription[],
  before: Milliseconds,
): Promise<void> {
  await tables.watch.dropMachines(await prunableMachines(tables));
  // Subscriptions of a lost destination stay listed until somebody removes them.
  const over = subscriptions.filter(
    ({ state, over: since, created }) => (state === "removed" || state === "ended") && (since ?? created) < before,
  );
  await tables.subscriptions.drop(over.map(({ id }) => id));
}

/**
 * Machines to delete, each with its last episode: markets, orders and nodes come and go, and every observation reads all
 * machines of its network.
 */
async function prunableMachines(tables: AlertTables): Promise<Machine[]> {
  const calm = (await tables.watch.machines())
    .map(parseMachine)
    .filter(({ phase, flapping }) => phase === "ok" && flapping === undefined);
  const last = (machine: Machine): string => episodeId(machine, machine.number);
  const stored = new Set((await tables.watch.notificationRevisions(calm.map(last))).map(({ id }) => id));
  return calm.filter((machine) => machine.number === 0 || !stored.has(last(machine)));
}

/**
 * Closes the open episodes of all networks but those that are watched: a network without configured data nodes is never
 * observed again, nor is their end. Run it before the first observation of a process.
 */
export async function closeUnwatched(
  dependencies: AlertDependencies,
  readIndex: ReturnType<typeof subscriptionIndexReader>,
  watched: readonly string[],
): Promise<void> {
  const { store, clock } = dependencies;
  const owed = await store.transaction(async ({ alerts: tables }) => {
    const at = nowMillis(clock);
    const open = (await tables.watch.openEpisodes())
      .map(parseEpisode)
      .filter((episode) => !isDrill(episode) && !watched.includes(episode.network));
    const closed = await closeEpisodes(
      tables,
      open,
      "gone",
      (network) => `no data node of ${network} is configured`,
      at,
    );
    const index = await readIndex(tables, at);
    const machine = (episode: Episode): Machine | undefined => closed.machines.get(keyOf(episode));
    const { plan } = await planOpen(dependencies, tables, { index, episodes: closed.episodes, open: [], machine, at });
    const batch = joinPlans([closed, plan]);
    await enqueue(tables, batch, at, dependencies.chunkRows, joinRules(dependencies));
    return batch.deliveries.length;
  });
  if (owed > 0) dependencies.onOwed?.();
}

/**
 * Stores the end of each silence until episodes are over, once none of these is open. Returns all silences as they are
 * then, with the decisions. `open`: the ids of the open episodes.
 */
export async function endSilences(
  tables: AlertTables,
  all: readonly Silence[],
  open: ReadonlySet<string>,
  at: Milliseconds,
): Promise<{ readonly silences: readonly Silence[]; readonly decisions: readonly Decision[] }> {
  const waiting = all.filter(({ untilOver, until }) => untilOver !== undefined && until > at);
  const over = waiting.filter(({ untilOver = [] }) => !untilOver.some((id) => open.has(id)));
  if (over.length === 0) return { silences: all, decisions: [] };
  const rows = await tables.watch.episodes([...new Set(over.flatMap(({ untilOver = [] }) => untilOver))]);
  const ends = new Map(rows.map((row) => [row.id, parseEpisode(row).ended]));
  const ended = new Map<string, Silence>();
  for (const one of over) {
    const known = (one.untilOver ?? []).flatMap((id) => ends.get(id) ?? []);
    // An episode that is stored no more has no end to count from.
    const last = known.length === 0 ? at : Math.max(...known.map((end) => toMillis(timeFromText(end))));
    const silence = endAfter(one, Math.min(last, at));
    await tables.subscriptions.putSilence(silenceRow(silence));
    ended.set(one.id, silence);
  }
  return {
    silences: all.map((one) => ended.get(one.id) ?? one),
    decisions: [...ended.values()].map((silence) => silenceDecision(silence, silenceOverLine(silence))),
  };
}

/** A sentence of the log about a silence. */
export function silenceDecision({ scope: { destination, network } }: Silence, detail: string): Decision {
  return { what: "silence", ...withoutUndefined({ destination, network }), detail };
}
