import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis, type Nanoseconds } from "../units/nanoseconds.ts";
import type { Choices, choicesReader } from "./choices.ts";
import { nowMillis, randomId, type AlertParts } from "./engine-parts.ts";
import { Episode, episodeId, isOpen, Machine } from "./episode.ts";
import { timeToText } from "./json-units.ts";
import { calmAfterFlapping, calmed } from "./machine.ts";
import { oweOpen } from "./owe-open.ts";
import { OwedBook } from "./owed.ts";
import { episodeRow, machineKey, machineRow } from "./record-round.ts";
import { prune } from "./prune.ts";
import { releaseHeld } from "./release-held.ts";
import { Telling } from "./telling.ts";
import { writeOwed } from "./write-owed.ts";

/** How long what is settled is kept: decisions, deliveries, receipts, closed episodes. */
export const RETENTION: Milliseconds = 30 * 86_400_000;
/** What is owed to many is spread by the dispatcher within a second or two. */
const SPREAD_WITHIN: Milliseconds = 10_000;
const PRUNE_EVERY: Milliseconds = 3_600_000;

/**
 * What time alone brings about, for all networks: a silence or quiet hours that end, an inhibitor that is gone, a new
 * subscription to what is open already, reminders, the end of flapping, episodes that nobody watches any more. To be
 * run about once a second, and at once after a choice was changed.
 */
export function upkeepOf(parts: AlertParts, readChoices: ReturnType<typeof choicesReader>): () => Promise<void> {
  const { store, config, clock, simulated, newId = randomId } = parts;
  let prunedAt = -Infinity;

  return async () => {
    const at = nowMillis(clock);
    const isPruneDue = at - prunedAt >= PRUNE_EVERY;
    const owed = await store.transaction(async ({ alerts: tables }) => {
      // What is being spread is looked at once it is whole; only where nobody spreads it, it is done here.
      const since = await tables.parcels.since();
      if (since !== undefined && at - since < SPREAD_WITHIN) return undefined;
      const choices = await readChoices(tables, at);
      const open = (await tables.watch.openEpisodes()).map((row) => Episode.parse(JSON.parse(row.data)));
      const networks = new Set([
        ...open.map(({ network }) => network),
        ...choices.subscriptions.map((one) => one.network),
      ]);
      const machines = new Map<string, Machine>();
      for (const network of networks) {
        for (const row of await tables.watch.machines(network)) {
          machines.set(`${network}|${machineKey(row.rule, row.subject)}`, Machine.parse(JSON.parse(row.data)));
        }
      }
      const book = new OwedBook();
      const keyOf = ({ network, rule, subject }: Pick<Machine, "network" | "rule" | "subject">): string =>
        `${network}|${machineKey(rule, subject)}`;
      const put = async (machine: Machine): Promise<void> => {
        machines.set(keyOf(machine), machine);
        await tables.watch.putMachines([machineRow(machine)]);
      };
      const withdrawn = withdraw(open, choices, at);
      for (const episode of withdrawn) {
        const machine = machines.get(keyOf(episode));
        if (machine !== undefined) await put(calmed(machine));
        const about = { network: episode.network, episode: episode.id };
        book.decisions.push({ what: "withdrawn", ...about, detail: "nobody is subscribed to it any more" });
      }
      await tables.watch.putEpisodes(withdrawn.map(episodeRow));
      for (const machine of [...machines.values()].filter(({ flapping }) => flapping !== undefined)) {
        const calm = calmAfterFlapping(machine, await lastLook(tables, machine, at), config);
        if (calm === undefined) continue;
        await put(calm);
        await tellCalm(parts, tables, machine, at, book);
      }
      const gone = new Map(withdrawn.map((episode) => [episode.id, episode]));
      const episodes = open.map((episode) => gone.get(episode.id) ?? episode);
      await oweOpen(
        {
          tables,
          choices,
          config,
          episodes,
          open: episodes.filter(isOpen),
          machine: (episode) => machines.get(keyOf(episode)),
          simulated,
          at,
          newId,
        },
        book,
      );
      await releaseHeld(tables, choices, at, newId, book);
      await writeOwed(tables, book, at, newId, parts.portion);
      if (isPruneDue) await prune(tables, machines.values(), choices.subscriptions, at - RETENTION);
      return book.deliveries.length;
    });
    if (owed === undefined) return;
    if (isPruneDue) prunedAt = at;
    if (owed > 0) parts.onOwed?.();
  };
}

/** Open episodes of rules that nobody takes part in any more: their end would never be seen. */
function withdraw(open: readonly Episode[], choices: Choices, at: Milliseconds): Episode[] {
  return open
    .filter((episode) => !choices.rules(episode.kind, episode).some((rule) => rule.id === episode.rule))
    .map((episode) => ({ ...episode, state: "withdrawn", ended: timeToText(fromMillis(at)) }));
}

/** Calm is what was seen to be calm: nobody knows what has been since the last look. */
async function lastLook(tables: AlertTables, { network, watcher }: Machine, at: Milliseconds): Promise<Nanoseconds> {
  const look = watcher === undefined ? undefined : await tables.watch.snapshot(network, watcher);
  return fromMillis(Math.min(at, look?.at ?? at));
}

/** Tells those who were told of the flapping that it is over. */
async function tellCalm(
  parts: AlertParts,
  tables: AlertTables,
  machine: Machine,
  at: Milliseconds,
  book: OwedBook,
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
    episodes: machine.number - flapping.before,
    since: flapping.since,
    open: machine.phase === "firing" || machine.phase === "recovering",
    at: timeToText(fromMillis(at)),
  } as const;
  for (const row of await tables.watch.tellings([began])) {
    const telling = Telling.parse(JSON.parse(row.data));
    if (telling.flapping !== true) continue;
    book.deliveries.push({ id: newId(), destination: telling.destination, phase: "calm", message, episode: began });
  }
}
