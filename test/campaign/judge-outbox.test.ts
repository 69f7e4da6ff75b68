import { expect, test } from "vitest";

import { judgeOrder } from "./judge-outbox.ts";

/** Faults of a channel with these messages, by their numbers in the ledger. */
function judged(...said: readonly (readonly [seq: number, title?: string])[]): readonly string[] {
  const messages = said.map(([seq, title = "9 checkpoints on testnet, all at once"]) => {
    return { delivery: `d${seq}`, title, text: title };
  });
  const owed = new Map(said.map(([seq]) => [`d${seq}`, { seq, phase: "digest" }]));
  const name = "discord live";
  return judgeOrder({ name, platform: "discord", messages }, owed).map((one) => / (d\d+) /u.exec(one)?.[1] ?? one);
}

const STALL = "testnet makes no block since 22:44:02 UTC";
const OVER = "Resolved: testnet made no block for 25 s (22:44:02 to 22:44:27 UTC)";
const SEEN = "Bellwether did not see testnet for 25 s (22:44:02 to 22:44:27 UTC)";
const NODE = "a:1 on testnet does not answer since 22:47:02 UTC";

test.each([
  ["in order", [[1], [2, STALL], [3], [4, OVER]], []],
  ["a critical one overtakes", [[1], [4, OVER], [2], [3], [5]], []],
  ["two critical ones overtake", [[3, STALL], [4, OVER], [1], [2]], []],
  ["another overtakes", [[1], [3], [2]], ["d2"]],
  ["another overtakes beside a critical one", [[4, OVER], [3], [2]], ["d2"]],
  [
    "the end of a warning is overtaken",
    [
      [3, STALL],
      [4, OVER],
      [2, SEEN],
    ],
    [],
  ],
  ["the end of a warning does not overtake", [[3, SEEN], [2]], ["d2"]],
  ["a node's does not overtake", [[3, NODE], [2]], ["d2"]],
  ["a critical one is overtaken", [[3], [2, STALL]], ["d2"]],
  [
    "critical ones out of their order",
    [
      [3, OVER],
      [2, STALL],
    ],
    ["d2"],
  ],
] as const)("%s", (_name, said, faults) => {
  expect(judged(...said)).toEqual(faults);
});
