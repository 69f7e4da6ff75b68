import { globSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";

import { networkPicture } from "../src/answers/charts/network-chart.ts";
import { createPictures } from "../src/chart/png.ts";
import { ThinLine } from "../src/chart/thin.ts";
import { silentLog } from "../src/log.ts";
import { createPast } from "../src/main/past.ts";
import { collectGarbageOnce, limitYoungGeneration } from "../src/main/v8-memory.ts";
import type { Scene } from "../src/reply/chart.ts";
import { SCENES } from "../test/chart/scenes.ts";
import { CONFIG, SOURCES, storeOfDays } from "./support/days-of-three.ts";
import { scratchFolder } from "./support/export-once.ts";
import { atMost, type Measured, median, runAsScript } from "./support/figure.ts";
import { asker, startTimeNode } from "./support/time-asker.ts";
import { DAY } from "./verdicts/plan.ts";

// What pictures cost: a month of three nodes is read and drawn, then the same picture many times. `--days=N` is shorter
// than a month. Only where /proc is there.

const DAYS = Number(process.argv.find((argument) => /^--days=\d+$/u.test(argument))?.slice(7) ?? 30);
const READINGS = 5;
const WATCHED = 200;
const MANY = 1000;
const IDLE_MILLIS = 3000;
const PACE_MILLIS = 45;
/** A minute, and some. */
const MINUTE_MILLIS = 62_000;
const MEGABYTE = 1e6;

async function measure(): Promise<readonly Measured[]> {
  // As the bot does.
  limitYoungGeneration();
  collectGarbageOnce();
  const price = priceScene();
  const memory = await memoryOf(price);
  await using folder = await scratchFolder();
  const { store, count } = await storeOfDays(`${folder.path}/looks.db`, DAYS);
  const { oldest = 0 } = await store.read(({ looks }) => looks.stored());
  const past = createPast(store);
  const nodes = ["node-1:3008", "node-2:3008", "node-3:3008"].map((name) => ({ name }));
  const { network } = SOURCES;
  const context = { network, past, signal: new AbortController().signal, api: { nodes }, alerts: { config: CONFIG } };
  const span = { from: oldest - 3_600_000, to: oldest + DAYS * DAY, zone: "UTC" };
  const seconds: number[] = [];
  let scene: Scene | undefined;
  const held = await turnsWhile(async () => {
    for (let round = 0; round < READINGS; round += 1) {
      const before = process.cpuUsage();
      scene = (await networkPicture(context, span))?.scene;
      const { user, system } = process.cpuUsage(before);
      seconds.push((user + system) / 1e6);
    }
  });
  await store.close();
  if (scene === undefined) throw new Error("nothing was kept");
  const month = `${DAYS} days of three nodes, ${count} looks`;
  return [
    atMost("pictures: a month is read", median(seconds), 3, "s of CPU", month),
    atMost(
      "pictures: the p99 of how long that holds the rest up",
      part(held, 0.99),
      10,
      "ms of CPU",
      `${held.length} turns of the event loop`,
    ),
    ...memory,
    ...(await drawn("a price", price)),
    ...(await drawn("a network", scene)),
  ];
}

/**
 * What the process and its child hold of many pictures. Idle is the most that the process holds in the second half of as
 * long a time of its ordinary work alone: answers without pictures, at the pace at which it draws. Each picture comes with
 * such an answer, as those of the bot do; and a minute of answers follows.
 */
async function memoryOf(scene: Scene): Promise<readonly Measured[]> {
  const node = await startTimeNode();
  await using ask = asker(node.url, false);
  const { draw, close } = createPictures({ log: silentLog() });
  /** The most that is resident after each answer and what is done beside it, from the `from`th on. */
  const mostWhile = async (count: number, beside: () => Promise<unknown>, from = 0) => {
    let [own, child] = [0, 0];
    for (let at = 0; at < count; at += 1) {
      await ask.time();
      await beside();
      if (at < from) continue;
      own = Math.max(own, process.memoryUsage.rss());
      child = Math.max(child, memoryOfChild());
    }
    return { own, child };
  };
  const atPace = () => sleep(PACE_MILLIS);
  const idle = await mostWhile(MANY, atPace, MANY / 2);
  const drawing = await mostWhile(MANY, () => draw(scene, ""));
  await mostWhile(MINUTE_MILLIS / PACE_MILLIS, atPace);
  const [left, ownLeft] = [memoryOfChild(), process.memoryUsage.rss()];
  await close();
  node.stop();
  const more = (own: number): number => (own - idle.own) / MEGABYTE;
  const detail = `resident; ${(idle.own / MEGABYTE).toFixed(0)} MB after ${MANY} answers without pictures`;
  const after = `resident; the bot ${more(ownLeft).toFixed(1)} MB more`;
  return [
    atMost(`pictures: the bot's memory while ${MANY} are drawn`, more(drawing.own), 15, "MB more", detail),
    atMost("pictures: the most memory of the process that draws", drawing.child / MEGABYTE, 130, "MB", "resident"),
    atMost("pictures: what that process holds a minute later", left / MEGABYTE, 0, "MB", after),
  ];
}

/** Pictures one after the other. */
async function drawn(name: string, scene: Scene): Promise<readonly Measured[]> {
  const { draw, close } = createPictures({ log: silentLog() });
  await draw(scene, "");
  const [idle] = await heldWhile(() => sleep(IDLE_MILLIS));
  const [cpu, wall]: [number[], number[]] = [[], []];
  const [held] = await heldWhile(async () => {
    for (let at = 0; at < WATCHED; at += 1) {
      const [start, before] = [performance.now(), cpuOfChild()];
      const picture = await draw(scene, "");
      if ("failed" in picture) throw new Error(picture.failed);
      cpu.push(cpuOfChild() - before);
      wall.push(performance.now() - start);
    }
  });
  await close();
  const walls = `wall p50 ${part(wall, 0.5).toFixed(0)}, p95 ${part(wall, 0.95).toFixed(0)}`;
  const times = `${WATCHED} of them: p50 ${part(cpu, 0.5).toFixed(0)}; ${walls}`;
  const loop = `pictures: the event loop's p99 while ${WATCHED} of ${name} are drawn, above idle`;
  return [
    atMost(`pictures: one of ${name}, p95`, part(cpu, 0.95), 60, "ms of CPU", times),
    atMost(loop, held - idle, 10, "ms", `idle ${idle.toFixed(1)}`),
  ];
}

/** A price and its bound, looked at once a minute in a month, with auctions. */
function priceScene(): Scene {
  const span = { from: 0, to: 30 * DAY };
  const lines = ["mark price", "nearest bound"].map((name, index) => {
    const line = new ThinLine(span);
    for (let at = 0; at < span.to; at += 60_000) {
      line.add(at, 100_000 + 8000 * Math.sin(at / DAY) + 900 * Math.sin(at / 7e5) + 5000 * index, at + 60_000);
    }
    return { name, runs: line.runs() };
  });
  return { ...SCENES["market"]!, ...span, lines };
}

function part(values: readonly number[], of: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * of)] ?? Number.NaN;
}

/** The milliseconds of CPU in each turn of the event loop while something is done: other load distorts them less. */
async function turnsWhile(work: () => Promise<void>): Promise<readonly number[]> {
  const turns: number[] = [];
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const before = process.cpuUsage();
      await setImmediate();
      const { user, system } = process.cpuUsage(before);
      turns.push((user + system) / 1000);
    }
  })();
  await work();
  over.abort();
  await watching;
  return turns;
}

/** The event loop's p99 in milliseconds while something is done. */
async function heldWhile<T>(work: () => Promise<T>): Promise<readonly [p99: number, result: T]> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const result = await work();
  delay.disable();
  return [delay.percentile(99) / 1e6, result];
}

function child(): string | undefined {
  return globSync(`/proc/${process.pid}/task/*/children`)
    .flatMap((file) => readFileSync(file, "utf8").trim().split(" "))
    .find((pid) => pid !== "" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("png-child"));
}

/** In milliseconds, of all its threads. */
function cpuOfChild(): number {
  const said = globSync(`/proc/${child()}/task/*/schedstat`).map((file) => readFileSync(file, "utf8"));
  return said.reduce((sum, one) => sum + Number(one.split(" ")[0]), 0) / 1e6;
}

function memoryOfChild(): number {
  const pid = child();
  const status = pid === undefined ? "" : readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1024;
}

await runAsScript(import.meta.url, measure);
