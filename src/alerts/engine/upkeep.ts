import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis, type Nanoseconds } from "../../units/nanoseconds.ts";
import { type AlertDependencies, nowMillis, randomId } from "../dependencies.ts";
import { isDrill } from "../drill.ts";
import { timeToText } from "../kinds/json-fields.ts";
import { OutboxBatch } from "../outbox/batch.ts";
import { releaseHeld } from "../outbox/held.ts";
import { NotificationState } from "../outbox/notification-state.ts";
import { writeBatch } from "../outbox/outbox.ts";
import type { SubscriptionIndex, subscriptionIndexReader } from "../routing/subscription-index.ts";
import type { Subscription } from "../routing/subscription.ts";
import { Episode, episodeId, Machine } from "../rules/episode.ts";
import { ParsedRowCache } from "../rules/state-cache.ts";
import { endFlapping, resetMachine } from "../rules/state-machine.ts";
import { type Evaluation, EvaluationCache, evaluationInputs } from "./evaluation-cache.ts";
import { planOpen } from "./plan-open.ts";
import { episodeRow, machineKey, machineRow } from "./process-observation.ts";

/** How long what is settled is kept: decisions, deliveries, receipts, closed episodes. */
export const RETENTION: Milliseconds = 30 * 86_400_000;
/** What is owed to many is spread by the dispatcher within a second or two. */
const FAN_OUT_WITHIN: Milliseconds = 10_000;
const PRUNE_EVERY: Milliseconds = 3_600_000;

/**
 * What time alone brings about, for all networks: a silence or quiet hours that end, an inhibitor that is gone, a new
 * subscription to what is open already, reminders, the end of flapping, episodes that nobody watches any more. To be
 * run about once a second, and at once after a choice was changed. Costs next to nothing while nothing of that is due,
 * however many are told of what is open.
 */
export function createUpkeep(
  parts: AlertDependencies,
  readChoices: ReturnType<typeof subscriptionIndexReader>,
): () => Promise<void> {
  const { store, config, clock, simulated, newId = randomId } = parts;
  const episodes = new ParsedRowCache((data) => Episode.parse(JSON.parse(data)));
  const machines = new ParsedRowCache((data) => Machine.parse(JSON.parse(data)));
  const lookedThrough = new EvaluationCache();
  let prunedAt = -Infinity;

  return async () => {
    const at = nowMillis(clock);
    const isPruneDue = at - prunedAt >= PRUNE_EVERY;
    const done = await store.transaction(async ({ alerts: tables }) => {
      // What is being spread is looked at once it is whole; only where nobody spreads it, it is done here.
      const since = await tables.chunks.oldestAt();
      if (since !== undefined && at - since < FAN_OUT_WITHIN) return undefined;
      const choices = await readChoices(tables, at);
      const rows = await tables.watch.openEpisodes();
      const open = [...episodes.parse(rows, ({ id }) => id).values()];
      const flapping = machines.parse(await tables.watch.flapping(), keyOf);
      const book = new OutboxBatch();
      const put = async (machine: Machine): Promise<void> => {
        if (machine.flapping === undefined) flapping.delete(keyOf(machine));
        else flapping.set(keyOf(machine), machine);
        await tables.watch.putMachines([machineRow(machine)]);
      };
      const withdrawn = withdraw(open, choices, at);
      for (const episode of withdrawn) {
        const row = await tables.watch.machine(episode);
        if (row !== undefined) await put(resetMachine(Machine.parse(JSON.parse(row.data))));
        const about = { network: episode.network, episode: episode.id };
        book.decisions.push({ what: "withdrawn", ...about, detail: "nobody is subscribed to it any more" });
      }
      await tables.watch.putEpisodes(withdrawn.map(episodeRow));
      for (const machine of flapping.values()) {
        const calm = endFlapping(machine, fromMillis(at), config);
        // Calm is what was seen to be calm: nobody knows what has been since the last look.
        if (
          calm === undefined ||
          endFlapping(machine, await lastObservedAt(tables, machine, at), config) === undefined
        ) {
          continue;
        }
        await put(calm);
        await planCalmNotice(parts, tables, machine, at, book);
      }
      const gone = new Map(withdrawn.map((episode) => [episode.id, episode]));
      const still = open.filter(({ id }) => !gone.has(id));
      const machineOf = (episode: Episode): Machine | undefined => flapping.get(keyOf(episode));
      const circumstances = await evaluationInputs(
        { tables, episodes: still, told: new Map(rows.map((row) => [row.id, row.told])), machine: machineOf },
        lookedThrough.sharedInputs(choices, at),
      );
      const looks = new Map<string, Evaluation>();
      for (const { id } of still) {
        // What nobody has spread is yet to be known of.
        const look = since === undefined ? lookedThrough.valid(id, choices, circumstances.get(id), at) : undefined;
        if (look !== undefined) looks.set(id, look);
      }
      const reminders = await planOpen(
        {
          tables,
          index: choices,
          config,
          episodes: [...withdrawn, ...still.filter(({ id }) => !looks.has(id))],
          open: still,
          machine: machineOf,
          simulated,
          at,
          newId,
        },
        book,
      );
      for (const { id } of still) {
        const until = reminders.get(id);
        const seen = circumstances.get(id);
        if (until !== undefined && seen !== undefined) looks.set(id, { index: choices, inputs: seen, until });
      }
      await releaseHeld(tables, choices, at, newId, book);
      await writeBatch(tables, book, at, newId, parts.portion);
      if (isPruneDue) await prune(tables, choices.subscriptions, at - RETENTION, prunedAt === -Infinity);
      return { owed: book.deliveries.length, looks };
    });
    if (done === undefined) return;
    lookedThrough.replace(done.looks);
    if (isPruneDue) prunedAt = at;
    if (done.owed > 0) parts.onOwed?.();
  };
}

function keyOf({ network, rule, subject }: Pick<Machine, "network" | "rule" | "subject">): string {
  return `${network}|${machineKey(rule, subject)}`;
}

/** Open episodes of rules that nobody takes part in any more: their end would never be seen. */
function withdraw(open: readonly Episode[], choices: SubscriptionIndex, at: Milliseconds): Episode[] {
  return open
    .filter((episode) => !choices.rules(episode.kind, episode).some((rule) => rule.id === episode.rule))
    .map((episode) => ({ ...episode, state: "withdrawn", ended: timeToText(fromMillis(at)) }));
}

/** When a machine was last looked at; now where nobody knows. */
async function lastObservedAt(
  tables: AlertTables,
  { network, watcher }: Machine,
  at: Milliseconds,
): Promise<Nanoseconds> {
  const looked = watcher === undefined ? undefined : await tables.watch.observedAt(network, watcher);
  return fromMillis(Math.min(at, looked ?? at));
}

/** What people call what an episode is about. */
async function labelOf(tables: AlertTables, id: string): Promise<{ readonly label?: string }> {
  const row = await tables.watch.episode(id);
  const last = row === undefined ? undefined : Episode.parse(JSON.parse(row.data)).last;
  return last !== undefined && "label" in last && last.label !== undefined ? { label: last.label } : {};
}

/** Tells those who were told of the flapping that it is over. */
async function planCalmNotice(
  parts: AlertDependencies,
  tables: AlertTables,
  machine: Machine,
  at: Milliseconds,
  book: OutboxBatch,
): Promise<void> {
  const { simulated, newId = randomId } = parts;
  if (machine.flapping === undefined) return;
  const { kind, network, subject, flapping } = machine;
  const began = episodeId(machine, flapping.before + 1);
  book.decisions.push({ what: "calm", network, episode: began, detail: machine.rule });
  const message = {
    type: "calm",
    ...(simulated.has(network) ? { simulated: true as const } : {}),
    kind,
    network,
    subject,
    ...(await labelOf(tables, episodeId(machine, machine.number))),
    episodes: machine.number - flapping.before,
    since: flapping.since,
    open: machine.phase === "firing" || machine.phase === "recovering",
    at: timeToText(fromMillis(at)),
  } as const;
  for (const row of await tables.watch.notificationStates([began])) {
    const telling = NotificationState.parse(JSON.parse(row.data));
    if (telling.flapping !== true) continue;
    book.deliveries.push({ id: newId(), destination: telling.destination, phase: "calm", message, episode: began });
  }
}

/** Deletes what is settled and older than that (for `whole` see AlertTables), and the machines and subscriptions that may be forgotten. */
async function prune(
  tables: AlertTables,
  subscriptions: readonly Subscription[],
  before: Milliseconds,
  whole: boolean,
): Promise<void> {
  await tables.prune(before, whole);
  await tables.watch.dropMachines(await forgettable(tables));
  // A place that was lost goes on being shown as such, until somebody sees to it.
  const over = subscriptions.filter(
    ({ state, over: since, created }) => (state === "removed" || state === "ended") && (since ?? created) < before,
  );
  await tables.subscriptions.drop(over.map(({ id }) => id));
}

/**
 * A machine goes with its last episode: markets, orders and nodes come and go, and every round reads all machines of
 * its network.
 */
async function forgettable(tables: AlertTables): Promise<Machine[]> {
  const calm = (await tables.watch.machines())
    .map(({ data }) => Machine.parse(JSON.parse(data)))
    .filter(({ phase, flapping }) => phase === "ok" && flapping === undefined);
  const last = (machine: Machine): string => episodeId(machine, machine.number);
  const kept = new Set((await tables.watch.notificationRevisions(calm.map(last))).map(({ id }) => id));
  return calm.filter((machine) => machine.number === 0 || !kept.has(last(machine)));
}

/**
 * Closes what is open on any network but those that are watched: whose data nodes are not configured any more is never
 * looked at again, and nobody would see the end. To be run before the first look of a process.
 */
export async function closeUnwatched(
  parts: AlertDependencies,
  readChoices: ReturnType<typeof subscriptionIndexReader>,
  watched: readonly string[],
): Promise<void> {
  const { store, config, clock, simulated, newId = randomId } = parts;
  const owed = await store.transaction(async ({ alerts: tables }) => {
    const at = nowMillis(clock);
    const open = (await tables.watch.openEpisodes())
      .map(({ data }) => Episode.parse(JSON.parse(data)))
      .filter((episode) => !isDrill(episode) && !watched.includes(episode.network));
    if (open.length === 0) return 0;
    const book = new OutboxBatch();
    const machines = new Map<string, Machine>();
    const closed: Episode[] = [];
    for (const episode of open) {
      const row = await tables.watch.machine(episode);
      if (row !== undefined) machines.set(episode.id, resetMachine(Machine.parse(JSON.parse(row.data))));
      closed.push({ ...episode, state: "gone", ended: timeToText(clock.wallClock()) });
      const { network, id } = episode;
      book.decisions.push({ what: "gone", network, episode: id, detail: `no data node of ${network} is configured` });
    }
    await tables.watch.putMachines([...machines.values()].map(machineRow));
    await tables.watch.putEpisodes(closed.map(episodeRow));
    const choices = await readChoices(tables, at);
    const machine = ({ id }: Episode): Machine | undefined => machines.get(id);
    await planOpen({ tables, index: choices, config, episodes: closed, open: [], machine, simulated, at, newId }, book);
    await writeBatch(tables, book, at, newId, parts.portion);
    return book.deliveries.length;
  });
  if (owed > 0) parts.onOwed?.();
}
