import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "../test/support/free-port.ts";
import { alertStage, checkpoint } from "./support/alert-stage.ts";
import { scratchFolder } from "./support/export-once.ts";
import { alternate, atLeast, type Measured, runAsScript, versionOf } from "./support/figure.ts";
import { openChannels, openSenders } from "./support/open-senders.ts";

// One event to many channels, half of them on Slack and half on Discord, over HTTP to platforms without limits in
// another process; beside Debian's prometheus-alertmanager with as many Slack and Discord webhook receivers, by turns.
// Ours stores a receipt of each on disk; Alertmanager stores none.

const CHANNELS = 10_000;
const ROUNDS = 3;
const TOOL = "prometheus-alertmanager";
const NAME = `alerts: deliveries over HTTP beside ${TOOL}`;

interface Arrived {
  readonly firstAt: number;
  readonly lastAt: number;
}

async function measure(): Promise<readonly Measured[]> {
  const version = versionOf(TOOL);
  const platforms = fork(new URL("support/open-platforms.ts", import.meta.url));
  try {
    const [{ origin }] = (await once(platforms, "message")) as [{ origin: string }];
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
  } finally {
    platforms.kill();
  }
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
