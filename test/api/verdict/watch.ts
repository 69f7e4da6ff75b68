import { judgeSources } from "../../../src/api/verdict/judge-sources.ts";
import { DEFAULT_THRESHOLDS, type SourceMemory, type Verdict, type Witness } from "../../../src/api/verdict/verdict.ts";
import { nanoseconds, type Nanoseconds } from "../../../src/units/time.ts";

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

/**
 * What a node does from a second on: it goes `on` with the present, stands `still` where it was, is `off`, or says a time
 * so many seconds before the present (`-90`) or after it (`+20`). A height follows the time, two blocks a second.
 */
export type Doing = "on" | "still" | "off" | `${"-" | "+"}${number}`;
export type Script = Readonly<Record<string, readonly (readonly [seconds: number, doing: Doing])[]>>;

/** Plays a script in rounds of five seconds, from 15 s before the start; gives the verdict of each, by its second. */
export function play(script: Script, until: number, { heights = true } = {}): Map<number, Verdict> {
  const watch = new Watch();
  const verdicts = new Map<number, Verdict>();
  const said = new Map<string, number>();
  for (let seconds = -15; seconds <= until; seconds += 5) {
    const witnesses = Object.entries(script).map(([node, parts]): Witness => {
      const now = parts.findLastIndex(([from]) => from <= seconds);
      const [from, doing] = parts[now] ?? [0, "on"];
      if (doing === "off") return gone(node);
      const wentOn = (parts[now - 1]?.[1] ?? "on") === "on";
      const stood = wentOn ? from : (said.get(node) ?? from);
      const time = doing === "on" ? seconds : doing === "still" ? stood : seconds + Number(doing);
      said.set(node, time);
      return says(node, time, heights ? 10_000 + 2 * time : undefined);
    });
    verdicts.set(seconds, watch.round(seconds, witnesses));
  }
  return verdicts;
}

export const NAMES = ["a", "b", "c"];
export const says = (node: string, seconds: number, height?: number): Witness => ({
  node,
  reachable: true,
  time: at(seconds),
  ...(height === undefined ? {} : { height: BigInt(height) }),
});
export const gone = (node: string): Witness => ({ node, reachable: false, why: "refused the connection" });
