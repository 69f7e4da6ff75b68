import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { ruleFor } from "../src/alerts/judge/rules/rules.ts";
import { otherThresholds } from "../src/alerts/trial/advice.ts";
import { createPictures } from "../src/chart/png.ts";
import { silentLog } from "../src/log.ts";
import { createTrials } from "../src/main/alerting/trials.ts";
import { SCENES } from "../test/chart/scenes.ts";
import { freePort } from "../test/support/free-port.ts";
import { alertStage, checkpoint } from "./support/alert-stage.ts";
import { CONFIG, hoursOfLooks, keepHours, planOfThree, SOURCES } from "./support/days-of-three.ts";
import { scratchFolder } from "./support/export-once.ts";
import { alternate, atLeast, atMost, type Measured, median, runAsScript, versionOf } from "./support/figure.ts";
import { openChannels, openSenders } from "./support/open-senders.ts";

// One event to many channels, half of them on Slack and half on Discord, over HTTP to platforms without limits in
// another process; beside Debian's prometheus-alertmanager with as many Slack and Discord webhook receivers, by turns.
// Ours stores a receipt of each on disk; Alertmanager stores none. Then single messages while four trials run in the
// process, or fifty pictures wait to be drawn, by turns with nothing beside them.

const CHANNELS = 10_000;
const ROUNDS = 3;
const TOOL = "prometheus-alertmanager";
const NAME = `alerts: deliveries over HTTP beside ${TOOL}`;
/** Trials run at a time, over so many days; and pictures wait at a time. */
const [TRIALS, DAYS, PICTURES] = [4, 8, 50];
/** So many messages are sent beside them in each round, and as many without. */
const [MESSAGES, BESIDE_ROUNDS] = [40, 5];

interface Arrived {
  readonly firstAt: number;
  readonly lastAt: number;
}

async function measure(): Promise<readonly Measured[]> {
  const platforms = fork(new URL("support/open-platforms.ts", import.meta.url));
  try {
    const [{ origin }] = (await once(platforms, "message")) as [{ origin: string }];
    return [...(await besideTool(origin, platforms)), ...(await besideOthers(origin, platforms))];
  } finally {
    platforms.kill();
  }
}

async function besideTool(origin: string, platforms: ChildProcess): Promise<readonly Measured[]> {
  const version = versionOf(TOOL);
  await using ours = await openOurs(origin, platforms);
  if (version === undefined) {
    const alone = await ours.take();
    const detail = `ours alone ${alone.toFixed(0)} a second`;
    return [{ name: NAME, skipped: `${TOOL} is not installed (apt-get install ${TOOL}); ${detail}` }];
  }
  await using theirs = await openAlertmanager(origin, platforms);
  const result = await alternate(
    ROUNDS,
    () => ours.take(),
    () => theirs.take(),
  );
  const detail = [
    `${CHANNELS} channels each, medians of ${ROUNDS}: ours ${result.ours.toFixed(0)} a second with receipts on disk,`,
    `${version.split(" (")[0]} ${result.theirs.toFixed(0)} a second without`,
  ].join(" ");
  return [atLeast(NAME, result.ours / result.theirs, 0.2, "times as many", detail)];
}

async function besideOthers(origin: string, platforms: ChildProcess): Promise<readonly Measured[]> {
  const { senders, close } = openSenders(origin);
  const destinations = openChannels(1);
  await using stage = await alertStage({ senders, destinations, kinds: ["checkpoint.new"], events: "each" });
  await stage.observe([]);
  await keepHours(stage.store, hoursOfLooks(Array.from({ length: DAYS }, (_, day) => planOfThree(day))));
  const trial = createTrials(stage.store, CONFIG);
  const near = { behind: 3000, for: 0 };
  const given = [near, ...otherThresholds(ruleFor("node.lagging", near, CONFIG).parameters, near)];
  const tried = given.map((one) => ({ rules: [ruleFor("node.lagging", { ...near, ...one }, CONFIG)], subjects: [] }));
  const request = { network: SOURCES.network, from: 0, to: Number.MAX_SAFE_INTEGER, tried };
  const pictures = createPictures({ log: silentLog() });
  const [scene] = Object.values(SCENES);
  if (scene === undefined) throw new Error("there is no picture to draw");
  let block = 0;
  /** The work is begun so many times, and each time anew once it is done. */
  const take = async (count: number, work: (asker: string, signal: AbortSignal) => Promise<unknown>) => {
    const stop = new AbortController();
    let ended = 0;
    const running = Array.from({ length: count }, async (_, asker) => {
      for (; !stop.signal.aborted; ended += 1) await work(String(asker), stop.signal).catch(() => undefined);
    });
    await sleep(1000);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const waits: number[] = [];
    while (waits.length < MESSAGES) {
      const settled = stage.settled(1);
      const arrived = once(platforms, "message") as Promise<[Arrived]>;
      platforms.send(1);
      await sleep(50);
      const began = performance.timeOrigin + performance.now();
      await stage.observe([], [checkpoint((block += 1))]);
      const [{ firstAt }] = await arrived;
      waits.push(firstAt - began);
      await settled;
    }
    delay.disable();
    stop.abort();
    await Promise.all(running);
    return { loop: delay.percentile(99) / 1e6, waits, ended };
  };
  const compare = async (name: string, count: number, work: Parameters<typeof take>[1]) => {
    const rounds: Record<"alone" | "beside", Awaited<ReturnType<typeof take>>[]> = { alone: [], beside: [] };
    for (let round = 0; round <= BESIDE_ROUNDS; round += 1) {
      const [alone, beside] = [await take(0, work), await take(count, work)];
      if (round === 0) continue;
      rounds.alone.push(alone);
      rounds.beside.push(beside);
    }
    const [alone, beside] = [summary(rounds.alone), summary(rounds.beside)];
    const how = `${BESIDE_ROUNDS} rounds of ${MESSAGES} messages, ${beside.ended} ${name}`;
    return { alone, beside, detail: `${how}: ${wordsOf(beside)}; idle ${wordsOf(alone)}` };
  };
  const trials = await compare(`trials of ${DAYS} days`, TRIALS, (asker, signal) => trial(request, asker, signal));
  const drawn = await compare("pictures", PICTURES, () => pictures.draw(scene, ""));
  await pictures.close();
  close();
  const later = (one: typeof trials, of: "p50" | "p99") => one.beside[of] - one.alone[of];
  const above = trials.beside.loop - trials.alone.loop;
  return [
    atMost(`event loop beside ${TRIALS} trials, 99 %`, above, 20, "ms above idle", trials.detail),
    atMost(`alerts: first message beside ${TRIALS} trials`, later(trials, "p50"), 20, "ms later", trials.detail),
    atMost(`alerts: first message beside ${PICTURES} pictures`, later(drawn, "p50"), 1, "ms later", drawn.detail),
    atMost(`the same, 99 %`, later(drawn, "p99"), 5, "ms later", drawn.detail),
  ];
}

interface Summary extends Record<"loop" | "p50" | "p99" | "ended", number> {}

function summary(
  rounds: readonly { readonly loop: number; readonly waits: readonly number[]; readonly ended: number }[],
): Summary {
  const waits = rounds.flatMap((one) => one.waits).toSorted((a, b) => a - b);
  return {
    loop: median(rounds.map(({ loop }) => loop)),
    p50: median(waits),
    p99: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN,
    ended: rounds.reduce((sum, { ended }) => sum + ended, 0),
  };
}

function wordsOf({ loop, p50, p99 }: Summary): string {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, event loop ${loop.toFixed(1)} ms`;
}

/** Deliveries a second, from the event to the last of them. */
async function perSecond(platforms: ChildProcess, send: () => Promise<unknown>): Promise<number> {
  const arrived = once(platforms, "message") as Promise<[Arrived]>;
  platforms.send(CHANNELS);
  await sleep(200);
  const began = performance.timeOrigin + performance.now();
  await send();
  const [{ lastAt }] = await arrived;
  return CHANNELS / ((lastAt - began) / 1000);
}

async function openOurs(
  origin: string,
  platforms: ChildProcess,
): Promise<AsyncDisposable & { take(): Promise<number> }> {
  const { senders, close } = openSenders(origin);
  const destinations = openChannels(CHANNELS);
  const stage = await alertStage({ senders, destinations, kinds: ["checkpoint.new"], events: "each" });
  await stage.observe([]);
  let block = 100;
  return {
    take: async () => {
      const settled = stage.settled(CHANNELS);
      const rate = await perSecond(platforms, () => stage.observe([], [checkpoint((block += 1))]));
      await settled;
      return rate;
    },
    async [Symbol.asyncDispose]() {
      close();
      await stage[Symbol.asyncDispose]();
    },
  };
}

async function openAlertmanager(
  origin: string,
  platforms: ChildProcess,
): Promise<AsyncDisposable & { take(): Promise<number> }> {
  const folder = await scratchFolder();
  const port = await freePort();
  const file = `${folder.path}/alertmanager.yml`;
  writeFileSync(file, configuration(origin));
  const flags = ["--cluster.listen-address=", "--log.level=error", `--storage.path=${folder.path}/data`];
  const child = spawn(TOOL, [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, ...flags], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`${TOOL} ended with exit code ${child.exitCode}`);
    await sleep(50);
  }
  let number = 0;
  return {
    take: () =>
      perSecond(platforms, async () => {
        const labels = { alertname: `checkpoint${(number += 1)}`, network: "mainnet" };
        const annotations = { summary: `New checkpoint on mainnet at block ${number}`, hash: `h${number}` };
        const response = await fetch(`${url}/api/v2/alerts`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify([{ labels, annotations }]),
        });
        if (!response.ok) throw new Error(`${TOOL} answered ${response.status}`);
      }),
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Every receiver gets every alert, at once. */
function configuration(origin: string): string {
  const names = Array.from({ length: CHANNELS }, (_, index) => `r${index}`);
  const routes = names.map((name) => `    - {receiver: ${name}, continue: true}`);
  const receivers = names.map((name, index) =>
    index % 2 === 0
      ? `  - {name: ${name}, discord_configs: [{webhook_url: "${origin}/discord-webhook/${name}", send_resolved: false}]}`
      : `  - {name: ${name}, slack_configs: [{api_url: "${origin}/slack-webhook/${name}", channel: "#${name}", send_resolved: false}]}`,
  );
  return [
    "route:",
    "  receiver: r0",
    "  group_by: [alertname]",
    "  group_wait: 0s",
    "  group_interval: 1h",
    "  repeat_interval: 24h",
    "  routes:",
    ...routes,
    "receivers:",
    ...receivers,
    "",
  ].join("\n");
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

await runAsScript(import.meta.url, measure);
