import { parseArgs } from "node:util";

import { type AlertsConfig, fittingSettings, requireConsistent } from "../../alerts/alerts-config.ts";
import { KINDS } from "../../alerts/judge/kinds/kinds.ts";
import { isAlive, parseSubscription, type Subscription } from "../../alerts/route/subscription.ts";
import { parseTimeSpan } from "../../bot/options/time-span.ts";
import { loadConfig } from "../../config.ts";
import { UserError } from "../../errors.ts";
import { silentLog } from "../../log.ts";
import { SETTINGS } from "../../looks/keep.ts";
import type { Look } from "../../looks/look.ts";
import { readLooks } from "../../looks/read.ts";
import { createStore } from "../../store/create-store.ts";
import type { Store } from "../../store/store.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis, toMillis } from "../../units/nanoseconds.ts";
import { PLATFORM_RECORDS } from "../platforms/list.ts";
import { changeOf, Replay, type ReplayedChange, REPLAYED, settingsOf } from "../replay.ts";
import { EXIT_CALLER, packageVersion } from "./cli.ts";

const HELP = `replay: judges what the watchers saw again, as the bot would today, and prints each change of a condition.

  npm run replay -- --network mainnet --from "last night" --to now [--check] [--set lagging.behind=2m]

  --network NAME      the network
  --from, --to TIME   the range, in UTC: 2026-11-01, "2026-11-01 18:00", "last night", 7d (default: 1d to now)
  --check             compare with the decisions that were made then; ends with 1 where one differs
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
  const { databaseUrl } = loadConfig(PLATFORM_RECORDS);
  const store = createStore({ url: databaseUrl, log: silentLog(), hold: "read" });
  try {
    return await replayRange(store, asked);
  } finally {
    await store.close();
  }
}

interface Asked {
  readonly network: string;
  readonly from: Milliseconds;
  readonly to: Milliseconds;
  readonly check: boolean;
  readonly changed: (config: AlertsConfig) => AlertsConfig;
}

function parsed(args: readonly string[]): Asked {
  const { values } = argumentsOf(args);
  const { network, check = false, set = [] } = values;
  if (network === undefined) throw new UserError("npm run replay needs --network.", { remedy: HELP });
  const from = timeOf(values.from ?? "1d", "from");
  const to = timeOf(values.to ?? "now", "to");
  if (from >= to) throw new UserError("--from is not before --to.", { remedy: "Name a range that has a length." });
  return { network, from, to, check, changed: settingsChanger(set) };
}

function argumentsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        network: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        check: { type: "boolean" },
        set: { type: "string", multiple: true },
      },
    });
  } catch (thrown) {
    throw new UserError("npm run replay does not know such an argument.", { remedy: HELP, cause: thrown });
  }
}

export function timeOf(typed: string, name: string): Milliseconds {
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
  const settings = (await settingsUntil(store, network, to)).map(settingsOf);
  const gaps: string[] = [];
  const replayed: ReplayedChange[] = [];
  const judge = new Replay({
    network,
    settings,
    changed,
    subscriptions: await subscriptionsOf(store, network),
    onGap: (gap) => {
      if (gap.to > from) gaps.push(`${utc(gap.from)}  no look for ${formatDuration(gap.to - gap.from)}`);
    },
  });
  let looks = 0;
  for await (const { watcher, look } of merged(store, { network, from: from - RUN_UP, to })) {
    const changes = judge.see(watcher, look).filter(({ at }) => at >= from);
    if (toMillis(look.at) >= from) looks += 1;
    replayed.push(...changes);
    if (!check) for (const one of changes) console.log(lineOf(one));
  }
  for (const gap of gaps) console.log(gap);
  const versions = [...new Set(settings.map(({ version }) => version))].filter((one) => one !== packageVersion());
  console.log(`${looks} looks at ${network}, ${replayed.length} changes, ${gaps.length} gaps.`);
  if (!check) return 0;
  const differences = await differencesOf(store, { network, from, to }, replayed);
  for (const one of differences) console.log(one);
  if (versions.length > 0) console.log(`Some of these looks were judged by version ${versions.join(" and ")} then.`);
  console.log(differences.length === 0 ? "Equal to what was decided then." : `${differences.length} differences.`);
  return differences.length === 0 || versions.length > 0 ? 0 : EXIT_CALLER;
}

export function lineOf({ at, change, rule, subject }: ReplayedChange): string {
  return `${utc(at)}  ${change.padEnd(10)}  ${rule}${subject === "" ? "" : ` of ${subject}`}`;
}

export function utc(at: Milliseconds): string {
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

/** The looks of all watchers that are judged again, by the wall clock. */
export async function* merged(
  store: Pick<Store, "read">,
  range: { readonly network: string; readonly from: Milliseconds; readonly to: Milliseconds },
): AsyncGenerator<{ readonly watcher: (typeof REPLAYED)[number]; readonly look: Look }> {
  const all = REPLAYED.map((watcher) => ({ watcher, looks: readLooks(store, { ...range, watcher }) }));
  const next = await Promise.all(all.map(async (one) => ({ ...one, found: await one.looks.next() })));
  for (;;) {
    const open = next.filter(({ found }) => found.done !== true);
    const [first] = open.toSorted((a, b) => (timeOfNext(a) < timeOfNext(b) ? -1 : 1));
    if (first === undefined || first.found.done === true) return;
    yield { watcher: first.watcher, look: first.found.value };
    first.found = await first.looks.next();
  }
}

function timeOfNext({ found }: { readonly found: IteratorResult<Look, unknown> }): bigint {
  return found.done === true ? 0n : found.value.at;
}

/** What was decided then and is not now, and the reverse, a line each. */
async function differencesOf(
  store: Pick<Store, "read">,
  { network, from, to }: { readonly network: string; readonly from: Milliseconds; readonly to: Milliseconds },
  replayed: readonly ReplayedChange[],
): Promise<readonly string[]> {
  const decided = await store.read(({ alerts }) => alerts.log.ofEpisodes(network, from, to));
  const then = decided.flatMap((one) => changeOf(one, network, one.at) ?? []).filter(isReplayed);
  const [was, is] = [countLines(then), countLines(replayed.filter(isReplayed))];
  const lines = [...new Set([...was.keys(), ...is.keys()])].toSorted();
  return lines.flatMap((line) => {
    const [before, now] = [was.get(line) ?? 0, is.get(line) ?? 0];
    return before === now
      ? []
      : [`${line}  ${before > now ? "was decided then, not now" : "is decided now, was not then"}`];
  });
}

function countLines(changes: readonly ReplayedChange[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of changes) counts.set(lineOf(one), (counts.get(lineOf(one)) ?? 0) + 1);
  return counts;
}

/** Whether the condition comes from a watcher whose looks are judged again. */
function isReplayed({ rule }: ReplayedChange): boolean {
  const kind = rule.split("{")[0] ?? "";
  const record = Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS] : undefined;
  return record?.watchers.some((watcher) => REPLAYED.some((one) => one === watcher)) === true;
}
