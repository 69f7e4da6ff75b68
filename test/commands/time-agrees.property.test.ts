import { array, assert, constantFrom, integer, property, record, tuple } from "fast-check";
import { expect, test } from "vitest";

import { time } from "../../commands/time.ts";
import type { WatchedNetwork } from "../../src/adapters/web/alerts/watch.ts";
import { networkLines } from "../../src/adapters/web/public/state/state.js";
import type { Verdict } from "../../src/api/verdict/verdict.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { NETWORK_STATES, shownState } from "../../src/reply/states.js";
import type { Reply } from "../../src/reply/reply.ts";
import { replyToJson } from "../../src/reply/json.ts";
import { toMillis } from "../../src/units/time.ts";
import { textsOf } from "../adapters/web/print-tree.ts";
import { type Doing, play, type Script } from "../api/verdict/watch.ts";

// Any world of one to five nodes, each of which goes on, stands, is silent or lags in turn: whatever is said about it
// must be of one judged object.

const doing = constantFrom<Doing>("on", "still", "off", "-90", "-400", "+20");
const parts = array(tuple(integer({ min: 0, max: 60 }), doing), { maxLength: 3 }).map((all) =>
  all.toSorted(([a], [b]) => a - b),
);
const world = record({
  nodes: array(parts, { minLength: 1, maxLength: 5 }),
  until: integer({ min: 0, max: 50 }).map((rounds) => rounds * 5),
});

const asked = (verdict: Verdict) =>
  time.run({
    api: { assess: async () => verdict, simulated: false },
    network: "mainnet",
    signal: new AbortController().signal,
    alerts: { openEpisodes: async () => [], openAndLastHalt: async () => [] },
    options: {},
    now: () => verdict.at,
  } as unknown as Parameters<typeof time.run>[0]);

test("headline, facts, table, JSON and the console's card agree on any world", async () => {
  const all = await drawn(600);
  const seen = new Set(all.map(({ verdict }) => shownState(verdict.network, verdict.nodes)));
  expect(seen).toEqual(
    new Set(["healthy", "troubled", "unsettled", "contested", "unconfirmed", "syncing", "stalled", "blind"]),
  );
  for (const { verdict, answer } of all) {
    expect([plainText(answer.title), contradictions(verdict, answer)]).toEqual([plainText(answer.title), []]);
  }
});

/** What is said in two places, and not alike. */
function contradictions(verdict: Verdict, answer: Reply): readonly unknown[] {
  const { nodes, frontier } = verdict;
  const state = shownState(verdict.network, nodes);
  const { word, tone } = NETWORK_STATES[state];
  const title = plainText(answer.title);
  const said = JSON.stringify(answer.blocks).toLowerCase();
  const isOdd = state === "healthy" && answer.tone === "warning";
  const isPlain = / is healthy(?:, block [\d,]+)?$/u.test(title);
  const troubled = nodes.filter((node) => node.state !== "ok").length;
  const vote = (...votes: readonly string[]) => nodes.filter((node) => votes.includes(node.vote)).length;
  const cells = answer.blocks.flatMap((block) => (block.kind === "table" ? block.rows : []));
  const states = cells.map(([, cell = []]) => plainText(cell));
  const fact = nodesFact(answer) ?? "";
  const number = (pattern: RegExp, text: string): number | undefined => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? undefined : Number(found.replaceAll(",", ""));
  };
  const goes = /\b(?:on|catch\w* up|still|heard)\b/u.test(fact);
  const [card] = networkLines(
    { networks: [watched(verdict)] },
    {
      now: toMillis(verdict.at),
      gone: false,
      pace: () => 1,
    },
  );
  const pairs: readonly (readonly [what: string, said: unknown, is: unknown])[] = [
    ["tone", isOdd ? tone : answer.tone, tone],
    ["nothing beside a headline without a but", isPlain, answer.tone === "good"],
    ["tone in JSON", replyToJson(answer).tone, answer.tone],
    ["tone of the card", card?.attrs["data-tone"], tone],
    ["word of the card", textsOf(card!).join(" ").toLowerCase().includes(word), true],
    ["word of the judgement", answer.tone === "good" || isOdd || said.includes(`"${word}"`), true],
    ["a node that is well in a stalled network", state === "stalled" && states.includes("ok"), false],
    ["nodes in trouble, in the headline", number(/(\d+) of \d+ nodes in trouble/u, title) ?? troubled, troubled],
    ["nodes in trouble, in the table", states.filter((one) => !/^(?:ok|stands)\b/u.test(one)).length, troubled],
    ["nodes that agree", number(/(\d+)(?: of \d+)? agree$/u, fact) ?? nodes.length - troubled, nodes.length - troubled],
    [
      "agreement under a headline of disagreement",
      fact.endsWith("agree") && /others stand|too few/u.test(title),
      false,
    ],
    ["nodes that go on", goes ? (number(/(\d+) goe?s? on/u, fact) ?? 0) : 0, goes ? vote("moves", "climbs") : 0],
    ["nodes that catch up", goes ? (number(/(\d+) catch(?:es)? up/u, fact) ?? 0) : 0, goes ? vote("syncs") : 0],
    ["nodes that stand", goes ? (number(/(\d+) stands? still/u, fact) ?? 0) : 0, goes ? vote("stands", "waits") : 0],
    ["nodes not heard", goes ? (number(/(\d+) (?:is|are) not heard/u, fact) ?? 0) : 0, goes ? vote("silent") : 0],
    ["block", number(/block ([\d,]+)/u, title) ?? Number(frontier?.height), Number(frontier?.height)],
  ];
  return pairs.filter(([, one, other]) => !Object.is(one, other));
}

async function drawn(numRuns: number): Promise<readonly { verdict: Verdict; answer: Reply }[]> {
  const verdicts: Verdict[] = [];
  assert(
    property(world, ({ nodes, until }) => {
      const script: Script = Object.fromEntries(nodes.map((own, index) => [`node-${index + 1}`, own]));
      verdicts.push(play(script, until).get(until)!);
    }),
    { numRuns },
  );
  return Promise.all(verdicts.map(async (verdict) => ({ verdict, answer: await asked(verdict) })));
}

function watched(verdict: Verdict): WatchedNetwork {
  const { network, why, at, nodes } = verdict;
  return {
    network: "mainnet",
    nodes: nodes.map(({ node, state, vote }) => ({ node, state, vote })),
    verdict: { state: network, why, at: String(at) },
    stalled: { phase: "ok" },
  };
}

function nodesFact({ blocks }: Reply): string | undefined {
  const fields = blocks.flatMap((block) => (block.kind === "fields" ? block.fields : []));
  const found = fields.find(({ name }) => plainText(name) === "Nodes");
  return found === undefined ? undefined : plainText(found.value);
}
