import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inflateRawSync } from "node:zlib";

import { parse as parseCsv } from "csv-parse/sync";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { silentLog } from "../../../src/log.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { askWeb, createSandbox, startOn, type Connected, type Sandbox } from "../../support/bellwether.ts";
import { FakeDiscord, type Misbehaviour } from "../../support/fake-discord/fake-discord.ts";
import { labelsOf, textOf, type Person } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";

// The process that `npm start` runs, a network and a Discord each in a process of their own or beside the test.

let sandbox: Sandbox;
let fake: FakeDiscord;
let simulator: Simulator;
let ada: Person;
let channel: string;
let running: Connected;

async function start(): Promise<void> {
  running = await startOn("discord", sandbox, {
    DISCORD_TOKEN: fake.state.token,
    DISCORD_API_URL: fake.apiUrl,
    MAINNET_URLS: simulator.networks.mainnet.map((node) => node.url).join(","),
  });
  await until(() => fake.state.commands.size > 0, "the commands' registration", 20_000);
}

beforeEach(async () => {
  sandbox = createSandbox();
  [fake, simulator] = await Promise.all([FakeDiscord.start(), startSimulator({ log: silentLog() })]);
  ada = fake.person("ada");
  channel = fake.channel();
  await start();
});
afterEach(async () => {
  await sandbox.cleanUp();
  await Promise.all([fake.stop(), simulator.close()]);
  const complaints = fake.complaints();
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
});

test("an export comes as a CSV, larger compressed, larger still as ranges that fit, and those do fit", async () => {
  const { heavyPartyId: party, assetSymbol: asset } = simulator.samples.mainnet;
  const ask = (options: Record<string, string>, maxBytes = 10 * 1024 * 1024): ReturnType<Person["start"]> =>
    ada.start({ channel, maxBytes }, "ledger export", { party, asset, ...options });
  const within = 120_000;

  const small = ask({ from: "1h" });
  await until(() => small.messages.some((one) => one.files.length > 0), "the small file", within);
  const [csv] = small.last.files;
  expect([csv?.name.endsWith(".csv"), csv?.type.startsWith("text/csv")]).toEqual([true, true]);
  expect(parseCsv(csv?.bytes ?? "", { columns: true }).length).toBeGreaterThan(0);
  await ada.press(small.last, "Details");
  expect(textOf(small.last)).toContain(
    createHash("sha256")
      .update(csv?.bytes ?? "")
      .digest("hex"),
  );

  const large = ask({ from: "4d" });
  await until(() => large.messages.some((one) => one.files.length > 0), "the archive", within);
  const [zip] = large.last.files;
  const unzipped = inflateRawSync((zip?.bytes ?? Buffer.alloc(0)).subarray(30 + (zip?.bytes.readUInt16LE(26) ?? 0)));
  expect([zip?.name.endsWith(".csv.zip"), unzipped.length > 10 * 1024 * 1024]).toEqual([true, true]);

  const tooLarge = ask({ from: "4d" }, 20_000);
  await until(() => tooLarge.messages.some((one) => textOf(one).includes("too large")), "the sentence", within);
  const ranges = [...textOf(tooLarge.last).matchAll(/from:"?(\d{4}-\S+ [\d:]{8})"? to:"?(\d{4}-\S+ [\d:]{8})/gu)];
  expect(ranges.length).toBeGreaterThan(1);
  const [, from = "", to = ""] = ranges[0] ?? [];
  const part = ask({ from, to }, 20_000);
  await until(() => part.messages.some((one) => one.files.length > 0), "the part", within);
}, 400_000);

/** One stretch of time in which Discord answers nothing but this; gives how many requests met it. */
function dead(millis: number, answer: Misbehaviour): () => number {
  const ends = performance.now() + millis;
  let met = 0;
  fake.misbehave = ({ path }) => {
    if (performance.now() >= ends || path.endsWith("/callback") || path.startsWith("/gateway")) return undefined;
    met += 1;
    return answer;
  };
  return () => met;
}
const limit = (global: boolean): Misbehaviour => ({
  status: 429,
  headers: { "retry-after": "2", ...(global ? { "x-ratelimit-global": "true" } : { "x-ratelimit-scope": "user" }) },
  body: { message: "You are being rate limited.", retry_after: 2, global },
});

describe("with Discord's REST interface dead for a while, what was asked is answered once it is back", () => {
  test.each<[string, number, Misbehaviour]>([
    ["a 500", 6000, { status: 500 }],
    ["a 502 without a word", 6000, { status: 502, body: "" }],
    ["no answer", 6000, "hang-before"],
    ["cut connections", 6000, "cut-before"],
    ["cut connections after it took effect", 3000, "cut-after"],
    ["a limit of one route", 3000, limit(false)],
    ["the limit of the whole bot", 3000, limit(true)],
  ])("%s", async (_what, millis, answer) => {
    // An answer that comes at once needs no other request than its callback.
    simulator.faults.set({ kind: "slow", network: "mainnet", millis: 1000 });
    const met = dead(millis, answer);
    // A deletion that took effect shows at its retry.
    fake.expected.add(10_008);
    const dialogs = ["time", "market list", "checkpoints", "info"].map((command) => ada.start(channel, command));
    const mistake = ada.start(channel, "order", { id: "ab".repeat(32) });
    expect((await askWeb(running.url, "time")).status).toBe(200);
    const answered = (): boolean =>
      dialogs.every((one) => one.messages.some((message) => !message.thinking)) &&
      mistake.messages.some((one) => one.onlyFor === ada.id && !one.thinking);
    await until(answered, "the answers", 60_000);
    expect(met()).toBeGreaterThan(0);
    expect(dialogs.map((one) => one.messages.length)).toEqual([1, 1, 1, 1]);
    expect((await running.health()).ok).toBe(true);
  });
});

test("a process that is killed in the middle of an answer leaves nothing behind that hinders the next one", async () => {
  const { heavyPartyId: party, assetSymbol: asset } = simulator.samples.mainnet;
  const asked = await ada.run(channel, "checkpoints", { first: 5 });
  const export_ = ada.start(channel, "ledger export", { party, asset, from: "4d" });
  await until(() => export_.interaction.acknowledged, "the deferral");
  await running.kill("SIGKILL");
  await start();
  const next = await ada.press(asked.last, labelsOf(asked.last).find((label) => /older/iu.test(label)) ?? "");
  expect(next.last.id).toBe(asked.last.id);
  const again = ada.start(channel, "ledger export", { party, asset, from: "1h" });
  await until(() => again.messages.some((one) => one.files.length > 0), "the export", 60_000);
});

test("events that nobody asked for, of 200 servers, are nothing to it", async () => {
  for (let index = 0; index < 200; index += 1) {
    const guild = { id: `8000000000000${index}`, name: "x".repeat(100), members: [], channels: [], large: true };
    fake.gateway.dispatch("GUILD_CREATE", guild);
    for (const type of ["MESSAGE_CREATE", "TYPING_START", "PRESENCE_UPDATE", "GUILD_DELETE", "EVENT_OF_TOMORROW"]) {
      fake.gateway.dispatch(type, { id: "1", guild_id: guild.id, content: "/time", data: null });
    }
  }
  expect(textOf((await ada.run(channel, "time")).last)).toMatch(/time/iu);
});

test("everything at its largest fits: the longest lists, pages to their end and back", async () => {
  const listed = await ada.run(channel, "checkpoints", { first: 50 });
  let message = listed.last;
  for (let page = 0; page < 3; page += 1) {
    const older = labelsOf(message).find((label) => /older/iu.test(label));
    if (older === undefined) break;
    message = (await ada.press(message, older)).last;
  }
  expect(message.id).toBe(listed.last.id);
  for (const command of ["market list", "snapshots", "rotations", "stake", "help", "info"]) {
    expect(textOf((await ada.run(channel, command)).last).length).toBeGreaterThan(10);
  }
});

test("without a token of its own, nothing of Discord is loaded", async () => {
  const hook = path.join(sandbox.folder, "count.cjs");
  await writeFile(
    hook,
    'process.on("exit", () => console.log("loaded", Object.keys(require.cache).filter((file) => /node_modules.(discord\\.js|@discordjs)./.test(file)).length));',
  );
  const loaded = async (env: Record<string, string>): Promise<number> => {
    const one = sandbox.run(["start"], { ALLOW_SIMULATOR: "1", NODE_OPTIONS: `--require ${hook}`, ...env });
    await one.printed(/Bellwether runs/u);
    await until(() => env["DISCORD_TOKEN"] === undefined || fake.gateway.connections > 1, "the connection", 20_000);
    const { stdout } = await one.kill("SIGTERM");
    return Number(/^loaded (\d+)$/mu.exec(stdout)?.[1]);
  };
  expect(await loaded({ DATABASE_URL: "file:./other.db" })).toBe(0);
  const token = { DISCORD_TOKEN: fake.state.token, DISCORD_API_URL: fake.apiUrl };
  expect(await loaded({ DATABASE_URL: "file:./third.db", ...token })).toBeGreaterThan(100);
});

test("a refused token is said on /readyz, in the metrics and in the log; the console goes on", async () => {
  fake.expected.add(0);
  fake.state.token = "another";
  fake.gateway.close(4004, { forget: true });
  while ((await running.health()).ok) await sleep(50);
  expect(await running.health()).toEqual({ ok: false, why: expect.stringContaining("set DISCORD_TOKEN") });
  expect(await metrics()).toMatch(/^bellwether_platform_up\{platform="discord",state="failed"\} 0$/mu);
  expect((await askWeb(running.url, "time")).status).toBe(200);
  const { stdout, stderr } = await running.kill("SIGTERM");
  expect(`${stdout}${stderr}`).toMatch(/"platform":"discord".*DISCORD_TOKEN/u);
});

test("so is a Discord that is gone; it heals without a restart, and goes on with the session of before", async () => {
  fake.offline = true;
  fake.gateway.refuse = true;
  fake.gateway.cut();
  while ((await running.health()).ok) await sleep(50);
  expect(await running.health()).toEqual({ ok: false, why: expect.stringContaining("1006") });
  expect(await metrics()).toMatch(/^bellwether_platform_up\{platform="discord",state="down"\} 0$/mu);
  expect((await askWeb(running.url, "time")).status).toBe(200);
  fake.offline = false;
  fake.gateway.refuse = false;
  while (!(await running.health()).ok) await sleep(50);
  expect(fake.gateway.seen).toMatchObject({ identify: 1, resume: 1 });
  expect(textOf((await ada.run(channel, "time")).last)).toMatch(/time/iu);
  expect(await metrics()).toMatch(/^bellwether_platform_up\{platform="discord",state="up"\} 1$/mu);
  const { stdout, stderr } = await running.kill("SIGTERM");
  expect(`${stdout}${stderr}`).toMatch(/"platform":"discord".*gateway closed[\s\S]*gateway session resumed/u);
});

async function metrics(): Promise<string> {
  return (await fetch(new URL("/metrics", running.url))).text();
}
