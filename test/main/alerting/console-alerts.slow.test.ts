import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, expect, it } from "vitest";

import { askWeb, createSandbox, type Sandbox } from "../../support/bellwether.ts";
import { saying } from "../../support/said.ts";

// The long form of console-alerts.test.ts: a real process, and another one on its database.

const QUICK = { poll: { time: "100ms", checkpoints: "1h", rest: "1h" } };

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
  writeFileSync(path.join(sandbox.folder, "alerts.json"), JSON.stringify(QUICK));
});
afterEach(() => sandbox.cleanUp());

/** Starts it and waits until it has looked at a network. */
async function started() {
  const running = sandbox.run(["start"], { ALERTS_CONFIG: "alerts.json" });
  const [, url = ""] = await running.printed(/^Bellwether runs: (http:\S+)/mu);
  const say = async (text: string): Promise<string> => JSON.stringify((await askWeb(url, text)).body);
  const watched = async (): Promise<boolean> => {
    const response = await fetch(new URL("/api/watch", url));
    const { networks } = (await response.json()) as { networks: { network: string; verdict?: unknown }[] };
    return networks.some(({ network, verdict }) => network === "mainnet" && verdict !== undefined);
  };
  while (!(await watched())) await sleep(20);
  return { running, say };
}

it("subscribes the console once: who removes that is left alone", async () => {
  const first = await started();
  expect(await first.say("alerts list")).toContain("console-testnet");
  expect(await first.say("alerts drill")).toMatch(saying("1 of 1"));
  await first.say("alerts remove console-testnet");
  await first.running.kill("SIGTERM");
  const second = await started();
  const list = await second.say("alerts list");
  expect(list).toContain("console-mainnet");
  expect(list).not.toContain("console-testnet");
  await second.running.kill("SIGTERM");
});
