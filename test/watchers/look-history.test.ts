import { expect, test } from "vitest";

import { LookHistory } from "../../src/watchers/look-history.ts";
import { fromMillis, type Stretch } from "../../src/units/time.ts";

function history() {
  const gaps: Stretch[] = [];
  let restarts = 0;
  const looks = new LookHistory("mainnet", {
    onGap: (gap) => void gaps.push(gap),
    onRestart: () => void (restarts += 1),
  });
  const see = (watcher: string, seconds: number, run = "a", failure = {}) =>
    looks.see(
      watcher,
      { run, every: 5000, dueMillis: seconds * 1000, at: fromMillis(seconds * 1000), ...failure },
      () => [],
    );
  return { see, gaps, restarts: () => restarts };
}

test("a watcher that is late restarts nothing while the nodes are looked at", () => {
  const { see, gaps, restarts } = history();
  see("markets", 0);
  for (const at of [0, 5, 10, 15, 20]) see("sources", at);
  see("markets", 20);
  expect([gaps, restarts()]).toEqual([[], 0]);
});

test("a gap in the looks at the nodes, and another watch, restart the judging", () => {
  const { see, gaps, restarts } = history();
  for (const at of [0, 5, 21]) see("sources", at);
  expect([gaps, restarts()]).toEqual([[{ from: 5000, to: 21_000 }], 1]);
  see("sources", 26, "b");
  see("markets", 27, "b");
  expect([gaps.length, restarts()]).toEqual([1, 2]);
});

test("a first look that failed has nothing to judge", () => {
  const { see } = history();
  expect(see("sources", 0, "a", { failure: "no answer" })).toBeUndefined();
  expect(see("sources", 5, "a", { failure: "no answer" })).toBeDefined();
});
