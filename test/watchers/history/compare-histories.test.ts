import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { HistoryName } from "../../../src/api/histories.ts";
import {
  type Claim,
  compareHistories,
  comparison,
  type Comparison,
  type NodeClaims,
} from "../../../src/watchers/history/compare-histories.ts";
import { runs } from "../../support/runs.ts";

const ALL_LISTS = ["checkpoints", "snapshots", "rotations"] as const;

/** `100:a 200:b,c` = the hash of the checkpoint at block 100 is a; at block 200 there are two. */
function says(node: string, checkpoints: string | undefined, lists: readonly HistoryName[] = ALL_LISTS): NodeClaims {
  const claims = (checkpoints ?? "").split(" ").flatMap((one): Claim[] => {
    const [block = "", values = ""] = one.split(":");
    const place = { what: "checkpoints", block: BigInt(block), field: "hash" } as const;
    return values === "" ? [] : [{ ...place, values: values.split(",") }];
  });
  return { node, claims, lists: new Set(checkpoints === undefined ? [] : lists) };
}

/** A, B, C … in the order given. */
function network(...all: readonly (string | undefined)[]): NodeClaims[] {
  return all.map((one, index) => says(String.fromCodePoint(97 + index), one));
}

/** `a good, b at 100 (a, c)`: the first block at which it differs, and who says otherwise. */
function brief({ nodes, fork }: Comparison): string {
  const words = nodes.map(({ node, state, differs }) => {
    if (state !== "bad" || differs === undefined) return `${node} ${state}`;
    return `${node} at ${differs.block} (${differs.by.join(" ")})${differs.even ? " even" : ""}`;
  });
  const forked =
    fork === undefined
      ? ""
      : `; fork at ${fork.block}: ${fork.before.join()} (${fork.beforeBy.join(" ")}) to ${fork.after.join()} (${fork.afterBy.join(" ")})`;
  return words.join(", ") + forked;
}

/** Looks one after the other, each with what was stored of the one before. */
function look(...looks: readonly (readonly NodeClaims[])[]): Comparison {
  let last: Comparison | undefined;
  for (const one of looks) {
    const compared = compareHistories(one, last);
    last = comparison.parse(JSON.parse(JSON.stringify(comparison.encode(compared))));
  }
  return last!;
}

describe("nodes at equal block", () => {
  test.each<[string, readonly (string | undefined)[], string]>([
    ["say the same", ["100:x", "100:x", "100:x"], "a good, b good, c good"],
    ["one of three says another hash", ["100:x 200:y", "100:x 200:z", "100:x 200:y"], "a good, b at 200 (a c), c good"],
    ["one of two does: nobody can tell which", ["100:x", "100:z"], "a at 100 (b) even, b at 100 (a) even"],
    [
      "two and two",
      ["100:x", "100:x", "100:y", "100:y"],
      "a at 100 (c d) even, b at 100 (c d) even, c at 100 (a b) even, d at 100 (a b) even",
    ],
    [
      "two of five are on another chain",
      ["1:x", "1:x", "1:x", "1:y", "1:y"],
      "a good, b good, c good, d at 1 (a b c), e at 1 (a b c)",
    ],
    ["each says something else", ["1:x", "1:y", "1:z"], "a at 1 (b c), b at 1 (a c), c at 1 (a b)"],
    ["one keeps fewer rows", ["100:x 200:y 300:z", "300:z", "100:x 200:y 300:z"], "a good, b good, c good"],
    ["one has not the newest yet", ["100:x 200:y", "100:x", "100:x 200:y"], "a good, b good, c good"],
    ["one lists a row between that no other does", ["100:x 200:y", "100:x 150:q 200:y"], "a good, b good"],
    ["one has not the second of a block yet", ["100:x,y", "100:x", "100:x,y"], "a good, b good, c good"],
    ["but another one in its place", ["100:x,y", "100:x,z", "100:x,y"], "a good, b at 100 (a c), c good"],
    ["one does not answer", ["100:x", undefined, "100:x"], "a good, b unknown, c good"],
    ["one lists nothing that others do", ["100:x", "900:y", "100:x"], "a good, b unknown, c good"],
    ["one alone answers", ["100:x", undefined, undefined], "a unknown, b unknown, c unknown"],
    ["there is only one", ["100:x"], "a unknown"],
    ["it leaves the hash out", ["100:x", "100:", "100:x"], "a good, b unknown, c good"],
  ])("%s", (_name, nodes, expected) => {
    expect(brief(look(network(...nodes)))).toBe(expected);
  });

  test("blocks that differ are counted, and the first is named", () => {
    const [, b] = look(network("1:x 2:x 3:x 4:x", "1:x 2:y 3:y 4:x", "1:x 2:x 3:x 4:x")).nodes;
    expect(b?.differs).toMatchObject({ block: 2n, blocks: 2, says: ["y"], others: ["x"], by: ["a", "c"] });
  });
});

describe("from one look to the next", () => {
  const agreed = network("100:x", "100:x", "100:x");
  test.each<[string, readonly (readonly NodeClaims[])[], string]>([
    [
      "a node that differed agrees again",
      [network("1:x", "1:y", "1:x"), network("1:x", "1:x", "1:x")],
      "a good, b good, c good",
    ],
    [
      "one that does not answer any more is unknown",
      [network("1:x", "1:y", "1:x"), network("1:x", undefined, "1:x")],
      "a good, b unknown, c good",
    ],
    [
      "nor does one agree that does not answer the list in which it differed",
      [
        network("1:x", "1:y", "1:x"),
        [says("a", "1:x"), says("b", ""), says("c", "1:x")].map((one) => ({
          ...one,
          claims: [...one.claims, { what: "snapshots" as const, block: 1n, field: "block hash", values: ["s"] }],
          lists: new Set<HistoryName>(one.node === "b" ? ["snapshots"] : ALL_LISTS),
        })),
      ],
      "a good, b unknown, c good",
    ],
    [
      "whom the others leave alone differs from what they said",
      [agreed, network(undefined, "100:y", undefined)],
      "a unknown, b at 100 (), c unknown",
    ],
    ["of two the one that changes is named", [network("1:x", "1:x"), network("1:x", "1:y")], "a good, b at 1 (a)"],
    [
      "and it alone, also where nobody said anything before",
      [network("1:x", "1:x"), network("1:x 2:x", "1:y 2:y")],
      "a good, b at 1 (a)",
    ],
    [
      "a minority that changes is no fork",
      [agreed, network("100:x", "100:y", "100:x")],
      "a good, b at 100 (a c), c good",
    ],
    [
      "a majority that changes is one",
      [agreed, network("100:y", "100:y", "100:x")],
      "a good, b good, c at 100 (a b); fork at 100: x (c) to y (a b)",
    ],
    [
      "all of them",
      [agreed, network("100:y", "100:y", "100:y")],
      "a good, b good, c good; fork at 100: x () to y (a b c)",
    ],
    ["the one that there is", [network("100:x"), network("100:y")], "a unknown; fork at 100: x () to y (a)"],
    [
      "two answering of five are no majority",
      [network("1:x", "1:x", "1:x", "1:x", "1:x"), network("1:y", "1:y", undefined, undefined, undefined)],
      "a good, b good, c unknown, d unknown, e unknown",
    ],
    [
      "a fork is told once",
      [agreed, network("100:y", "100:y", "100:y"), network("100:y", "100:y", "100:y")],
      "a good, b good, c good",
    ],
    [
      "and not again where it goes back and forth",
      [agreed, network("100:y", "100:y", "100:y"), agreed, network("100:y", "100:y", "100:y")],
      "a good, b good, c good",
    ],
    [
      "but a third hash is another fork",
      [agreed, network("100:y", "100:y", "100:y"), network("100:z", "100:z", "100:z")],
      "a good, b good, c good; fork at 100: x,y () to z (a b c)",
    ],
    [
      "another checkpoint in the block is none",
      [agreed, network("100:x,y", "100:x,y", "100:x,y")],
      "a good, b good, c good",
    ],
    [
      "a network that begins anew is reset, not forked",
      [network("100:x 200:x", "100:x 200:x"), network("100:y", "100:y")],
      "a good, b good",
    ],
    [
      "one that goes back to an earlier block and on from there is forked",
      [network("100:x 200:x 300:x", "100:x 200:x 300:x"), network("100:x 200:y", "100:x 200:y")],
      "a good, b good; fork at 200: x () to y (a b)",
    ],
    [
      "what nobody lists any more is forgotten",
      [agreed, network("200:x", "200:x", "200:x"), network("100:y 200:x", "100:y 200:x", "100:y 200:x")],
      "a good, b good, c good",
    ],
    [
      "but not while too few answer to tell",
      [agreed, network("200:x", undefined, undefined), network("100:y", "100:y", "100:y")],
      "a good, b good, c good; fork at 100: x () to y (a b c)",
    ],
  ])("%s", (_name, looks, expected) => {
    expect(brief(look(...looks))).toBe(expected);
  });
});

/** A chain's blocks, and for each look and node: what it does. */
const deed = fc.record({
  answers: fc.boolean(),
  /** How many of the oldest and newest blocks it lacks. */
  pruned: fc.integer({ min: 0, max: 30 }),
  behind: fc.integer({ min: 0, max: 30 }),
  sibling: fc.boolean(),
});

test("whatever honest nodes keep, leave out and miss: none diverges, and nothing is forked", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.tuple(deed, deed, deed, deed, deed, deed), { minLength: 1, maxLength: 20 }),
      (count, looks) => {
        const told = looks.map((deeds, round) => {
          const blocks = Array.from({ length: 10 + 3 * round }, (_, index) => index * 7);
          return deeds.slice(0, count).map((one, node) => {
            const kept = blocks.slice(one.pruned, Math.max(0, blocks.length - one.behind));
            const words = kept.map(
              (block) => `${block}:h${block}${one.sibling && block % 3 === 0 ? `,s${block}` : ""}`,
            );
            return says(`n${node}`, one.answers ? words.join(" ") : undefined);
          });
        });
        let last: Comparison | undefined;
        for (const one of told) {
          last = compareHistories(one, last);
          expect(last.nodes.filter(({ state }) => state === "bad")).toEqual([]);
          expect(last.fork).toBeUndefined();
        }
      },
    ),
    runs(200),
  );
});

test("one liar of three or more is named where it lies, and no honest node is, whoever else is silent", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 3, max: 6 }),
      fc.array(fc.tuple(fc.boolean(), fc.array(fc.boolean(), { minLength: 6, maxLength: 6 })), {
        minLength: 1,
        maxLength: 12,
      }),
      (count, looks) => {
        let last: Comparison | undefined;
        for (const [round, [lies, silent]] of looks.entries()) {
          const honest = `${round}:h ${round + 1}:h ${round + 2}:h`;
          const all = silent.slice(0, count).map((isSilent, node) => {
            if (node === 0) return says("liar", lies ? `${round}:h ${round + 1}:l ${round + 2}:h` : honest);
            return says(`n${node}`, isSilent ? undefined : honest);
          });
          last = compareHistories(all, last);
          // One against one settles nothing.
          const isTold = all.filter(({ lists }) => lists.size > 0).length >= 3;
          const [liar, ...others] = last.nodes.map(({ state }) => state);
          const found = [liar, others.includes("bad")];
          expect(isTold ? found : "too few").toEqual(isTold ? [lies ? "bad" : "good", false] : "too few");
          expect(last.fork).toBeUndefined();
        }
      },
    ),
    runs(200),
  );
});
