import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis, type Nanoseconds } from "../units/nanoseconds.ts";
import type { SubscriptionIndex, subscriptionIndexReader } from "./choices.ts";
import { nowMillis, randomId, type AlertDependencies } from "./engine-parts.ts";
import { evaluationInputs } from "./circumstances.ts";
import { Episode, episodeId, Machine } from "./episode.ts";
import { timeToText } from "./json-units.ts";
import { endFlapping, resetMachine } from "./machine.ts";
import { EvaluationCache, type Evaluation } from "./looked-through.ts";
import { planOpen } from "./owe-open.ts";
import { OutboxBatch } from "./owed.ts";
import { ParsedRowCache } from "./parsed-rows.ts";
import { episodeRow, machineKey, machineRow } from "./record-round.ts";
import { prune } from "./prune.ts";
import { releaseHeld } from "./release-held.ts";
import { NotificationState } from "./telling.ts";
import { writeBatch } from "./write-owed.ts";

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
