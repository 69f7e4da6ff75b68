import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { NodeSelector } from "../../../src/watchers/sources/node-selector.ts";
import { name } from "../../api/client-under-test.ts";
import type { ChainNode } from "./chain-node.ts";
import { spaced, watchedChain } from "./watched-chain.ts";
import { runs } from "../../support/runs.ts";

describe("new checkpoints", () => {
  test("the first observation seeds and announces nothing", async () => {
    const { newEvents } = await watchedChain(1, spaced(100));
    expect([await newEvents(), await newEvents()]).toEqual([[], []]);
  });

  test("each is announced once, in chain order, however long ago the last observation was", async () => {
    const { newEvents, add, pass, nodes } = await watchedChain(1, spaced(20));
    await newEvents();
    const missed = spaced(500, 20_000, 40);
    for (const block of missed) add(block);
    await pass(500 * 28);
    expect(await newEvents()).toEqual(missed.map((block) => `${block}/h${block}`));
    expect(await newEvents()).toEqual([]);
    // Usually one request is enough.
    const asked = nodes[0]!.asked.length;
    expect(await newEvents()).toEqual([]);
    expect(nodes[0]!.asked).toHaveLength(asked + 1);
  });

  test("more than can be announced at once follow with the next observations", async () => {
    const { newEvents, add, pass } = await watchedChain(2, spaced(5));
    await newEvents();
    const missed = spaced(2400, 20_000, 40);
    for (const block of missed) add(block);
    await pass(80_000);
    const rounds = [await newEvents(), await newEvents(), await newEvents(), await newEvents()];
    expect(rounds.map((round) => round.length)).toEqual([1000, 1000, 400, 0]);
    expect(rounds.flat()).toEqual(missed.map((block) => `${block}/h${block}`));
  });

  test("two in one block, the second later: both", async () => {
    const { newEvents, add, pass } = await watchedChain(1, spaced(5));
    await newEvents();
    add(9000, "first");
    await pass(15);
    expect(await newEvents()).toEqual(["9000/first"]);
    add(9000, "second");
    await pass(15);
    expect(await newEvents()).toEqual(["9000/second"]);
    add(9000, "third");
    add(9430);
    await pass(15);
    expect(await newEvents()).toEqual(["9000/third", "9430/h9430"]);
    expect(await newEvents()).toEqual([]);
  });

  test("another node answers: from its newest down to the last block seen, siblings included", async () => {
    const { newEvents, add, pass, nodes } = await watchedChain(2, spaced(5));
    const [a, b] = nodes as [ChainNode, ChainNode];
    await newEvents();
    add(9000, "first");
    await pass(15);
    await newEvents();
    a.dead = true;
    add(9000, "second");
    for (const block of spaced(450, 9430, 40)) add(block);
    await pass(15);
    const caughtUp = await newEvents();
    expect(caughtUp[0]).toBe("9000/second");
    expect(caughtUp.slice(1)).toEqual(spaced(450, 9430, 40).map((block) => `${block}/h${block}`));
    expect(b.asked.every((path) => !path.includes("after=") || !path.includes("newestFirst=false"))).toBe(true);
    a.dead = false;
    add(90_000);
    await pass(120);
    expect(await newEvents()).toEqual(["90000/h90000"]);
  });

  test("after an observation that was not stored the next one finds the same, under the same keys", async () => {
    const { observer, add, pass } = await watchedChain(1, spaced(5));
    await observer.observe();
    add(9000);
    await pass(15);
    const lost = await observer.observe({ keep: false });
    add(9430);
    const kept = await observer.observe();
    expect(lost.events.map((event) => event.key)).toEqual(["9000/h9000"]);
    expect(kept.events.map((event) => event.key)).toEqual(["9000/h9000", "9430/h9430"]);
  });

  test("the first one on a network without any is announced", async () => {
    const { newEvents, add } = await watchedChain(1);
    expect(await newEvents()).toEqual([]);
    add(400);
    expect(await newEvents()).toEqual(["400/h400"]);
  });

  test("a node that is behind announces nothing, and nothing is lost", async () => {
    const { newEvents, add, pass, nodes, observer } = await watchedChain(2, spaced(5));
    const [a, b] = nodes as [ChainNode, ChainNode];
    await newEvents();
    add(9000);
    await pass(15);
    await newEvents();
    a.dead = true;
    b.rows = b.rows.slice(0, 2);
    b.seconds -= 3600;
    b.height -= 5000;
    const { readings, events } = await observer.observe();
    expect(events).toEqual([]);
    expect(readings).toMatchObject([{ kind: "checkpoint.overdue", state: "unknown", seenBy: [name(b)] }]);
    b.rows = [...a.rows, { block: 9430, hash: "h9430" }];
    b.seconds += 3700;
    b.height += 6000;
    expect(await newEvents()).toEqual(["9430/h9430"]);
  });
});

describe("a history in which the last one seen is no longer", () => {
  const rowsAt = (blocks: readonly number[], name = "h") => blocks.map((block) => ({ block, hash: `${name}${block}` }));
  const since = spaced(7, 500_000);

  test.each<[string, number, { block: number; hash: string }[], string[]]>([
    ["begun anew", 15, [{ block: 90, hash: "n" }], ["reset of 2720, now 90 to 90"]],
    ["pruned", 350_000, rowsAt(since), ["pruned after 2720, now 500000 to 502580", ...since.map((b) => `${b}/h${b}`)]],
    // So many rows cannot grow too old between two looks.
    ["rewritten", 15, rowsAt(since), ["reset of 2720, now 500000 to 502580"]],
    ["rewritten below", 15, rowsAt([1200, 1300, 1900]), ["reset of 2720, now 1200 to 1900"]],
    ["of another hash in its block", 15, [{ block: 2720, hash: "other" }], ["2720/other"]],
  ])("%s: one plain sentence, then what is new", async (_name, seconds, rows, told) => {
    const { newEvents, pass, nodes, add } = await watchedChain(1, spaced(5));
    await newEvents();
    nodes[0]!.rows = [...rows];
    await pass(seconds);
    expect(await newEvents()).toEqual(told);
    expect(await newEvents()).toEqual([]);
    add(700_000);
    await pass(15);
    expect(await newEvents()).toEqual(["700000/h700000"]);
  });

  test("at one node of two is not the network's: the other is read on; at both it is announced once", async () => {
    const { newEvents, pass, nodes, add } = await watchedChain(2, spaced(5));
    const [a] = nodes as [ChainNode, ChainNode];
    await newEvents();
    a.rows = [{ block: 90, hash: "n" }];
    await pass(15);
    expect(await newEvents()).toEqual([]);
    add(9000);
    await pass(15);
    expect(await newEvents()).toEqual(["9000/h9000"]);
    expect(await newEvents()).toEqual([]);
    for (const node of nodes) node.rows = [90, 95].map((block) => ({ block, hash: "n" }));
    await pass(15);
    expect(await newEvents()).toEqual(["reset of 9000, now 90 to 95"]);
    expect(await newEvents()).toEqual([]);
  });

  test("is not one that only ends earlier: rows of one node alone are announced once, then those of all", async () => {
    const { newEvents, pass, nodes, add, observer, learnPace } = await watchedChain(3, spaced(40));
    const [a, b, c] = nodes as [ChainNode, ChainNode, ChainNode];
    await learnPace();
    b.lacking = c.lacking = true;
    const ahead = spaced(2, 20_000);
    for (const block of ahead) add(block);
    await pass(7000);
    expect(await newEvents()).toEqual(ahead.map((block) => `${block}/h${block}`));
    a.dead = true;
    await pass(600);
    const { events, readings } = await observer.observe();
    expect(events).toEqual([]);
    // No node shows a newer one, so that an overdue one is still noticed.
    expect(readings).toMatchObject([{ kind: "checkpoint.overdue", state: "good", facts: { lastBlock: "20430" } }]);
    c.rows = [...a.rows];
    c.lacking = false;
    add(22_000);
    await pass(1000);
    expect(await newEvents()).toEqual(["22000/h22000"]);
    b.rows = [...c.rows];
    expect(await newEvents()).toEqual([]);
  });

  test("is none either where a node lacks more than is remembered", async () => {
    const { newEvents, pass, nodes, add } = await watchedChain(2, spaced(40));
    const [a, b] = nodes as [ChainNode, ChainNode];
    await newEvents();
    b.lacking = true;
    for (const block of spaced(50, 20_000)) add(block);
    await pass(35_000);
    expect(await newEvents()).toHaveLength(50);
    a.dead = true;
    await pass(600);
    expect(await newEvents()).toEqual([]);
    b.rows = [...a.rows, { block: 70_000, hash: "h70000" }];
    await pass(60_000);
    expect(await newEvents()).toEqual(["70000/h70000"]);
  });

  test("is one where the chain itself went back to an earlier checkpoint, or went on from there", async () => {
    const { newEvents, pass, nodes } = await watchedChain(1, spaced(5));
    const [a] = nodes as [ChainNode];
    await newEvents();
    const all = a.rows;
    Object.assign(a, { rows: all.slice(0, 3), height: 1900 });
    await pass(15);
    expect(await newEvents()).toEqual(["reset of 2720, now 1000 to 1860"]);
    Object.assign(a, { rows: [...all.slice(0, 2), { block: 2100, hash: "n" }], height: 5000 });
    await pass(15);
    expect(await newEvents()).toEqual(["reset of 1860, now 1000 to 2100"]);
  });

  test("is announced though another node shows the old one, where that node is known to lag", async () => {
    const selector = new NodeSelector();
    const { newEvents, pass, nodes, observer } = await watchedChain(2, spaced(5), selector);
    const [a, b] = nodes as [ChainNode, ChainNode];
    await newEvents();
    b.frozen = true;
    Object.assign(a, { rows: [{ block: 40, hash: "n" }], height: 60 });
    await pass(600);
    selector.update({
      network: "healthy",
      nodes: [
        { node: name(a), state: "ok" },
        { node: name(b), state: "lagging" },
      ],
    });
    // Its name stays, so that the same is found again after an observation that was lost.
    const keys = async () => (await observer.observe({ keep: false })).events.map(({ key }) => key);
    expect(await keys()).toEqual(["checkpoints/2720/h2720"]);
    await pass(15);
    expect(await keys()).toEqual(["checkpoints/2720/h2720"]);
    expect(await newEvents()).toEqual(["reset of 2720, now 40 to 40"]);
  });

  test("is announced from a node without block headers, too, but not from one that is behind", async () => {
    const { newEvents, nodes } = await watchedChain(1, spaced(5));
    const [a] = nodes as [ChainNode];
    a.headers = false;
    await newEvents();
    const all = a.rows;
    a.rows = all.slice(0, 3);
    expect(await newEvents()).toEqual([]);
    a.rows = [];
    expect(await newEvents()).toEqual([]);
    a.rows = [{ block: 40, hash: "n" }];
    expect(await newEvents()).toEqual(["reset of 2720, now 40 to 40"]);
  });
});

type Deed = "checkpoint" | "sibling" | "observation" | "lost observation" | "switch" | "lag" | "lack";
const deeds = fc.array(
  fc.constantFrom<Deed>(
    "checkpoint",
    "checkpoint",
    "sibling",
    "observation",
    "lost observation",
    "switch",
    "lag",
    "lack",
  ),
  { minLength: 1, maxLength: 40, size: "max" },
);

test("whatever happens between observations, every checkpoint is announced once and in chain order", async () => {
  await fc.assert(
    fc.asyncProperty(deeds, fc.boolean(), async (steps, headers) => {
      const { nodes, add, pass, newEvents, observer } = await watchedChain(2, spaced(3));
      const [a, b] = nodes as [ChainNode, ChainNode];
      a.headers = b.headers = headers;
      const made: string[] = [];
      // When the network made each row, so that a node without it cannot tell a later time.
      const madeAt = a.rows.map(() => a.seconds);
      const heard = [...(await newEvents())];
      let [block, siblings] = [10_000, 0];
      const make = (hash: string): void => {
        madeAt.push(a.seconds);
        add(block, hash);
        made.push(`${block}/${hash}`);
      };
      make("founder");
      const catchUp = (): void => {
        Object.assign(b, { rows: [...a.rows], seconds: a.seconds, height: a.height, frozen: false, lacking: false });
      };
      for (const step of steps) {
        if (step === "checkpoint") {
          block += 430;
          make("h");
        } else if (step === "sibling") {
          siblings += 1;
          make(`s${siblings}`);
        } else if (step === "observation") heard.push(...(await newEvents()));
        else if (step === "lost observation") await observer.observe({ keep: false });
        else if (step === "switch") {
          a.dead = !a.dead;
          await pass(300);
        } else if (b.frozen || b.lacking) catchUp();
        else if (step === "lack") b.lacking = true;
        else {
          const rows = b.rows.slice(0, -2);
          const [seconds, height] = [Math.min(b.seconds - 600, madeAt[rows.length]! - 1), rows.at(-1)!.block];
          Object.assign(b, { rows, seconds, height, frozen: true });
        }
        await pass(1);
      }
      catchUp();
      await pass(300);
      heard.push(...(await newEvents()));
      expect(heard).toEqual(made);
    }),
    { ...runs(40), examples: [[["lack", "checkpoint", "observation", "switch", "observation", "checkpoint"], true]] },
  );
});
