import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import type { AlertEvent } from "../../src/alerts/event.ts";
import { checkpointsWatcher } from "../../src/watchers/checkpoints.ts";
import { clientOf, name } from "../api/client-under-test.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import { chainNode, type ChainNode } from "./chain-node.ts";
import { Lookout } from "./lookout.ts";

const START = 1_682_942_400;
const watcher = () => checkpointsWatcher({ network: "mainnet", nodes: 2, config: DEFAULT_ALERTS_CONFIG });

interface Setting {
  readonly nodes: readonly ChainNode[];
  readonly lookout: Lookout<unknown>;
  readonly clock: VirtualClock;
  /** Makes a checkpoint at every node. */
  readonly add: (block: number, hash?: string) => void;
  /** Virtual time goes on, and with it the chain: ten blocks in seven seconds. */
  readonly pass: (seconds: number) => Promise<void>;
  readonly told: () => Promise<readonly string[]>;
}

async function setting(count: number, blocks: readonly number[] = []): Promise<Setting> {
  const clock = new VirtualClock();
  const rows = blocks.map((block) => ({ block, hash: `h${block}` }));
  const height = Math.max(1, ...blocks);
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) => chainNode(`n${index}`, { rows: [...rows], height, seconds: START })),
  );
  const api = clientOf(
    nodes.map(({ url }) => url),
    { clock, limits: { retryMillis: 0, tryMillis: 500 } },
  );
  const lookout = new Lookout<unknown>(watcher(), api, () => clock.wallClock());
  return {
    nodes,
    lookout,
    clock,
    add: (block, hash = `h${block}`) => {
      for (const node of nodes) if (!node.frozen) node.rows.push({ block, hash });
    },
    async pass(seconds) {
      await clock.advance(seconds * 1000);
      for (const node of nodes) {
        if (node.frozen) continue;
        node.seconds += seconds;
        node.height += Math.round(seconds / 0.7);
      }
    },
    told: async () => (await lookout.look()).events.map(brief),
  };
}

function brief(event: AlertEvent): string {
  if (event.kind === "checkpoint.new") return `${event.atBlock}/${event.hash}`;
  if (event.kind === "history.reset") return `reset of ${event.lastSeen}, now ${event.oldest} to ${event.newest}`;
  return event.kind;
}

const spaced = (count: number, from = 1000, step = 430): number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);

describe("new checkpoints", () => {
  test("the very first look seeds and tells nothing", async () => {
    const { told } = await setting(1, spaced(100));
    expect([await told(), await told()]).toEqual([[], []]);
  });

  test("each is told once, in chain order, however long nobody looked", async () => {
    const { told, add, pass, nodes } = await setting(1, spaced(20));
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
    const { told, add, pass } = await setting(2, spaced(5));
    await told();
    const missed = spaced(2400, 20_000, 40);
    for (const block of missed) add(block);
    await pass(80_000);
    const looks = [await told(), await told(), await told(), await told()];
    expect(looks.map((look) => look.length)).toEqual([1000, 1000, 400, 0]);
    expect(looks.flat()).toEqual(missed.map((block) => `${block}/h${block}`));
  });

  test("two in one block, the second later: both", async () => {
    const { told, add, pass } = await setting(1, spaced(5));
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
    const { told, add, pass, nodes } = await setting(2, spaced(5));
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
    const { lookout, add, pass } = await setting(1, spaced(5));
    await lookout.look();
    add(9000);
    await pass(15);
    const lost = await lookout.look({ keep: false });
    add(9430);
    const kept = await lookout.look();
    expect(lost.events.map((event) => event.key)).toEqual(["9000/h9000"]);
    expect(kept.events.map((event) => event.key)).toEqual(["9000/h9000", "9430/h9430"]);
  });

  test("the first of all on a network that had none is told", async () => {
    const { told, add } = await setting(1);
    expect(await told()).toEqual([]);
    add(400);
    expect(await told()).toEqual(["400/h400"]);
  });

  test("a node that stands behind what was seen says nothing, and nothing is lost", async () => {
    const { told, add, pass, nodes, lookout } = await setting(2, spaced(5));
    const [a, b] = nodes as [ChainNode, ChainNode];
    await told();
    add(9000);
    await pass(15);
    await told();
    a.dead = true;
    b.rows = b.rows.slice(0, 2);
    b.seconds -= 3600;
    b.height -= 5000;
    const { readings, events } = await lookout.look();
    expect(events).toEqual([]);
    expect(readings).toMatchObject([{ kind: "checkpoint.overdue", state: "unknown", seenBy: [name(b as never)] }]);
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
    const { told, pass, nodes, add } = await setting(1, spaced(5));
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
    const { told, pass, nodes, add } = await setting(2, spaced(5));
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

  test("is told from one without block headers, too, but not from one that stands behind", async () => {
    const { told, nodes } = await setting(1, spaced(5));
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

describe("an overdue checkpoint", () => {
  test("is measured by the network's time against the usual spacing", async () => {
    const { lookout, pass, nodes } = await setting(1, spaced(10, 1000, 430));
    const [first] = (await lookout.look()).readings;
    expect(first).toMatchObject({ facts: { sinceMillis: 0, usualMillis: 301_000, lastBlock: "4870" }, nodes: 2 });
    await pass(1200);
    const [later] = (await lookout.look()).readings;
    expect(later).toMatchObject({ kind: "checkpoint.overdue", facts: { sinceMillis: 1_200_000, lastBlock: "4870" } });
    // The network stands still: this computer's clock makes nothing overdue.
    nodes[0]!.frozen = true;
    await pass(7200);
    const [stalled] = (await lookout.look()).readings;
    expect(stalled).toMatchObject({ facts: { sinceMillis: 1_200_000 } });
  });

  test("is none because a node once said a time that cannot be", async () => {
    const { lookout, pass, nodes } = await setting(1, spaced(10));
    await lookout.look();
    nodes[0]!.seconds += 86_400;
    await lookout.look();
    nodes[0]!.seconds -= 86_400;
    await pass(60);
    expect((await lookout.look()).readings).toMatchObject([{ state: "good", facts: { sinceMillis: 60_000 } }]);
  });

  test("is not known while the usual spacing is not", async () => {
    const { lookout } = await setting(1, spaced(3));
    expect((await lookout.look()).readings).toMatchObject([{ state: "unknown", facts: { lastBlock: "1860" } }]);
  });

  test("withdrawals between do not make it seem shorter", async () => {
    const blocks = spaced(12).flatMap((block, index) => (index % 5 === 0 ? [block, block + 100] : [block]));
    const { lookout } = await setting(1, blocks);
    expect((await lookout.look()).readings).toMatchObject([{ facts: { usualMillis: 301_000 } }]);
  });
});

type Deed = "checkpoint" | "sibling" | "look" | "lost look" | "switch" | "lag";
const deeds = fc.array(
  fc.constantFrom<Deed>("checkpoint", "checkpoint", "sibling", "look", "lost look", "switch", "lag"),
  { minLength: 1, maxLength: 40 },
);

test("whatever happens between looks, every checkpoint is told once and in chain order", async () => {
  await fc.assert(
    fc.asyncProperty(deeds, fc.boolean(), async (steps, headers) => {
      const { nodes, add, pass, told, lookout } = await setting(2, spaced(3));
      const [a, b] = nodes as [ChainNode, ChainNode];
      a.headers = b.headers = headers;
      const made: string[] = [];
      const heard = [...(await told())];
      let [block, siblings] = [10_000, 0];
      const make = (hash: string): void => {
        add(block, hash);
        made.push(`${block}/${hash}`);
      };
      make("founder");
      const catchUp = (): void => {
        Object.assign(b, { rows: [...a.rows], seconds: a.seconds, height: a.height, frozen: false });
      };
      for (const step of steps) {
        if (step === "checkpoint") {
          block += 430;
          make("h");
        } else if (step === "sibling") {
          siblings += 1;
          make(`s${siblings}`);
        } else if (step === "look") heard.push(...(await told()));
        else if (step === "lost look") await lookout.look({ keep: false });
        else if (step === "switch") {
          a.dead = !a.dead;
          await pass(300);
        } else if (b.frozen) catchUp();
        else Object.assign(b, { rows: b.rows.slice(0, -2), seconds: b.seconds - 600, frozen: true });
        await pass(1);
      }
      catchUp();
      await pass(300);
      heard.push(...(await told()));
      expect(heard).toEqual(made);
    }),
    { numRuns: 40 },
  );
});
