import { rulesOf, type Subscription } from "../alerts/routing/subscription.ts";
import { exactPrice, isPriceBad } from "../alerts/rules/rules.ts";
import { thresholdSideWords } from "../alerts/wording/condition-words.ts";
import { groupedNumber, type Labels, subjectName } from "../alerts/wording/subscription-words.ts";
import { type Block, paragraph } from "../reply/block.ts";
import { text } from "../reply/text.ts";
import { formatDuration } from "../units/duration.ts";
import type { AlertCommandContext } from "./alert-change.ts";
import { marketsById } from "./offered-names.ts";

/** A reply does not wait longer than this for prices that only say what the next looks would. */
const PRICES_WAIT_MILLIS = 2000;

/** What is beyond its thresholds as they are set; empty where nothing is, or no node says so in time. */
export async function crossedThresholdNote(
  context: Pick<AlertCommandContext, "alerts" | "api" | "network" | "signal">,
  subscription: Subscription,
  labels: Labels,
): Promise<Block[]> {
  const { alerts, api, network } = context;
  const rule = rulesOf(subscription, alerts.config).find(({ kind }) => kind === "market.price");
  if (rule?.kind !== "market.price" || subscription.network !== network) return [];
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PRICES_WAIT_MILLIS)]);
  const [markets, names] = await Promise.all([
    api.getMarketsData({ signal }).then(
      ({ value }) => value,
      () => [],
    ),
    marketsById(context),
  ]);
  // One look alone fires nothing: what it saw may be the end of what was there before anybody looked.
  const soon = `That is told once two looks have seen it, within about ${formatDuration(2 * alerts.config.poll.rest)}.`;
  return subscription.subjects.flatMap((subject) => {
    const { markPrice } = markets.find(({ market }) => market === subject) ?? {};
    if (markPrice === undefined || markPrice <= 0n) return [];
    const price = exactPrice(markPrice, names.get(subject));
    if (price === undefined || isPriceBad(rule.parameters, price) !== true) return [];
    const side = thresholdSideWords(rule.id, price);
    return [
      paragraph(text`${subjectName(subject, labels)} is ${side} already: mark price ${groupedNumber(price)}. ${soon}`),
    ];
  });
}
