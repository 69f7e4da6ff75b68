import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { SeededRandom } from "../../../src/simulator/seeded-random.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { checkpointsWatcher, snapshotsWatcher } from "../../../src/watchers/history/lists.ts";
import { clientOf } from "../../api/client-under-test.ts";
import { fakeNode, sendJson } from "../../api/serve-wire.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";
import { ManualObserver } from "../manual-observer.ts";
import { runs } from "../../support/runs.ts";

interface Row {
  readonly block: number;
  readonly hash: string;
  readonly version?: string;
}

/** A node that lists rows as they are, by their place: its first row comes first, and its cursors are places. */
async function listingNode() {
  const list = { rows: [] as readonly Row[], asked: 0 };
  const served = await fakeNode((request, response) => {
    list.asked += 1;
    const url = new URL(request.url ?? "", "http://node");
    const query = url.searchParams;
    const begin = Number(query.get("pagination.after") ?? 0);
    const end = begin + Number(query.get("pagination.first"));
    const page = list.rows.slice(begin, end);
    const edges = page.map((row, index) => ({
      cursor: String(begin + index + 1),
      node: url.pathname.endsWith("checkpoints")
        ? { atBlock: String(row.block), hash: row.hash }
        : { blockHeight: String(row.block), blockHash: row.hash, coreVersion: row.version },
    }));
    const pageInfo = { endCursor: edges.at(-1)?.cursor ?? "", hasNextPage: end < list.rows.length };
    const name = url.pathname.endsWith("checkpoints") ? "checkpoints" : "coreSnapshots";
    sendJson(response, { [name]: { edges, pageInfo } });
  });
  const clock = new VirtualClock();
  const api = clientOf([served.url], { clock, limits: { requestsPerSecond: 1e6, burst: 1e6 } });
  const observer = (watcher: "checkpoints" | "snapshots") => {
    const options = { network: "mainnet", nodes: 1, config: DEFAULT_ALERTS_CONFIG };
    const created = watcher === "checkpoints" ? checkpointsWatcher(options) : snapshotsWatcher(options);
    return new ManualObserver<unknown>(created, api, () => clock.wallClock());
  };
  return { list, api, observer, close: () => served[Symbol.asyncDispose]() };
}

const told = (events: readonly AlertEvent[]): string[] =>
  events.map((event) => {
    if (event.kind === "checkpoint.new") return `${event.atBlock}/${event.hash}`;
    if (event.kind === "snapshot.new") return `${event.blockHeight}/${event.blockHash}`;
    return `${event.kind} ${event.key}`;
  });

const row = fc.record({ block: fc.integer({ min: 1, max: 60 }), hash: fc.constantFrom("a", "b", "c") });
const identity = ({ block, hash }: Row): string => `${block}/${hash}`;
/** The rows that each look finds beside those before, and a seed by which its list is put in order. */
const looks = fc.array(fc.record({ added: fc.array(row, { maxLength: 12 }), seed: fc.nat() }), {
  minLength: 2,
  maxLength: 6,
});

test("what is new depends on the rows alone: not on their order, nor on rows that come twice", async () => {
  const { list, observer, close } = await listingNode();
  onTestFinished(close);
  await fc.assert(
    fc.asyncProperty(looks, async (steps) => {
      const watched = observer("checkpoints");
      const all = new Map<string, Row>();
      for (const [index, { added, seed }] of steps.entries()) {
        const fresh = added.filter((one) => !all.has(identity(one)));
        for (const one of fresh) all.set(identity(one), one);
        list.rows = shuffled([...all.values(), ...added], seed);
        const events = told((await watched.observe()).events);
        expect(events.toSorted()).toEqual(index === 0 ? [] : [...new Set(fresh.map(identity))].toSorted());
        // In the order of the chain.
        expect(events.map((one) => Number.parseInt(one, 10))).toEqual(
          events.map((one) => Number.parseInt(one, 10)).toSorted((a, b) => a - b),
        );
      }
    }),
    runs(60),
  );
});

test.each([99, 100, 101])(
  "rows of one block where the memory begins, among %i rows, are not told again",
  async (count) => {
    const { list, observer, close } = await listingNode();
    onTestFinished(close);
    const watched = observer("checkpoints");
    const rows = Array.from({ length: count }, (_, index) => ({
      block: 200 - Math.floor(index / 2),
      hash: index % 2 === 0 ? "a" : "b",
    }));
    list.rows = rows;
    const heard = told((await watched.observe()).events);
    const added = [201, 202, 203, 204, 205];
    for (const block of added) {
      list.rows = [{ block, hash: "a" }, ...list.rows];
      heard.push(...told((await watched.observe()).events));
    }
    expect(heard).toEqual(added.map((block) => `${block}/a`));
  },
);

test.each([1, 2, 3])(
  "of %i thousand rows in no order those that are new are found, whatever page they are on",
  async (thousands) => {
    const { list, observer, close } = await listingNode();
    onTestFinished(close);
    const old = Array.from({ length: thousands * 1000 }, (_, index) => ({ block: 10 * index, hash: "h" }));
    const top = old.at(-1)!.block;
    const news = [3, 13, 20, 21].map((over) => ({ block: top + over, hash: "n" }));
    const watched = observer("checkpoints");
    list.rows = shuffled(old, 1);
    expect(told((await watched.observe()).events)).toEqual([]);
    list.rows = shuffled([...old, ...news], 2);
    expect(told((await watched.observe()).events)).toEqual(news.map(identity));
    list.rows = shuffled([...old.slice(5), ...news, ...news], 3);
    expect(told((await watched.observe()).events)).toEqual([]);
  },
);

test("of a long list in order, a few rows out of place among them, one page is read", async () => {
  const { list, observer, close } = await listingNode();
  onTestFinished(close);
  const rows = Array.from({ length: 5000 }, (_, index) => ({ block: 10 * (5000 - index), hash: "h" }));
  const swapped = [...rows.slice(3, 6), ...rows.slice(0, 3), ...rows.slice(6)];
  const watched = observer("checkpoints");
  for (const next of [rows, swapped, [{ block: 50_010, hash: "n" }, ...swapped]]) {
    list.rows = next;
    list.asked = 0;
    const expected = next.length > rows.length ? ["50010/n"] : [];
    expect(told((await watched.observe()).events)).toEqual(expected);
    expect(list.asked).toBe(1);
  }
});

test("a snapshot that is listed late says nothing of the version that runs", async () => {
  const { list, observer, close } = await listingNode();
  onTestFinished(close);
  const watched = observer("snapshots");
  const rows = [100, 200, 400].map((block) => ({ block, hash: "h", version: block < 300 ? "v1" : "v2" }));
  list.rows = rows;
  await watched.observe();
  list.rows = [{ block: 300, hash: "h", version: "v1" }, ...rows, { block: 500, hash: "h", version: "v3" }];
  const { events } = await watched.observe();
  expect(told(events)).toEqual(["300/h", "500/h", "core.upgraded v2>v3/500"]);
});

test("hashes in other letters, and rows whose hash is left out, are the same rows", async () => {
  const { list, observer, close } = await listingNode();
  onTestFinished(close);
  const watched = observer("checkpoints");
  list.rows = [
    { block: 1, hash: "ab" },
    { block: 2, hash: "" },
  ];
  await watched.observe();
  list.rows = [
    { block: 1, hash: "AB" },
    { block: 2, hash: "cd" },
  ];
  expect(told((await watched.observe()).events)).toEqual([]);
  list.rows = [
    { block: 1, hash: "" },
    { block: 2, hash: "CD" },
    { block: 3, hash: "ef" },
  ];
  expect(told((await watched.observe()).events)).toEqual(["3/ef"]);
});

test("a node that changes between two histories is told of each once", async () => {
  const { list, observer, close } = await listingNode();
  onTestFinished(close);
  const watched = observer("checkpoints");
  const histories = ["x", "y"].map((hash, index) =>
    [100, 200, 300].map((block) => ({ block: block + 1000 * (1 - index) + index, hash })),
  );
  const heard: string[] = [];
  for (let look = 0; look < 7; look += 1) {
    list.rows = histories[look % 2]!;
    heard.push(...told((await watched.observe()).events));
  }
  expect(heard).toEqual(["history.reset checkpoints/1300/x", "history.reset checkpoints/301/y"]);
});

test("a snapshot that an earlier version stored is read on: nothing is lost, and nothing told again", async () => {
  const { list, api, close } = await listingNode();
  onTestFinished(close);
  const rows = Array.from({ length: 300 }, (_, index) => ({ block: 10 * (300 - index), hash: "h" }));
  list.rows = [{ block: 3010, hash: "n" }, ...rows];
  const recent = rows.slice(0, 32).toReversed();
  const watcher = checkpointsWatcher({ network: "mainnet", nodes: 1, config: DEFAULT_ALERTS_CONFIG });
  const stored = watcher.snapshot.parse({
    history: {
      recent: recent.map(({ block }) => ({ key: `${block}/h`, block: String(block), at: "1682942000000000000" })),
      cursor: { node: api.nodes[0]!.name, cursor: "299" },
      point: { height: "3000", time: "1682942400000000000" },
      node: api.nodes[0]!.name,
      receivedAt: "1682942400000000000",
      behind: false,
    },
    fresh: [],
  });
  const after = await watcher.observe(api, { before: stored, subjects: () => [] }, new AbortController().signal);
  const { events, readings } = watcher.judge(stored, after, nanoseconds(1_682_942_500_000_000_000n));
  expect(told(events)).toEqual(["3010/n"]);
  // It had guessed the times of blocks.
  expect(readings).toMatchObject([{ kind: "checkpoint.overdue", state: "unknown" }]);
});

function shuffled<T>(rows: readonly T[], seed: number): T[] {
  const random = new SeededRandom(String(seed));
  return rows
    .map((one, index) => ({ one, place: random.unit("place", index) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
