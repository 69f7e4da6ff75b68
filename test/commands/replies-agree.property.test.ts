import { assert, asyncProperty } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { loopbackNode, type LoopbackNode, type StubResponse } from "../support/loopback-node.ts";
import { runs } from "../support/runs.ts";
import { talk } from "../support/talk.ts";
import { COLUMNS_13, csv, row } from "../export/ledger-csv.ts";
import { AGREEMENTS, type Scene } from "./agree/agreements.ts";
import { everywhere, titleOf } from "./agree/read-reply.ts";
import { bodiesOf, FULL, NODES, readingsOf, ROUNDS, verdictOf, world, type World } from "./agree/world.ts";
import { ann, OPS } from "./alert-channel.ts";

// No reply contradicts itself: what is said in headline, facts, tables, JSON and on each surface is of one judged object.

let nodes: LoopbackNode[] = [];
let answerOf: (node: number, path: string) => StubResponse | undefined = () => undefined;

beforeAll(async () => {
  nodes = await Promise.all(NODES.map((_, index) => loopbackNode(({ path }) => answerOf(index, path))));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
});

test("every command is declared", () => {
  expect(Object.keys(AGREEMENTS)).toEqual(commands.map(({ name }) => name));
});

test("whatever the world is, no reply of any command contradicts itself", async () => {
  const answered = new Set<string>();
  await assert(
    asyncProperty(world, async (drawn) => {
      expect(await contradictions(drawn, answered)).toEqual([]);
    }),
    { ...runs(80), examples: [[FULL]] },
  );
  expect(commands.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual(["alerts drill"]);
});

/** What is said in two places, and not alike. */
async function contradictions(drawn: World, answered: Set<string>): Promise<readonly unknown[]> {
  const verdict = verdictOf(drawn);
  // The clients wait in no time.
  let waited = 0;
  const start = performance.now();
  await using conversation = await talk({
    networks: { mainnet: drawn.nodes.map((_, index) => ({ url: nodes[index]!.url, name: NODES[index]! })) },
    at: nanoseconds(verdict.at - BigInt(ROUNDS * drawn.roundMillis) * 1_000_000n),
    clientClock: {
      monotonicMillis: () => verdict.atMillis + performance.now() - start + waited,
      sleep: async (millis) => void (waited += millis),
    },
    ...(drawn.isWatched ? { verdict: () => verdict } : {}),
  });
  conversation.become({ here: OPS, caller: ann });
  answerOf = (node, path) => answerIn(drawn, verdict, node, path, conversation.now());
  const scene: Scene = { drawn, verdict, talk: conversation };
  if (drawn.isSubscribed) await conversation.ask("alerts add node.down,network.stalled");
  for (let round = 0; round < ROUNDS; round += 1) await observe(scene, round);
  const found: unknown[] = [];
  for (const { name } of commands) {
    const own = AGREEMENTS[name]!;
    for (const line of await own.lines(scene)) {
      const reply = await conversation.askFor(line);
      const isAnswer = reply.failure === undefined;
      if (isAnswer) answered.add(name);
      const pairs = isAnswer ? await own.pairs(reply, scene, line) : [];
      const all = [...everywhere(reply, conversation.now()), ...pairs];
      found.push(...all.filter(([, said, is]) => !isSame(said, is)).map((pair) => [line, titleOf(reply), ...pair]));
    }
  }
  return found;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

async function observe({ drawn, talk: { engine, advance, now } }: Scene, round: number): Promise<void> {
  await engine.processObservation({
    network: "mainnet",
    watcher: { name: "sources", every: drawn.roundMillis },
    snapshot: { round: { witnesses: NODES.map((node) => ({ node, reachable: true, height: "9000" })) } },
    readings: readingsOf(drawn, round),
    events: [],
    at: now(),
  });
  advance(drawn.roundMillis);
  await engine.upkeep();
}

/** A node is where the last round of the watchers saw it. */
function answerIn(
  drawn: World,
  verdict: ReturnType<typeof verdictOf>,
  node: number,
  path: string,
  now: bigint,
): StubResponse {
  const { time, height } = verdict.nodes[node] ?? {};
  if (time === undefined || height === undefined) return { status: 503, body: "not now" };
  const headers = { "X-Block-Height": String(height), "X-Block-Timestamp": String(time) };
  if (path === "/api/v2/network/time") return { headers, body: { timestamp: String(time) } };
  if (path === "/api/v2/ledgerentry/export") return { headers, body: csv(COLUMNS_13, [row(), row()]) };
  const body = bodiesOf(drawn, node, now)[path];
  return body === undefined ? { status: 404, body: { code: 5, message: "Not Found", details: [] } } : { headers, body };
}
