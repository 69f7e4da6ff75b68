import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { millisBetween } from "../../api/verdict/verdict.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";

/** A network's time and the wall clock at that moment. */
export interface ClockReading {
  readonly time: Nanoseconds;
  readonly at: Nanoseconds;
}

/** A network cannot be ahead of the true time by more than its blocks are apart. */
const AHEAD_MILLIS: Milliseconds = 2000;
/** A node may take so long to take in a block. */
export const BEHIND_MILLIS: Milliseconds = 10_000;
const NTP = "Let the machine keep its clock by NTP (timedatectl set-ntp true).";

/**
 * This machine's clock against the time of a network's majority. A network that stands still looks like a clock that is
 * fast: which of them it is, a second look some seconds later tells.
 */
export function judgeClock(network: string, first: ClockReading, second: ClockReading, drift: Milliseconds): Finding {
  const check = "clock";
  const behind = millisBetween(second.time, second.at);
  const words = (off: Milliseconds): string => formatDuration(Math.abs(off));
  if (-behind > AHEAD_MILLIS) {
    const what = `this machine's clock is ${words(behind)} behind ${network}`;
    return -behind > drift ? fault(check, what, NTP) : warning(check, what, NTP);
  }
  if (behind <= BEHIND_MILLIS) return ok(check, `agrees with ${network} to ${words(behind)}`);
  if (second.time <= first.time) {
    const what = `${network} is ${words(behind)} behind this machine's clock and stands still`;
    return warning(
      check,
      what,
      "Ask again once the network moves: until then nobody can tell whether the clock is right.",
    );
  }
  const what = `this machine's clock is ${words(behind)} ahead of ${network}, which moves`;
  return behind > drift ? fault(check, what, NTP) : warning(check, what, NTP);
}
