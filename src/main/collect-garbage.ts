import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Milliseconds } from "../units/duration.ts";

/** By then everything is loaded and every platform has been met. */
const SETTLED: Milliseconds = 20_000;

/**
 * Has V8 look once for what was needed only to start: a process that then has little to do makes so little garbage
 * that V8 would leave some 15 MB of it for hours. Gives what keeps it from happening.
 */
export function collectGarbageOnce(): () => void {
  const timer = setTimeout(() => {
    // Without the flag the function is there for nobody: https://nodejs.org/api/cli.html#--expose-gc.
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (how: { type: "major"; execution: "async" }) => Promise<void>;
    void collect({ type: "major", execution: "async" });
  }, SETTLED);
  timer.unref();
  return () => clearTimeout(timer);
}
