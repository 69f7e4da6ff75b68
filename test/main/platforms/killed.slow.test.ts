import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { restartedNotice } from "../../../src/adapters/chat/notices.ts";
import { silentLog } from "../../../src/log.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { createSandbox, type Sandbox } from "../../support/bellwether.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { labelsOf as labelsOnDiscord, textOf as textOnDiscord } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { labelsOf as labelsOnSlack, textOf as textOnSlack } from "../../support/fake-slack/person.ts";
import { startOnBoth } from "../../support/on-both-platforms.ts";
import { rememberedIn } from "../../support/open-answers.ts";
import { postgresMissing, scratchPostgres } from "../../support/postgres.ts";
import { ASSET, PARTY } from "../../export/ledger-csv.ts";

// Whoever waits for an answer when the process is killed: on both platforms, with real processes.

const SETTINGS = { SECRET_KEY: Buffer.alloc(32, 7).toString("base64"), DATABASE_URL: "file:./killed.db" };
const CLOSED = plainText(restartedNotice({ kind: "code", text: "x" }, undefined, false).title);

let sandbox: Sandbox;
let discord: FakeDiscord;
let slack: FakeSlack;
let simulator: Simulator;
let node: { hangs: RegExp | undefined; readonly url: string; close(): void };
beforeEach(async () => {
  sandbox = createSandbox();
  discord = await FakeDiscord.start();
  slack = await FakeSlack.start();
  simulator = await startSimulator({ log: silentLog() });
  node = await startNode(simulator.networks.mainnet[0]!.url);
});
afterEach(async () => {
  await sandbox.cleanUp();
  node.close();
  await Promise.all([discord.stop(), slack.stop(), simulator.close()]);
});

/** All requests but that for the time. */
const ALL = /^(?!.*\/network\/time)/u;

/** A data node before another one, which leaves some requests unanswered. */
async function startNode(behind: string): Promise<typeof node> {
  const server = createServer((request, response) => {
    if (made.hangs?.test(request.url ?? "") === true) return;
    fetch(new URL(request.url ?? "", behind))
      .then(async (answer) => {
        const type = answer.headers.get("content-type") ?? "";
        response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()));
        return undefined;
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const made: typeof node = {
    hangs: ALL,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return made;
}

const start = (settings: Readonly<Record<string, string>> = SETTINGS) =>
  startOnBoth(sandbox, { discord, slack, nodeUrl: node.url, settings });

/** How many answers are remembered in the file. */
const remembered = (): number => rememberedIn(path.join(sandbox.folder, "killed.db")).length;

test("after 2 s: the next start closes each answer once, and its button asks again", { timeout: 120_000 }, async () => {
  const first = await start();
  const [ada, bob] = [discord.person("ada"), slack.person("bob")];
  const onDiscord = ada.start(discord.channel(), "market list");
  const exported = ada.start(discord.channel(), "ledger export", { party: PARTY, asset: ASSET, from: "7d" });
  const onSlack = bob.type(slack.channel(), "market list");
  await until(() => remembered() === 3 && onSlack.uses === 1, "the answers to be remembered", 20_000);
  await first.kill("SIGKILL");
  expect(remembered()).toBe(3);

  node.hangs = undefined;
  await start();
  await until(() => remembered() === 0, "the answers to be closed", 20_000);
  for (const { last } of [onDiscord, exported]) {
    expect(textOnDiscord(last)).toContain(CLOSED);
    expect(labelsOnDiscord(last)).toEqual(["Ask again"]);
  }
  expect(textOnSlack(onSlack.last)).toContain(CLOSED);
  expect(labelsOnSlack(onSlack.last.blocks)).toEqual(["Ask again"]);
  expect([onDiscord, exported, onSlack].map(({ messages }) => messages.length)).toEqual([1, 1, 1]);

  const again = await ada.press(onDiscord.last, "Ask again");
  await until(() => textOnDiscord(again.last).includes("markets"), "the answer on Discord", 20_000);
  expect(again.last.id).toBe(onDiscord.last.id);
  await bob.press(onSlack.last, "Ask again");
  await until(() => textOnSlack(onSlack.last).includes("markets"), "the answer on Slack", 20_000);
  expect([...discord.complaints(), ...slack.complaints()]).toEqual([]);
});

test("of an export the progress is closed, and a direct message tells of its end", { timeout: 120_000 }, async () => {
  node.hangs = /ledgerentry\/export/u;
  const first = await start();
  const ada = discord.person("ada");
  const { partyId } = simulator.samples.mainnet;
  const asked = { party: partyId, asset: "USDT", from: "7d" };
  const dialog = ada.start(discord.channel(), "ledger export", asked);
  await until(() => dialog.messages.length === 1 && !dialog.last.thinking, "its progress", 20_000);
  await until(() => remembered() === 1, "the answer to be remembered");
  await first.kill("SIGKILL");
  await start();
  await until(() => textOnDiscord(dialog.last).includes(CLOSED), "the answer to be closed", 20_000);
  const direct = () =>
    [...discord.state.channels.values()].flatMap((one) => (one.recipient === ada.id ? ada.sees(one.id) : []));
  await until(() => direct().length === 1, "the direct message", 20_000);
  expect(labelsOnDiscord(direct()[0]!)).toEqual(["Run it again"]);
  expect(dialog.messages).toHaveLength(1);
});

test("before 2 s: nothing is remembered, and nothing is closed", { timeout: 120_000 }, async () => {
  const first = await start();
  const onDiscord = discord.person("ada").start(discord.channel(), "market list");
  await until(() => onDiscord.messages.length === 1, "the acknowledgement");
  await first.kill("SIGKILL");
  expect(remembered()).toBe(0);
  await start();
  await sleep(3000);
  expect(onDiscord.last.thinking).toBe(true);
});

test("without SECRET_KEY nothing is remembered", { timeout: 120_000 }, async () => {
  const { DATABASE_URL } = SETTINGS;
  await start({ DATABASE_URL });
  const onDiscord = discord.person("ada").start(discord.channel(), "market list");
  await until(() => onDiscord.messages.length === 1, "the acknowledgement");
  await sleep(3000);
  expect(remembered()).toBe(0);
});

describe.skipIf(postgresMissing !== undefined)(`on PostgreSQL ${postgresMissing ?? ""}`, () => {
  test("a process closes what another one left, and not before that is dead", { timeout: 120_000 }, async () => {
    const database = await scratchPostgres();
    try {
      const settings = { ...SETTINGS, DATABASE_URL: database.url };
      const first = await start(settings);
      const onDiscord = discord.person("ada").start(discord.channel(), "market list");
      await until(() => onDiscord.messages.length === 1, "the acknowledgement");
      await sleep(3000);
      node.hangs = undefined;
      await start(settings);
      await sleep(3000);
      expect(onDiscord.last.thinking).toBe(true);
      await first.kill("SIGKILL");
      await until(() => textOnDiscord(onDiscord.last).includes(CLOSED), "the end", 20_000);
      expect(onDiscord.messages).toHaveLength(1);
    } finally {
      await sandbox.cleanUp();
      await database.drop();
    }
  });
});
