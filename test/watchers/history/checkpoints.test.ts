import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { NodeSelector } from "../../../src/watchers/sources/node-selector.ts";
import { name } from "../../api/client-under-test.ts";
import type { ChainNode } from "./chain-node.ts";
import { spaced, watchedChain } from "./watched-chain.ts";

describe("new checkpoints", () => {
  test("the very first look seeds and tells nothing", async () => {
    const { told } = await watchedChain(1, spaced(100));
    expect([await told(), await told()]).toEqual([[], []]);
  });

  test("each is told once, in chain order, however long nobody looked", async () => {
    const { told, add, pass, nodes } = await watchedChain(1, spaced(20));
    await told();
    const missed = spaced(500, 20_000, 40);
    for (const block of missed) add(block);
    await pass(500 * 28);
    expect(await told()).toEqual(missed.map((block) => `${block}/h${block}`));
    expect(await told()).toEqual([]);
    // In the usual course one request does, and begins behind a row of an earlier block.
    expect(nodes[0]!.asked.at(-1)).toContain("pagination.after=");
  });

  test("more than can be told at once follow with the next looks", async () => {
    const { told, add, pass } = await watchedChain(2, spaced(5));
    await told();
    const missed = spaced(2400, 20_000, 40);
    for (const block of missed) add(block);
    await pass(80_000);
    const looks = [await told(), await told(), await told(), await told()];
    expect(looks.map((look) => look.length)).toEqual([1000, 1000, 400, 0]);
    expect(looks.flat()).toEqual(missed.map((block) => `${block}/h${block}`));
  });

  test("two in one block, the second later: both", async () => {
    const { told, add, pass } = await watchedChain(1, spaced(5));
    await told();
    add(9000, "first");
    await pass(15);
    expect(await told()).toEqual(["9000/first"]);
    add(9000, "second");
    await pass(15);
    expect(await told()).toEqual(["9000/second"]);
    add(9000, "third");
    add(9430);
    await pass(15);
    expect(await told()).toEqual(["9000/third", "9430/h9430"]);
    expect(await told()).toEqual([]);
  });

  test("another node answers: from its newest down to the last block seen, siblings included", async () => {
    const { told, add, pass, nodes } = await watchedChain(2, spaced(5));
    const [a, b] = nodes as [ChainNode, ChainNode];
    await told();
    add(9000, "first");
    await pass(15);
    await told();
    a.dead = true;
    add(9000, "second");
    for (const block of spaced(450, 9430, 40)) add(block);
    await pass(15);
    const caughtUp = await told();
    expect(caughtUp[0]).toBe("9000/second");
    expect(caughtUp.slice(1)).toEqual(spaced(450, 9430, 40).map((block) => `${block}/h${block}`));
    expect(b.asked.every((path) => !path.includes("after=") || !path.includes("newestFirst=false"))).toBe(true);
    a.dead = false;
    add(90_000);
    await pass(120);
    expect(await told()).toEqual(["90000/h90000"]);
  });

  test("a look that was not stored finds the same again, under the same keys", async () => {
    const { lookout, add, pass } = await watchedChain(1, spaced(5));
    await lookout.observe();
    add(9000);
    await pass(15);
    const lost = await lookout.observe({ keep: false });
    add(9430);
    const kept = await lookout.observe();
    expect(lost.events.map((event) => event.key)).toEqual(["9000/h9000"]);
    expect(kept.events.map((event) => event.key)).toEqual(["9000/h9000", "9430/h9430"]);
  });

  test("the first of all on a network that had none is told", async () => {
    const { told, add } = await watchedChain(1);
    expect(await told()).toEqual([]);
    add(400);
    expect(await told()).toEqual(["400/h400"]);
  });

  test("a node that stands behind what was seen says nothing, and nothing is lost", async () => {
    const { told, add, pass, nodes, lookout } = await watchedChain(2, spaced(5));
    const [a, b] = nodes as [ChainNode, ChainNode];
    await told();
    add(9000);
    await pass(15);
    await told();
    a.dead = true;
    b.rows = b.rows.slice(0, 2);
    b.seconds -= 3600;
    b.height -= 5000;
    const { readings, events } = await lookout.observe();
    expect(events).toEqual([]);
    expect(readings).toMatchObject([{ kind: "checkpoint.overdue", state: "unknown", seenBy: [name(b)] }]);
    b.rows = [...a.rows, { block: 9430, hash: "h9430" }];
    b.seconds += 3700;
    b.height += 6000;
    expect(await told()).toEqual(["9430/h9430"]);
  });
});

describe("a history in which the last one seen is no longer", () => {
  test.each([
    ["begun anew", [{ block: 90, hash: "n" }], "reset of 2720, now 90 to 90"],
    [
      "pruned",
      spaced(300, 500_000).map((block) => ({ block, hash: `h${block}` })),
      "reset of 2720, now 500000 to 628570",
    ],
    ["changed", [{ block: 2720, hash: "other" }], "reset of 2720, now 2720 to 2720"],
  ])("%s: one plain sentence, then what is new", async (_name, rows, sentence) => {
    const { told, pass, nodes, add } = await watchedChain(1, spaced(5));
    await told();
    nodes[0]!.rows = [...rows];
    await pass(15);
    expect(await told()).toEqual([sentence]);
    expect(await told()).toEqual([]);
    add(700_000);
    await pass(15);
    expect(await told()).toEqual(["700000/h700000"]);
  });

  test("at one node of two is not the network's: the other is read on from; at both it is told once", async () => {
    const { told, pass, nodes, add } = await watchedChain(2, spaced(5));
    const [a] = nodes as [ChainNode, ChainNode];
    await told();
    a.rows = [{ block: 90, hash: "n" }];
    await pass(15);
    expect(await told()).toEqual([]);
    add(9000);
    await pass(15);
    expect(await told()).toEqual(["9000/h9000"]);
    expect(await told()).toEqual([]);
    for (const node of nodes) node.rows = [90, 95].map((block) => ({ block, hash: "n" }));
    await pass(15);
    expect(await told()).toEqual(["reset of 9000, now 90 to 95"]);
    expect(await told()).toEqual([]);
  });

  test("is not one that only ends earlier: what one node alone had is told once, then what all have", async () => {
    const { told, pass, nodes, add, lookout } = await watchedChain(3, spaced(40));
    const [a, b, c] = nodes as [ChainNode, ChainNode, ChainNode];
    await told();
    b.lacking = c.lacking = true;
    const ahead = spaced(2, 20_000);
    for (const block of ahead) add(block);
    await pass(7000);
    expect(await told()).toEqual(ahead.map((block) => `${block}/h${block}`));
    a.dead = true;
    await pass(600);
    const { events, readings } = await lookout.observe();
    expect(events).toEqual([]);
    // Nobody shows a newer one, so that one may be overdue is still found out.
    expect(readings).toMatchObject([{ kind: "checkpoint.overdue", state: "good", facts: { lastBlock: "20430" } }]);
    c.rows = [...a.rows];
    c.lacking = false;
    add(22_000);
    await pass(1000);
    expect(await told()).toEqual(["22000/h22000"]);
    b.rows = [...c.rows];
    expect(await told()).toEqual([]);
  });

  test("is none either where a node lacks more than is remembered", async () => {
    const { told, pass, nodes, add } = await watchedChain(2, spaced(40));
    const [a, b] = nodes as [ChainNode, ChainNode];
    await told();
    b.lacking = true;
    for (const block of spaced(50, 20_000)) add(block);
    await pass(35_000);
    expect(await told()).toHaveLength(50);
    a.dead = true;
    await pass(600);
    expect(await told()).toEqual([]);
    b.rows = [...a.rows, { block: 70_000, hash: "h70000" }];
    await pass(60_000);
    expect(await told()).toEqual(["70000/h70000"]);
  });

  test("is one where the chain itself went back to an earlier checkpoint, or went on from there", async () => {
    const { told, pass, nodes } = await watchedChain(1, spaced(5));
    const [a] = nodes as [ChainNode];
    await told();
    const all = a.rows;
    Object.assign(a, { rows: all.slice(0, 3), height: 1900 });
    await pass(15);
    expect(await told()).toEqual(["reset of 2720, now 1000 to 1860"]);
    Object.assign(a, { rows: [...all.slice(0, 2), { block: 2100, hash: "n" }], height: 5000 });
    await pass(15);
    expect(await told()).toEqual(["reset of 1860, now 1000 to 2100"]);
  });

  test("is told though another node shows the old one, where that node is known to stand still", async () => {
    const selector = new NodeSelector();
    const { told, pass, nodes, lookout } = await watchedChain(2, spaced(5), selector);
    const [a, b] = nodes as [ChainNode, ChainNode];
    await told();
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
    // Its name stays, so that a look whose finding was lost finds the same again.
    const keys = async () => (await lookout.observe({ keep: false })).events.map(({ key }) => key);
    expect(await keys()).toEqual(["checkpoints/2720/h2720"]);
    await pass(15);
    expect(await keys()).toEqual(["checkpoints/2720/h2720"]);
    expect(await told()).toEqual(["reset of 2720, now 40 to 40"]);
  });

  test("is told from one without block headers, too, but not from one that stands behind", async () => {
    const { told, nodes } = await watchedChain(1, spaced(5));
    const [a] = nodes as [ChainNode];
    a.headers = false;
    await told();
    const all = a.rows;
    a.rows = all.slice(0, 3);
    expect(await told()).toEqual([]);
    a.rows = [];
    expect(await told()).toEqual([]);
    a.rows = [{ block: 40, hash: "n" }];
    expect(await told()).toEqual(["reset of 2720, now 40 to 40"]);
  });
});

type Deed = "checkpoint" | "sibling" | "look" | "lost look" | "switch" | "lag" | "lack";
const deeds = fc.array(
  fc.constantFrom<Deed>("checkpoint", "checkpoint", "sibling", "look", "lost look", "switch", "lag", "lack"),
  { minLength: 1, maxLength: 40, size: "max" },
);

test("whatever happens between looks, every checkpoint is told once and in chain order", async () => {
  await fc.assert(
    fc.asyncProperty(deeds, fc.boolean(), async (steps, headers) => {
      const { nodes, add, pass, told, lookout } = await watchedChain(2, spaced(3));
      const [a, b] = nodes as [ChainNode, ChainNode];
      a.headers = b.headers = headers;
      const made: string[] = [];
      // When the network made each row, so that a node without it cannot tell a later time.
      const madeAt = a.rows.map(() => a.seconds);
      const heard = [...(await told())];
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
        } else if (step === "look") heard.push(...(await told()));
        else if (step === "lost look") await lookout.observe({ keep: false });
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
      heard.push(...(await told()));
      expect(heard).toEqual(made);
    }),
    { numRuns: 40, examples: [[["lack", "checkpoint", "look", "switch", "look", "checkpoint"], true]] },
  );
});
