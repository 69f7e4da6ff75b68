import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Milliseconds } from "../units/time.ts";

// V8 lets its young generation double from 1 MB to 64 MB while modules are loaded, and gives none of that back in a
// process that then has little to do: some 40 MB that a bot of two chat platforms cannot spare. The factor by which it
// grows is read at each growth, unlike its size, which counts only before V8 starts
// (https://github.com/v8/v8/blob/main/src/flags/flag-definitions.h, semi_space_growth_factor).

/**
 * Keeps V8's young generation as small as it is. V8 does not take compiled code that was stored under other flags, be it
 * Node's own or that of the compile cache: what a process needs for its first answer is to be loaded before.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** After this time every module is loaded and every platform is connected. */
const COLLECT_AFTER: Milliseconds = 20_000;

/**
 * Schedules one major collection after the start: a process that then has little to do allocates so little that V8
 * would leave some 15 MB of startup garbage for hours. Returns the function that cancels it.
 */
export function collectGarbageOnce(): () => void {
  const timer = setTimeout(() => {
    void garbageCollector()({ type: "major", execution: "async" });
  }, COLLECT_AFTER);
  timer.unref();
  return () => clearTimeout(timer);
}

/**
 * Collects garbage once the heap has grown by a fifth, where V8 would let it grow fourfold, and makes the young generation
 * small again, which modules let grow. For a process that allocates much and keeps little.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=10");
  garbageCollector()({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Collects all garbage: https://nodejs.org/api/cli.html#--expose-gc. The function exists only with this flag. */
function garbageCollector() {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as (how: {
    type: "major";
    execution: "async" | "sync";
    flavor?: "last-resort";
  }) => unknown;
}
