import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { createAlertEngine } from "../src/alerts/engine/engine.ts";
import { systemClock } from "../src/api/clock.ts";
import { silentLog } from "../src/log.ts";
import { SETTINGS } from "../src/looks/keep.ts";
import { type Look, lookToText } from "../src/looks/look.ts";
import { readLooks } from "../src/looks/read.ts";
import { createPast } from "../src/main/past.ts";
import { createStore } from "../src/store/create-store.ts";
import { toMillis } from "../src/units/time.ts";
import { SourcesState } from "../src/watchers/sources/sources-state.ts";
import { looksAtMarkets, MARKETS_EVERY } from "./looks/fifty-markets.ts";
import { CONFIG, hoursOf, hoursOfLooks, keepHours, planOfThree, POLL, SOURCES } from "./support/days-of-three.ts";
import { scratchFolder } from "./support/export-once.ts";
import { atMost, type Measured, median, runAsScript } from "./support/figure.ts";
import { observationOf, SourcesJudge } from "./verdicts/engine.ts";
import { DAY } from "./verdicts/plan.ts";
import { World } from "./verdicts/world.ts";

// What kept looks cost: a network of three nodes that are polled every 5 s, over the days of `verdicts` one after the
// other (`--days=N` is shorter than a month), and fifty markets.

const DAYS = Number(process.argv.find((argument) => /^--days=\d+$/u.test(argument))?.slice(7) ?? 30);
const OBSERVATIONS = 20_000;

async function measure(): Promise<readonly Measured[]> {
  await using folder = await scratchFolder();
  const file = `${folder.path}/looks.db`;
  const store = createStore({ url: `file:${file}`, log: silentLog() });
  await store.claim();
  await store.ping();
  const empty = sizeOf(file);
  let hours = 0;
  const texts: string[] = [];
  const plans = Array.from({ length: DAYS }, (_, day) => planOfThree(day));
  const counted = function* (): Generator<readonly Look[]> {
    for (const looks of hoursOfLooks(plans)) {
      if (texts.length < OBSERVATIONS) texts.push(...looks.map(lookToText));
      hours += 1;
      yield looks;
    }
  };
  const count = await keepHours(store, counted());
  const grown = sizeOf(file) - empty;
  const atMarkets = await keepHours(store, hoursOf(looksAtMarkets()), { ...SOURCES, watcher: "markets" });
  const yearOfMarkets = ((sizeOf(file) - empty - grown) / atMarkets) * ((365 * DAY) / MARKETS_EVERY / 1e6);
  const detail = `${DAYS} days of three nodes, ${count} looks in ${hours} chunks`;
  const all = { ...SOURCES, from: 0, to: Number.MAX_SAFE_INTEGER };

  const past = createPast(store);
  const readings: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    let [values, last] = [0, 0];
    for await (const part of past(all, new AbortController().signal)) {
      const lag = part.facts("facts", "node.lagging", "node-2:3008", "behindMillis");
      for (let look = 0; look < part.size; look += 1) {
        if (Number.isNaN(lag.near(look))) continue;
        last = Math.max(last, part.from(look));
        values += 1;
      }
    }
    if (values < count / 2 || last === 0) throw new Error(`only ${values} values were read`);
    readings.push(cpuSince(before));
  }

  const first = await readLooks(store, all).next();
  const from = new Date(toMillis((first.value as Look).at)).toISOString();
  const settings = { version: "1", nodes: ["a", "b", "c"], config: CONFIG };
  const at = (first.value as Look).at;
  const kept = lookToText({ run: "", dueMillis: 0, every: 0, at, seen: JSON.parse(JSON.stringify(settings)) });
  await store.transaction(({ alerts }) =>
    alerts.watch.putSnapshot(SOURCES.network, SETTINGS, toMillis(at), "{}", kept),
  );
  await store.close();
  // Of the last day there is no look. This one also fills the cache of compiled code, as an installation does.
  const idle = await replayOnce(file, ["--network", SOURCES.network]);
  const replayed = await replayOnce(file, ["--network", SOURCES.network, "--from", from]);

  const packed = await packHours(folder.path, texts);
  const { without, kept: timed } = await timeObservations(folder.path, texts.slice(0, OBSERVATIONS));
  const year = ((grown / count) * (365 * DAY)) / POLL / 1e6;
  const more = ["p50", "p99"]
    .map((name, index) => `${name} ${ms(without[index])} and ${ms(timed[index])} ms`)
    .join(", ");
  const slower = (timed[0] ?? 0) - (without[0] ?? 0);
  return [
    atMost("looks: bytes a look", grown / count, 40, "bytes", `growth of the file after vacuum; ${detail}`),
    atMost("looks: a year of a network", year, 260, "MB", detail),
    atMost("looks: a year of 50 markets", yearOfMarkets, 150, "MB", `${atMarkets} looks, one a minute; most trade`),
    atMost(
      "looks: packing an hour holds the event loop",
      packed.longest,
      10,
      "ms of CPU",
      `the longest of ${packed.hours} hours, in a process of its own`,
    ),
    atMost("looks: one fact of one node", median(readings), 150, "ms of CPU", `median of 5; ${detail}`),
    atMost("looks: replay", replayed.cpu / 1000, 50, "s of CPU", `${replayed.changes}; ${detail}`),
    atMost(
      "looks: memory of the replay",
      replayed.memory,
      150,
      "MB",
      `at most; ${Math.round(idle.memory)} MB before the first look`,
    ),
    atMost("looks: an observation later", slower, 0.3, "ms", `without and with its look: ${more}`),
    atMost("looks: an observation longer", (100 * slower) / (without[0] ?? 1), 5, "%", `p50 of ${OBSERVATIONS}`),
  ];
}

/** A replay in a process of its own, which starts as that of an operator does. */
async function replayOnce(file: string, args: readonly string[]) {
  // The launcher takes the bundle for this name alone, as npm calls it.
  const call = [
    "--import",
    import.meta.resolve("./support/usage-at-exit.mjs"),
    fileURLToPath(import.meta.resolve("../bin/run.mjs")),
    "src/main.ts",
    "replay",
    ...args,
  ];
  const env = { ...process.env, DATABASE_URL: `file:${file}` };
  const { stdout } = await promisify(execFile)(process.execPath, call, { env, maxBuffer: 1e9 });
  const lines = stdout.trim().split("\n");
  const took = JSON.parse(lines.at(-1) ?? "") as { readonly cpu: number; readonly memory: number };
  return { ...took, changes: lines.at(-2) ?? "" };
}

/** What packing costs, in a process of its own. */
async function packHours(folder: string, texts: readonly string[]) {
  const file = `${folder}/looks.jsonl`;
  await writeFile(file, texts.join("\n"));
  const call = [fileURLToPath(import.meta.resolve("./looks/pack-hours.ts")), `${folder}/packed.db`, file];
  const { stdout } = await promisify(execFile)(process.execPath, call);
  return JSON.parse(stdout) as { readonly longest: number; readonly hours: number };
}

function ms(value = Number.NaN): string {
  return value.toFixed(3);
}

function cpuSince(before: NodeJS.CpuUsage): number {
  return millisOf(process.cpuUsage(before));
}

function millisOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

function sizeOf(file: string): number {
  using database = new DatabaseSync(file);
  database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  return statSync(file).size;
}

/** The median and the 99th percentile of an observation without its look, and with it, by turns in batches. */
async function timeObservations(
  folder: string,
  texts: readonly string[],
): Promise<{ readonly without: readonly number[]; readonly kept: readonly number[] }> {
  const log = silentLog();
  const sides = [undefined, "kept"].map((name) => {
    const store = createStore({ url: `file:${folder}/observed-${name ?? "without"}.db`, log });
    const dependencies = { store, config: CONFIG, clock: systemClock, log, simulated: new Set<string>() };
    return { keeps: name !== undefined, store, engine: createAlertEngine(dependencies), took: [] as number[] };
  });
  const plan = planOfThree(0);
  const judge = new SourcesJudge(CONFIG);
  let index = 0;
  for (const round of new World({ ...plan, length: 2 * DAY }).rounds()) {
    const look = texts[index];
    if (look === undefined) break;
    const { state, readings } = judge.judge(round);
    const observation = { ...observationOf(round, readings, POLL), snapshot: SourcesState.encode(state) };
    for (const { keeps, engine, took } of index % 2 === 0 ? sides : sides.toReversed()) {
      const began = performance.now();
      await engine.processObservation(keeps ? { ...observation, look } : observation);
      took.push(performance.now() - began);
    }
    index += 1;
  }
  await Promise.all(sides.map(({ store }) => store.close()));
  const [without = [], kept = []] = sides.map(({ took }) => {
    const sorted = took.slice(500).toSorted((a, b) => a - b);
    return [0.5, 0.99].map((part) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
  });
  return { without, kept };
}

await runAsScript(import.meta.url, measure);
