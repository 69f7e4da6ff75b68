import { describe, expect, test } from "vitest";

import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { fromMillis, toMillis } from "../../src/units/time.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { linesOf, saying } from "../support/said.ts";
import { NOON, talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

interface Page {
  readonly edges: readonly { readonly cursor: string }[];
}

const column = (reply: Reply, index: number): string[] =>
  reply.blocks.flatMap((block) => (block.kind === "table" ? block.rows.map((row) => plainText(row[index] ?? [])) : []));

describe.each(["checkpoints", "snapshots", "rotations"])("%s", (list) => {
  test("pages lead on and back without a row lost or twice", async () => {
    const conversation = await talkToSimulator();
    const whole = column(await conversation.askFor(`${list} first:18`), 0);
    const pages = [column(await conversation.askFor(`${list} first:6`), 0)];
    for (let page = 1; page < 3; page += 1) {
      await conversation.press(/ after:/u);
      pages.push(column(conversation.lastReply, 0));
    }
    expect(pages.flat()).toEqual(whole);
    await conversation.press(/ before:/u);
    expect(column(conversation.lastReply, 0)).toEqual(whole.slice(6, 12));
    await conversation.press(/^(?!.* after:).* first:/u);
    expect(column(conversation.lastReply, 0)).toEqual(whole.slice(0, 6));
  });

  test("newest:no begins with the oldest", async () => {
    const conversation = await talkToSimulator();
    const heights = column(await conversation.askFor(`${list} first:5 newest:no`), 0).map(BigInt);
    expect(heights).toEqual(heights.toSorted((a, b) => (a < b ? -1 : 1)));
    await conversation.press(/ after:/u);
    expect(linesOf(conversation.lastReply)).toContainEqual(expect.stringContaining(" before:"));
  });

  test("a page goes on at another node when the one that gave its cursor is gone", async () => {
    const conversation = await talkToSimulator({ nodes: 3 });
    const whole = column(await conversation.askFor(`${list} first:12`), 0);
    await conversation.askFor(`${list} first:6`);
    const giver = plainText(conversation.lastReply.footer ?? []).includes("sim-1") ? 1 : 2;
    conversation.simulator.faults.set({ kind: "die", network: "mainnet", node: giver });
    const screen = await conversation.press(/ after:/u);
    expect(screen).toMatch(saying(`sim-${giver}`, /\d+/u, /sim-\d/u));
    expect(column(conversation.lastReply, 0)).toEqual(whole.slice(6));
    await conversation.press(/ before:/u);
    expect(column(conversation.lastReply, 0)).toEqual(whole.slice(0, 6));
  });

  test("options that contradict each other are refused in a sentence", async () => {
    const { ask } = await talkToSimulator();
    expect(await ask(`${list} first:3 last:4`)).toMatch(saying("!", "first", "last"));
    expect(await ask(`${list} first:3 before:abc`)).toMatch(saying("!", "first", "before"));
    expect(await ask(`${list} after:x before:y`)).toMatch(saying("!", "after", "before"));
    expect(await ask(`${list} first:0`)).toMatch(saying("!", "first", 0));
    expect(await ask(`${list} after:abc`)).toMatch(saying("!", "invalid cursor"));
  });
});

test("after a history reset, what was shown before is said to be gone, also on a page that would go on from it", async () => {
  const conversation = await talkToSimulator();
  const [newest] = column(await conversation.askFor("checkpoints first:5"), 0);
  await conversation.askFor("checkpoints first:4");
  conversation.simulator.faults.set({ kind: "history-reset", network: "mainnet" });
  const older = (await conversation.press(/ after:/u)).replaceAll(/\s+/gu, " ");
  expect(older).toMatch(saying("•", /\d+/u, "sim-1", "mainnet", /\d+/u));
  const screen = await conversation.ask("checkpoints first:3");
  expect(screen.replaceAll(",", "")).toMatch(saying("•", newest!, "sim-1", "mainnet"));
});

describe.each(["checkpoints", "snapshots"])("%s behind a node's bare cursor", (list) => {
  /** The cursors of the newest rows, as the simulated node gives them whenever it is asked. */
  const cursorsOf = async (conversation: Awaited<ReturnType<typeof talkToSimulator>>): Promise<string[]> => {
    const { url } = conversation.simulator.networks.mainnet[0]!;
    const body = (await (await fetch(`${url}/api/v2/${list}?pagination.first=3`)).json()) as Record<string, Page>;
    return Object.values(body)[0]!.edges.map(({ cursor }) => cursor);
  };
  const pagings = ["first:2 after:", "last:2 before:", "newest:no first:2 after:", "newest:no last:2 before:"];

  test("are no first page, and nothing is said of a reset where there was none", async () => {
    const conversation = await talkToSimulator();
    for (const cursor of await cursorsOf(conversation)) {
      for (const paging of pagings) {
        const screen = await conversation.ask(`${list} ${paging}${cursor}`);
        expect(screen).not.toContain("began anew");
      }
    }
    expect(await conversation.ask(`${list} before:${(await cursorsOf(conversation))[1]}`)).not.toMatch(
      /Newest +block/u,
    );
  });

  test.each(pagings)("where the node's history began anew, %s says so", async (paging) => {
    const conversation = await talkToSimulator();
    const [cursor] = await cursorsOf(conversation);
    conversation.simulator.faults.set({ kind: "history-reset", network: "mainnet" });
    expect((await conversation.ask(`${list} ${paging}${cursor}`)).replaceAll(/\s+/gu, " ")).toMatch(
      saying("•", "sim-1"),
    );
  });
});

test("a core upgrade is marked on the first snapshot after it", async () => {
  const conversation = await talkToSimulator();
  const from = fromMillis(toMillis(NOON) - 3_600_000);
  conversation.simulator.faults.set({ kind: "upgrade", network: "mainnet", version: "v0.99.0", from, forSeconds: 60 });
  const screen = await conversation.ask("snapshots first:40");
  expect(screen).toMatch(saying(/[1-9]/u));
  expect(screen).toMatch(saying("v0.99.0", /v0\.\d+\.\d+/u));
  expect(screen).toMatch(saying("v0.99.0"));
});

test("checkpoints show the blocks between them, and when two share one", async () => {
  const rows = [1000n, 900n, 900n, 450n].map((atBlock, index) => ({
    node: { atBlock: `${atBlock}`, hash: `${index}`.repeat(64), blockHash: "AB".repeat(32) },
    cursor: `c${index}`,
  }));
  const body = { checkpoints: { edges: rows, pageInfo: { startCursor: "c0", endCursor: "c3", hasNextPage: false } } };
  const headers = { "X-Block-Height": "1400", "X-Block-Timestamp": `${NOON}` };
  await using node = await loopbackNode(({ path }) => (path.endsWith("/checkpoints") ? { body, headers } : undefined));
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  expect(column(await conversation.askFor("checkpoints"), 1)).toEqual(["100", "same block", "450", "–"]);
  const screen = await conversation.ask("checkpoints");
  expect(screen).toMatch(saying("•", "1,000", 400));
  expect(screen).toMatch(saying("•", 450));
});

test("rotations of one node: by its name, by its id, and of one nobody knows", async () => {
  const { ask, samples } = await talkToSimulator();
  expect(await ask(`rotations "${samples.nodeName}"`)).toContain(`${samples.nodeName}: `);
  expect(await ask(`rotations node:${samples.nodeId}`)).toContain(`${samples.nodeName}: `);
  expect(await ask(`rotations ${"0".repeat(64)}`)).toMatch(saying("!", "0".repeat(64)));
  expect(await ask("rotations Nobody")).toMatch(saying("!", "mainnet"));
});

test.each(["time", "checkpoints", "snapshots", "rotations", "stake", "market list", "info", "alerts status"])(
  "%s has the thousands of each count apart, in cells and in the footer, folded or whole",
  async (line) => {
    const { askFor } = await talkToSimulator({ nodes: 3 });
    const reply = await askFor(line);
    for (const more of [{}, { fold: { hint: "--full" } }]) {
      const screen = renderTerminal(reply, { width: 300, colour: false, links: false, now: NOON, ...more });
      expect(screen).not.toMatch(/(?<![\w.,:+@-])\d{4,}(?![\w-])/u);
    }
  },
);
