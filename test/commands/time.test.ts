import { expect, onTestFinished, test } from "vitest";

import { judgeSources } from "../../src/api/verdict/judge-sources.ts";
import { DEFAULT_THRESHOLDS, type Verdict } from "../../src/api/verdict/verdict.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { fromMillis, toMillis } from "../../src/units/time.ts";
import { stalled } from "../alerts/readings.ts";
import { loopbackNode, NO_ROUTE, type StubResponse } from "../support/loopback-node.ts";
import { linesOf, saying } from "../support/said.ts";
import { NOON, talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

const MINUTE = 60_000;
const ago = (millis: number): typeof NOON => fromMillis(toMillis(NOON) - millis);

test("time shows the network's time, its age, the block, and one line per node", async () => {
  const { ask, askFor } = await talkToSimulator({ nodes: 3 });
  const screen = await ask("time");
  expect(screen).toMatch(saying("✓", "mainnet", /\d+/u));
  expect(screen).toMatch(saying("2026-01-15", /11:59:5\d/u, "UTC"));
  for (const node of ["sim-1", "sim-2", "sim-3"]) expect(screen).toMatch(new RegExp(`${node} +ok `, "u"));
  expect(await askFor("time")).not.toHaveProperty("failure");
});

test("time names the node that lags and the one that is down", async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "lag", seconds: 300, network: "mainnet", node: 2, from: ago(10 * MINUTE) });
  simulator.faults.set({ kind: "die", network: "mainnet", node: 3 });
  const screen = await ask("time");
  expect(screen).toMatch(saying("!", "mainnet", /\d+/u, 2, 3));
  expect(screen).toMatch(/sim-2 +lagging +(4 min 5\d s|5 min)/u);
  expect(screen).toMatch(saying("sim-3"));
});

/** A conversation beside watchers: what they saw, every five seconds between two moments before now. */
async function talkWatched(thresholds = { ...DEFAULT_THRESHOLDS, motionMillis: 10_000, stalledMillis: 10_000 }) {
  let watched: Verdict | undefined;
  const conversation = await talkToSimulator({ verdict: () => watched });
  const present = performance.now();
  /** One node, which went on until its time was so old, then stood still. */
  const see = (fromAgo: number, untilAgo: number, age: number): void => {
    for (let millisAgo = fromAgo; millisAgo >= untilAgo; millisAgo -= 5000) {
      const old = Math.max(age, millisAgo + 1000);
      const witness = { node: "sim-1", reachable: true, time: ago(old), height: BigInt(1_000_000 - old) };
      const round = { witnesses: [witness], atMillis: present - millisAgo, wallClock: ago(millisAgo) };
      watched = judgeSources(round, watched?.memory, thresholds);
    }
  };
  return Object.assign(conversation, { see });
}

test("a stall that the watchers observed counts more than one request", async () => {
  const { ask, simulator, advance, see } = await talkWatched();
  simulator.faults.set({ kind: "stall", network: "mainnet", from: ago(21_000) });
  const alone = await ask("time");
  expect(alone).toMatch(saying("✓", "mainnet"));
  expect(alone.replaceAll(/\s+/gu, " ")).toMatch(/^✓/u);
  // Its frontier is not behind what a node now says, and has not moved for 20 s.
  see(43_000, 8000, 21_000);
  const screen = await ask("time");
  expect(screen).not.toContain("one look");
  expect(screen).toMatch(saying("!", "mainnet", /\d\d/u, /\d+/u));
  expect(await ask("time")).toMatch(saying("!", "mainnet", /\d\d/u, /\d+/u));
  // The network has gone on since the watchers' observation.
  simulator.faults.clear();
  advance(5000);
  expect(await ask("time")).toMatch(saying("✓", "mainnet"));
});

test("where the alert has fired already, by thresholds of its own, that is said instead", async () => {
  const { ask, askFor, press, simulator, see, engine, advance } = await talkWatched();
  simulator.faults.set({ kind: "stall", network: "mainnet", from: ago(21_000) });
  see(43_000, 8000, 21_000);
  const observe = async (state: "good" | "bad", millisAgo: number) =>
    engine.processObservation({
      network: "mainnet",
      watcher: { name: "sources", every: 5000 },
      snapshot: {},
      readings: [stalled(state)],
      events: [],
      at: ago(millisAgo),
      dueMillis: -millisAgo,
    });
  for (let millisAgo = 60_000; millisAgo >= 0; millisAgo -= 5000)
    await observe(millisAgo === 60_000 ? "good" : "bad", millisAgo);
  const screen = (await ask("time")).replaceAll(/\s+/gu, " ");
  // As grave as its alert, and as long: the alert's warning is no problem of another name here.
  expect(screen).toMatch(/^! mainnet has stood still for 55 s /u);
  expect(screen).toMatch(saying("alert has fired, and nobody has taken it"));
  expect(screen.match(/\d+ s\b/gu)).toHaveLength(1);
  expect(linesOf(await askFor("time")).slice(0, 2)).toEqual([
    'alerts ack episode:"network.stalled mainnet 1"',
    "alerts status network:mainnet",
  ]);
  await press(/^alerts ack/u);
  expect(await ask("time")).toMatch(saying("alert has fired, and", "has taken it"));
  expect(linesOf(await askFor("time"))[0]).toBe("alerts status network:mainnet");
  expect(screen).not.toContain("becomes an alert");
  // Once it is over, that is news for half an hour.
  simulator.faults.clear();
  for (let later = 5000; later <= 60_000; later += 5000) await observe("good", -later);
  advance(60_000);
  expect(await ask("time")).toMatch(saying("✓", "mainnet stood still for", "until", "The halt"));
  advance(30 * MINUTE);
  expect(await ask("time")).not.toContain("stood still");
});

test("a network that the watchers have seen stand for long enough stands still, though it was never asked before", async () => {
  const { ask, simulator, see } = await talkWatched();
  simulator.faults.set({ kind: "stall", network: "mainnet", from: ago(39_000) });
  see(63_000, 3000, 39_000);
  const screen = (await ask("time")).replaceAll(/\s+/gu, " ");
  expect(screen).toMatch(saying("✗", "mainnet"));
  expect(screen).toMatch(saying("✗", /3\d/u));
  expect(screen).not.toContain("the bot's clock");
});

test("one that the watchers have just seen go on is not judged by a wall clock", async () => {
  const { ask, see } = await talkWatched();
  see(12_000, 2000, 0);
  const screen = (await ask("time")).replaceAll(/\s+/gu, " ");
  expect(screen).toMatch(saying("✓", "mainnet"));
  expect(screen).toMatch(/^✓/u);
});

test("a stall seen from one node is said to be that", async () => {
  const { ask, askFor, simulator } = await talkToSimulator();
  simulator.faults.set({ kind: "stall", network: "mainnet", from: ago(10 * MINUTE) });
  const screen = (await ask("time")).replaceAll(/\s+/gu, " ");
  expect(screen).toMatch(saying("✗", "mainnet"));
  expect(screen).toMatch(/^✗/u);
  // It is the answer to the question, not a failure to answer.
  expect(await askFor("time")).not.toHaveProperty("failure");
});

test.each([["die"], ["rate-limit"], ["garbage"]] as const)(
  "with every node in the fault %s, time says so by name and fails as the network's",
  async (kind) => {
    const { ask, simulator, lastReplyOf } = await withLast();
    simulator.faults.set({ kind, network: "mainnet" });
    const screen = await ask("time");
    expect(screen).toMatch(saying("!", "sim-1"));
    expect(lastReplyOf().failure).toBe("network");
  },
);

test("a time from the future is not believed", async () => {
  const { ask, simulator, lastReplyOf } = await withLast();
  simulator.faults.set({ kind: "time-ahead", seconds: 300, network: "mainnet" });
  expect(await ask("time")).toMatch(saying("sim-1"));
  expect(lastReplyOf().failure).toBe("network");
});

test("right after its time went back, a network is said to be neither running nor in trouble", async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  await ask("time");
  simulator.faults.set({ kind: "time-back", seconds: 600, network: "mainnet" });
  const screen = (await ask("time")).replaceAll(/\s+/gu, " ");
  expect(screen).toMatch(saying("!", "mainnet", 3, 3));
  expect(screen).toMatch(/^!/u);
  expect(screen).toMatch(saying("!", "sim-1"));
});

test.each([1, 3])("where the history of node %i began anew, its low block is not the network's", async (node) => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "history-reset", network: "mainnet", node });
  const screen = (await ask("time")).replaceAll(/\s+/gu, " ");
  expect(screen).toMatch(saying("!", "mainnet", /\d{3}(,\d{3})+/u, 1, 3));
  expect(screen).toMatch(new RegExp(`sim-${node} unknown 1 .* shows another chain than sim-`, "u"));
  expect(screen).toMatch(saying("!", `sim-${node}`, /\d{1,3}/u, /sim-\d/u));
});

test("a network whose time is an hour old but goes on is running, and the difference is named", async () => {
  const began = Date.now();
  await using node = await loopbackNode(() => ({
    body: { timestamp: String((BigInt(Date.UTC(2026, 0, 15, 11)) + BigInt(Date.now() - began)) * 1_000_000n) },
  }));
  const conversation = await talk({ networks: { mainnet: [node.url] } });
  onTestFinished(() => conversation[Symbol.asyncDispose]());
  const screen = (await conversation.ask("time")).replaceAll(/\s+/gu, " ");
  expect(screen).toMatch(saying("✓", "mainnet"));
  expect(screen).toMatch(/^✓/u);
});

test("what is read of a stalled network says so, from the moment at which time and the alert do", async () => {
  const talk = await talkWatched(DEFAULT_THRESHOLDS);
  const { ask, simulator, see } = talk;
  const commands = ["market list", "market show BTC/USDT", "snapshots", "stake"];
  simulator.faults.set({ kind: "stall", network: "mainnet", from: ago(36_000) });
  see(66_000, 1000, 36_000);
  const said = await ask("time");
  expect(said).toMatch(/^✗ mainnet has stood still for 3\d s$/mu);
  expect(said).toMatch(/sim-1 +stands\b/u);
  for (const line of commands) {
    const screen = await ask(line);
    expect([line, talk.lastReply.tone]).toEqual([line, "warning"]);
    expect([line, plainText(talk.lastReply.title)]).toEqual([line, expect.stringMatching(/\b3\d s\b.*mainnet/u)]);
    // The headline has the age, the rest only the block's time.
    expect(screen).toMatch(/11:59:2\d/u);
    expect(screen.match(/is stalled/gu)).toHaveLength(1);
  }
});

test.each<[string, number, "stall" | "lag", boolean, "good" | "warning"]>([
  ["a stall that is no alert yet is not told", 22, "stall", true, "good"],
  ["an old block without a verdict is told", 32, "stall", false, "warning"],
  ["a node a little behind a network that goes on is not told", 45, "lag", true, "good"],
  ["a node far behind a network that goes on is told", 75, "lag", true, "warning"],
])("%s with the answers of a node", async (_name, seconds, kind, isWatched, tone) => {
  const talk = await talkWatched(DEFAULT_THRESHOLDS);
  const from = ago((seconds + 600) * 1000);
  talk.simulator.faults.set(
    kind === "lag"
      ? { kind, seconds, network: "mainnet", from }
      : { kind, network: "mainnet", from: ago(seconds * 1000) },
  );
  if (isWatched) talk.see(seconds * 1000 + 30_000, 1000, kind === "lag" ? 0 : seconds * 1000);
  await talk.ask("market show BTC/USDT");
  expect(talk.lastReply.tone).toBe(tone);
  // Many read the headline alone: it has the age, too.
  expect(/\d+ (?:min )?\d* ?s\b/u.test(plainText(talk.lastReply.title))).toBe(tone === "warning");
});

test("data whose block is old is labelled stale, with its age", async () => {
  const { ask, simulator } = await talkToSimulator();
  simulator.faults.set({ kind: "stall", network: "mainnet", from: ago(10 * MINUTE) });
  const screen = await ask("market list");
  expect(screen).toMatch(saying("10 min", "sim-1"));
  expect(screen).toMatch(/mainnet · sim-1 · block [\d,]+ of 2026-01-15 11:4\d:\d\d UTC$/mu);
});

test.each<[string, StubResponse]>([
  ["a page", { body: "<!DOCTYPE html><title>Hello</title>" }],
  ["a page of 404", { status: 404, body: "<html>" }],
  ["a service without the route", NO_ROUTE],
  ["no time", { body: {} }],
  ["429", { status: 429 }],
  ["403", { status: 403 }],
])("a node that answers %s is not said to be silent", async (_name, say) => {
  await using node = await loopbackNode(() => say);
  const conversation = await talk({ networks: { mainnet: [node.url] } });
  onTestFinished(() => conversation[Symbol.asyncDispose]());
  const screen = (await conversation.ask("time")).replaceAll(/[ ─]+/gu, " ");
  expect(screen).toMatch(saying("!", "mainnet"));
  // On a busy machine its pause is over, or is not, by the time that it is asked once more.
  expect(screen.replace(/is left alone for another [^,]+, since it got/u, "says that it gets")).toMatchSnapshot();
  expect(conversation.lastReply.failure).toBe("network");
});

async function withLast() {
  const conversation = await talkToSimulator();
  return { ask: conversation.ask, simulator: conversation.simulator, lastReplyOf: () => conversation.lastReply };
}
