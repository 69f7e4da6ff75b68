import { judgeSources } from "../../../src/api/verdict/judge-sources.ts";
import { DEFAULT_THRESHOLDS, type SourceMemory, type Verdict, type Witness } from "../../../src/api/verdict/verdict.ts";
import { nanoseconds, type Nanoseconds } from "../../../src/units/nanoseconds.ts";

const START = 1_682_942_400_000;
/** So many seconds after the start. */
export const at = (seconds: number): Nanoseconds =>
  nanoseconds(BigInt(Math.round((START / 1000 + seconds) * 1000)) * 1_000_000n);

/** A watch in virtual time: each round is so many seconds after the start, the wall clock in step with it. */
export class Watch {
  memory: SourceMemory | undefined;
  round(seconds: number, witnesses: readonly Witness[]): Verdict {
    const verdict = judgeSources(
      { witnesses, atMillis: 1_000_000 + seconds * 1000, wallClock: at(seconds) },
      this.memory,
      DEFAULT_THRESHOLDS,
    );
    this.memory = verdict.memory;
    return verdict;
  }
}

export const NAMES = ["a", "b", "c"];
export const says = (node: string, seconds: number, height?: number): Witness => ({
  node,
  reachable: true,
  time: at(seconds),
  ...(height === undefined ? {} : { height: BigInt(height) }),
});
export const gone = (node: string): Witness => ({ node, reachable: false, why: "refused the connection" });
