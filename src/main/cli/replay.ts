import { z } from "zod";

import { type AlertsConfig, fittingSettings, requireConsistent } from "../../alerts/alerts-config.ts";
import { parseJson } from "../../alerts/judge/kinds/kind.ts";
import { CONDITION_KINDS } from "../../alerts/judge/kinds/reading.ts";
import { isAlive, parseSubscription, type Subscription } from "../../alerts/route/subscription.ts";
import { isKindReplayed, REPLAYED } from "../../alerts/trial/trial.ts";
import { parseTimeSpan } from "../../bot/options/time-span.ts";
import { loadConfig } from "../../config.ts";
import { DamagedRow, UserError } from "../../errors.ts";
import { silentLog } from "../../log.ts";
import { SETTINGS } from "../../looks/keep.ts";
import type { Look } from "../../looks/look.ts";
import { type LooksRange, readInOrder, readLooks } from "../../looks/read.ts";
import { oneLine } from "../../reply/plain-text.ts";
import { createStore } from "../../store/create-store.ts";
import type { LooksOf } from "../../store/alert-tables/looks.ts";
import type { Store } from "../../store/store.ts";
import { formatDuration, fromMillis, type Milliseconds, type Stretch, toMillis } from "../../units/time.ts";
import { PLATFORM_RECORDS } from "../platforms/list.ts";
import { MARKETS, SOURCES } from "../../watchers/look-history.ts";
import { MarketsState } from "../../watchers/markets/markets.ts";
import { JUDGED_OF_ROUND } from "../../watchers/sources/kept-round.ts";
import { changeOf, Replay, type ReplayedChange, settingsOf } from "../replay.ts";
import { keepHeapSmall } from "../v8-memory.ts";
import { EXIT_CALLER, packageVersion, printed, scriptArguments } from "./cli.ts";

const HELP = `replay: judges what the watchers saw again, as the bot would today, and prints each change of a condition.

  npm run replay -- --network mainnet --from "last night" --to now [--check] [--set lagging.behind=2m]

  --network NAME      the network
  --from, --to TIME   the range, in UTC: 2026-11-01, "2026-11-01 18:00", "last night", 7d (default: 1d to now)
  --check             compare with the decisions that were made then; ends with 1 where one differs. What was
                      decided while no look was kept is listed with that gap, and is no difference
  --set KEY=VALUE     judge by this setting instead, as ALERTS_CONFIG names it; may come several times

It covers the changes of conditions that come from the nodes' answers, from markets, and from checkpoints and snapshots
that are overdue, by the subscriptions of today. It does not say who was told: quiet hours, silences and reminders are
not replayed. Judging begins a day before the range, so that what lasted when it begins is known. Decisions are kept as
long as looks, so older ones cannot be checked.`;

/** Judging begins so long before the range. */
export const RUN_UP: Milliseconds = 86_400_000;

/** Judges kept looks again. */
export async function replay(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(HELP);
    return 0;
  }
  const asked = parsed(args);
  const code = await withStore((store) => replayRange(store, asked));
  await printed();
  return code;
}

/** Reads the configured database, also while a bot holds it. */
export async function withStore(task: (store: Store) => Promise<number>): Promise<number> {
  const { databaseUrl } = loadConfig(PLATFORM_RECORDS);
  const store = createStore({ url: databaseUrl, log: silentLog(), hold: "read" });
  try {
    return await task(store);
  } finally {
    await store.close();
  }
}

/** What replays and traces take. */
export const RANGE_OPTIONS = {
  network: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  set: { type: "string", multiple: true },
} as const;

/** What is kept of a network in a range. */
export type NetworkRange = Omit<LooksRange, "watcher">;

interface Asked extends NetworkRange {
  readonly check: boolean;
  readonly changed: (config: AlertsConfig) => AlertsConfig;
}

function parsed(args: readonly string[]): Asked {
  const { values } = scriptArguments(args, { ...RANGE_OPTIONS, check: { type: "boolean" } }, HELP);
  const { network, check = false, set = [] } = values;
  if (network === undefined) throw new UserError("npm run replay needs --network.", { remedy: HELP });
  return { network, ...rangeOf(values), check, changed: settingsChanger(set) };
}

/** Throws UserError for what is no range. */
export function rangeOf(typed: { readonly from?: string; readonly to?: string }) {
  const from = timeOf(typed.from ?? "1d", "from");
  const to = timeOf(typed.to ?? "now", "to");
  if (from >= to) throw new UserError("--from is not before --to.", { remedy: "Name a range that has a length." });
  return { from, to };
}

function timeOf(typed: string, name: string): Milliseconds {
  const span = parseTimeSpan(typed, fromMillis(Date.now()));
  if (span === undefined) {
    throw new UserError(`--${name} is no time.`, { remedy: 'Write it as 2026-11-01, "2026-11-01 18:00" or 7d.' });
  }
  return toMillis(span.from);
}

const SET = { name: "--set", remedy: "For instance: --set lagging.behind=2m" };

/** Settings with the given ones in place of theirs. Throws UserError for those that ALERTS_CONFIG would refuse. */
export function settingsChanger(given: readonly string[]): (config: AlertsConfig) => AlertsConfig {
  const changes = given.map((one) => {
    const [, group = "", name = "", value = ""] = /^(\w+)\.(\w+)=(.+)$/u.exec(one) ?? [];
    if (group === "") throw new UserError("--set takes KEY=VALUE.", { remedy: SET.remedy });
    const json = /^\d+(?:\.\d+)?$/u.test(value) ? Number(value) : value;
    const all: Readonly<Record<string, object>> = fittingSettings({ [group]: { [name]: json } }, SET);
    return { group, name, value: (all[group] as Readonly<Record<string, unknown>> | undefined)?.[name] };
  });
  return (config) => {
    const changed: Record<string, unknown> = { ...config };
    for (const { group, name, value } of changes) {
      changed[group] = { ...(changed[group] as object | undefined), [name]: value };
    }
    const settings = changed as unknown as AlertsConfig;
    return given.length === 0 ? settings : requireConsistent(settings, SET);
  };
}

async function replayRange(store: Pick<Store, "read">, { network, from, to, check, changed }: Asked): Promise<number> {
  const settings = (await settingsUntil(store, network, to)).map((look) => {
    try {
      return settingsOf(look);
    } catch (thrown) {
      throw thrown instanceof z.ZodError ? lookOfNoShape(network, SETTINGS, look) : thrown;
    }
  });
  const gaps: Stretch[] = [];
  let damaged = 0;
  const onDamaged = (row: DamagedRow): void => {
    damaged += 1;
    sayDamaged(row);
  };
  const replayed: ReplayedChange[] = [];
  const judge = new Replay({
    network,
    settings,
    changed,
    subscriptions: await subscriptionsOf(store, network),
    range: { from, to: Math.min(to, Date.now()) },
    onGap: (gap) => {
      gaps.push(gap);
      if (!check) console.log(gapLine(gap));
    },
  });
  const names = await marketNames(store, network);
  let looks = 0;
  keepHeapSmall();
  const kept = { network, from: from - RUN_UP, to };
  for await (const one of merged(store, kept, onDamaged, JUDGED_OF_ROUND)) {
    const { watcher } = one;
    for (const look of one.looks) {
      const found = readably({ network, watcher, look }, () => judge.see(watcher, look), onDamaged);
      const changes = found.filter(({ at }) => at >= from).map((change) => named(change, names));
      if (toMillis(look.at) >= from) looks += 1;
      replayed.push(...changes);
      if (!check) for (const change of changes) console.log(lineOf(change));
    }
  }
  judge.end();
  const { ofGaps, differences } = check
    ? await differencesOf(store, { network, from, to }, replayed, gaps, names)
    : { ofGaps: new Map<Stretch, readonly string[]>(), differences: [] };
  for (const gap of check ? gaps : []) {
    console.log(gapLine(gap));
    for (const line of ofGaps.get(gap) ?? []) console.log(`  ${line}`);
  }
  const versions = [...new Set(settings.map(({ version }) => version))].filter((one) => one !== packageVersion());
  const unread = damaged === 0 ? "" : `, ${damaged} damaged rows left out`;
  console.log(
    `${looks} looks at ${network}, ${countOf(replayed.length, "change")}, ${countOf(gaps.length, "gap")}${unread}.`,
  );
  if (!check) return 0;
  for (const one of differences) console.log(one);
  if (versions.length > 0) console.log(`Some of these looks were judged by version ${versions.join(" and ")} then.`);
  console.log(differences.length === 0 ? "Equal to what was decided then." : `${differences.length} differences.`);
  return differences.length === 0 || versions.length > 0 ? 0 : EXIT_CALLER;
}

/** What `judge` makes of a look, or nothing where its shape is not known. */
function readably(
  { network, watcher, look }: LooksOf & { readonly look: Look },
  judge: () => readonly ReplayedChange[],
  onDamaged: (row: DamagedRow) => void,
): readonly ReplayedChange[] {
  try {
    return judge();
  } catch (thrown) {
    if (!(thrown instanceof z.ZodError || thrown instanceof SyntaxError)) throw thrown;
    onDamaged(lookOfNoShape(network, watcher, look));
    return [];
  }
}

function lookOfNoShape(network: string, watcher: string, { at }: Look): DamagedRow {
  const why = "its JSON has a shape that this version does not know";
  return new DamagedRow("looks_tail", { network, watcher, at: String(toMillis(at)) }, why);
}

export function gapLine({ from, to }: Stretch): string {
  return `${utc(from)}  no look for ${formatDuration(to - from)}`;
}

/** Says which kept row cannot be read; what is left is judged. */
export function sayDamaged({ message }: DamagedRow): void {
  console.error(`Left out: ${message}.`);
}

export function lineOf({ at, change, rule, subject, name = subject }: ReplayedChange): string {
  // A trace comes from elsewhere: whatever it names stays on its line, and moves no cursor.
  return oneLine(`${utc(at)}  ${change.padEnd(10)}  ${rule}${subject === "" ? "" : ` of ${name}`}`);
}

/** The names of the markets as they were listed last, by id. */
async function marketNames(store: Pick<Store, "read">, network: string): Promise<Map<string, string>> {
  const row = await store.read(({ alerts }) => alerts.watch.snapshot(network, MARKETS));
  const { data } = MarketsState.safeParse(parseJson(row?.data ?? ""));
  const markets = Object.entries(data?.markets ?? {});
  return new Map(markets.flatMap(([id, { label }]) => (label === undefined ? [] : [[id, label] as const])));
}

/** With the name of its market, where a look says it, or the list. */
function named(change: ReplayedChange, names: Map<string, string>): ReplayedChange {
  const { subject, name = names.get(subject) } = change;
  if (name === undefined) return change;
  names.set(subject, name);
  return { ...change, name };
}

/** `1 gap`, `2 gaps`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function utc(at: Milliseconds): string {
  return new Date(at).toISOString();
}

/** The looks of the settings that held until then, oldest first. Throws UserError where there is none. */
export async function settingsUntil(
  store: Pick<Store, "read">,
  network: string,
  to: Milliseconds,
): Promise<readonly Look[]> {
  const settings = await Array.fromAsync(readLooks(store, { network, watcher: SETTINGS, from: 0, to }));
  if (settings.length > 0) return settings;
  throw new UserError(`No looks at ${network} are kept from before that time.`, {
    remedy: "Name a network that is watched, and a time since LOOKS_KEEP is set.",
  });
}

/** Those of today. */
export async function subscriptionsOf(store: Pick<Store, "read">, network: string): Promise<readonly Subscription[]> {
  const rows = await store.read(({ alerts }) => alerts.subscriptions.list());
  return rows.map(parseSubscription).filter((one) => isAlive(one) && one.network === network);
}

/** The looks of all watchers that are judged again, by the wall clock; of rounds, the members of those names are not read. */
export function merged(
  store: Pick<Store, "read">,
  range: NetworkRange,
  onDamaged: (row: DamagedRow) => void,
  without: readonly string[] = [],
) {
  const watchers = REPLAYED.map((watcher) => ({ watcher, without: watcher === SOURCES ? without : [] }));
  return readInOrder(store, range, watchers, onDamaged);
}

/**
 * What was decided then and is not now, and the reverse, a line each. What was decided while no look was kept could not be
 * decided again, nor what followed from it until both decide alike: those lines are told with their gap.
 */
async function differencesOf(
  store: Pick<Store, "read">,
  { network, from, to }: NetworkRange,
  replayed: readonly ReplayedChange[],
  gaps: readonly Stretch[],
  names: Map<string, string>,
) {
  const decided = await store.read(({ alerts }) => alerts.log.ofEpisodes(network, from, to));
  const then = decided
    .flatMap((one) => changeOf(one, network, one.at) ?? [])
    .filter(isReplayed)
    .map((one) => named(one, names));
  const now = replayed.filter(isReplayed);
  const [was, is] = [countAlike(then), countAlike(now)];
  const ofGaps = new Map<Stretch, string[]>();
  const differences: string[] = [];
  /** Of a condition and its subject, the gap in which the two went different ways. */
  const since = new Map<string, Stretch>();
  const seen = new Set<string>();
  for (const one of [...then, ...now].toSorted((a, b) => a.at - b.at)) {
    const key = keyOf(one);
    if (seen.has(key)) continue;
    seen.add(key);
    const of = `${one.rule}|${one.subject}`;
    const [before, after] = [was.get(key) ?? 0, is.get(key) ?? 0];
    const within = gaps.find((gap) => gap.from < one.at && one.at < gap.to);
    if (before === after) {
      since.delete(of);
      continue;
    }
    if (within !== undefined) since.set(of, within);
    const gap = since.get(of);
    const said = `${lineOf(one)}  ${before > after ? "was decided then, not now" : "is decided now, was not then"}`;
    if (gap === undefined) differences.push(said);
    else ofGaps.set(gap, [...(ofGaps.get(gap) ?? []), said]);
  }
  return { ofGaps, differences };
}

function countAlike(changes: readonly ReplayedChange[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of changes) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

/** Alike for one change, however its market is named. */
function keyOf({ at, change, rule, subject }: ReplayedChange): string {
  return [at, change, rule, subject].join("|");
}

/** Whether the condition comes from a watcher whose looks are judged again. */
function isReplayed({ rule }: ReplayedChange): boolean {
  const kind = CONDITION_KINDS.find((one) => one === rule.split("{")[0]);
  return kind !== undefined && isKindReplayed(kind);
}
