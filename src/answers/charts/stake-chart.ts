import { STAKE_DECIMALS, type StakeLinking } from "../../api/model/stake.ts";
import { plainText } from "../../reply/plain-text.ts";
import type { Scene } from "../../reply/chart.ts";
import { shortenId } from "../../reply/text.ts";
import { compareIntegers, decimal, formatDecimal } from "../../units/decimal.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import { formatCount } from "../../units/format-number.ts";
import { stakeAmount } from "../amounts.ts";
import { type ChartContext, type ChartSpan, KeptLine, lineNumbers, NO_SCENE, type Picture } from "./charts.ts";

/** Pending linkings that are marked. */
const MAX_MARKS = 5;

/**
 * A party's stake after each of its linkings, as the node lists them; without `from` since the first one. Undefined where
 * it never linked any.
 */
export async function stakePicture(
  { api, signal }: ChartContext,
  { from, to, zone }: Omit<ChartSpan, "from"> & { readonly from: Milliseconds | undefined },
  party: string,
): Promise<Picture | undefined> {
  const { value } = await api.getPartiesStake(party, { signal });
  // Nodes that do not know `party` send everybody.
  const found = value.find((one) => one.party?.toLowerCase() === party);
  const dated = (found?.stakeLinkings ?? []).flatMap((linking) => {
    const at = linking.ts ?? linking.blockTime ?? linking.finalizedAt;
    return at === undefined ? [] : [{ ...linking, at: toMillis(at) }];
  });
  const linkings = dated.toSorted((a, b) => a.at - b.at || compareIntegers(a.logIndex ?? 0n, b.logIndex ?? 0n));
  const accepted = linkings.filter(({ status }) => status === "STATUS_ACCEPTED");
  const [first] = accepted;
  if (first === undefined) return undefined;
  const span = { from: Math.min(from ?? first.at - (to - first.at) / 20, to - 1), to, zone };
  const line = new KeptLine("stake", span);
  let [sum, since] = [0n, span.from];
  const hold = (until: Milliseconds): void => {
    const exact = formatDecimal(decimal(sum, STAKE_DECIMALS), { group: false });
    line.add(Math.max(since, span.from), Number(exact), until, exact);
    // Just before the next linking: a step is no slope.
    if (until - 1 > since) line.add(Math.min(until - 1, to), Number(exact), until, exact);
  };
  for (const linking of accepted) {
    if (linking.at >= span.from) hold(linking.at);
    sum += changeOf(linking);
    since = linking.at;
  }
  hold(to);
  const count = accepted.length === 1 ? "one linking" : `${formatCount(accepted.length)} linkings`;
  const scene: Scene = {
    ...NO_SCENE,
    ...span,
    title: `Party ${shortenId(party)} stakes ${plainText([stakeAmount(found?.currentStakeAvailable)])}, after ${count}`,
    unit: "number",
    lines: [line.drawn],
    marks: linkings
      .filter(({ status, at }) => status === "STATUS_PENDING" && at >= span.from)
      .slice(-MAX_MARKS)
      .map(({ at }) => ({ at, name: "pending" })),
  };
  return { scene, numbers: [lineNumbers("chart-stake", [line], grouped)] };
}

function changeOf({ amount = 0n, type }: StakeLinking): bigint {
  return type === "TYPE_UNLINK" ? -amount : amount;
}

function grouped(exact: string): string {
  return exact.replace(/^-?\d+/u, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/gu, ","));
}
