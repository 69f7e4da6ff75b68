import { SILENT_ROUNDS } from "./believe.ts";
import {
  isFurther,
  millisBetween,
  type NodeMemory,
  type Position,
  type SourceMemory,
  type Tip,
  type VerdictThresholds,
} from "./verdict.ts";

/**
 * The furthest position that a believed node has shown, or a quorum confirmed. One that was only shown is forgotten when
 * its node is no longer believed, or when no node has been there for as long as makes a stall critical.
 */
export function judgeTip(
  nodes: readonly NodeMemory[],
  before: SourceMemory | undefined,
  nowMillis: number,
  thresholds: VerdictThresholds,
): Tip | undefined {
  const { tip: known, frontier } = before ?? {};
  let tip = known !== undefined && isKept(known) ? known : undefined;
  if (frontier !== undefined && isFurther(frontier, tip)) tip = at(frontier, frontier.node);
  const heard = nodes.filter(({ disbelief, missed }) => disbelief === undefined && missed < SILENT_ROUNDS);
  for (const { node, last } of heard) if (last !== undefined && isFurther(last, tip)) tip = at(last, node);
  if (tip === undefined) return undefined;
  const isShown = heard.some(({ last }) => last !== undefined && !isBehindTip(last, tip, thresholds));
  return isShown ? { ...tip, shownAtMillis: nowMillis } : tip;

  function isKept({ node: name, shownAtMillis }: Tip): boolean {
    const isBelieved = nodes.every(({ node, disbelief }) => node !== name || disbelief === undefined);
    return isBelieved && nowMillis - shownAtMillis < thresholds.criticalMillis;
  }

  function at({ time, height }: Position, node: string): Tip {
    return { node, time, shownAtMillis: nowMillis, ...(height === undefined ? {} : { height }) };
  }
}

/** Whether a node there has to catch up before its moves say anything of the network. */
export function isBehindTip(
  { time }: Position,
  tip: Position | undefined,
  { laggingMillis }: VerdictThresholds,
): boolean {
  return tip !== undefined && millisBetween(time, tip.time) > laggingMillis;
}
