import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { ruleFor } from "../src/alerts/judge/rules/rules.ts";
import { otherThresholds } from "../src/alerts/trial/advice.ts";
import { createTrials } from "../src/main/alerting/trials.ts";
import { freePort } from "../test/support/free-port.ts";
import { alertStage, checkpoint } from "./support/alert-stage.ts";
import { CONFIG, hoursOfLooks, keepHours, planOfThree, SOURCES } from "./support/days-of-three.ts";
import { scratchFolder } from "./support/export-once.ts";
import { alternate, atLeast, atMost, type Measured, median, runAsScript, versionOf } from "./support/figure.ts";
import { openChannels, openSenders } from "./support/open-senders.ts";

// One event to many channels, half of them on Slack and half on Discord, over HTTP to platforms without limits in
// another process; beside Debian's prometheus-alertmanager with as many Slack and Discord webhook receivers, by turns.
// Ours stores a receipt of each on disk; Alertmanager stores none. Then single messages while four trials of a month run
// in the process, by turns with none.

const CHANNELS = 10_000;
const ROUNDS = 3;
const TOOL = "prometheus-alertmanager";
const NAME = `alerts: deliveries over HTTP beside ${TOOL}`;
/** Trials run at a time, over so many days; so many messages are sent meanwhile in each round, and as many without. */
const [TRIALS, DAYS, MESSAGES, TRIAL_ROUNDS] = [4, 8, 40, 5];

interface Arrived {
  readonly firstAt: number;
  readonly lastAt: number;
}

async function measure(): Promise<readonly Measured[]> {
  const platforms = fork(new URL("support/open-platforms.ts", import.meta.url));
  try {
    const [{ origin }] = (await once(platforms, "message")) as [{ origin: string }];
    return [...(await besideTool(origin, platforms)), ...(await besideTrials(origin, platforms))];
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

async function besideTrials(origin: string, platforms: ChildProcess): Promise<readonly Measured[]> {
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
  let [block, ended] = [0, 0];
  const take = async (trials: number) => {
    const stop = new AbortController();
    const running = Array.from({ length: trials }, async (_, asker) => {
      for (; !stop.signal.aborted; ended += 1) await trial(request, String(asker), stop.signal).catch(() => undefined);
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
    return { loop: delay.percentile(99) / 1e6, waits };
  };
  const rounds: Record<"alone" | "beside", Awaited<ReturnType<typeof take>>[]> = { alone: [], beside: [] };
  for (let round = 0; round <= TRIAL_ROUNDS; round += 1) {
    const [alone, beside] = [await take(0), await take(TRIALS)];
    if (round === 0) continue;
    rounds.alone.push(alone);
    rounds.beside.push(beside);
  }
  close();
  const [alone, beside] = [rounds.alone, rounds.beside].map((all) => ({
    loop: median(all.map(({ loop }) => loop)),
    wait: median(all.flatMap(({ waits }) => waits)),
    worst: Math.max(...all.flatMap(({ waits }) => waits)),
  }));
  if (alone === undefined || beside === undefined) throw new Error("nothing was measured");
  const how = `medians of ${TRIAL_ROUNDS} rounds of ${MESSAGES} messages, ${ended} trials of ${DAYS} days`;
  const loops = `${how}: ${beside.loop.toFixed(1)} ms, idle ${alone.loop.toFixed(1)} ms`;
  const waits = `${how}: ${beside.wait.toFixed(1)} ms, worst ${beside.worst.toFixed(0)} ms; idle ${alone.wait.toFixed(1)} ms, worst ${alone.worst.toFixed(0)} ms`;
  return [
    atMost(`event loop beside ${TRIALS} trials, 99 %`, beside.loop - alone.loop, 20, "ms above idle", loops),
    atMost(`alerts: first message beside ${TRIALS} trials`, beside.wait - alone.wait, 20, "ms later", waits),
  ];
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
