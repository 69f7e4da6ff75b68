import { compareSeverity, worstOfKind } from "../../../alerts/kinds/severity.ts";
import { destinationKey, rulesOf, type Subscription } from "../../../alerts/routing/subscription.ts";
import { exactPrice, isPriceBad } from "../../../alerts/rules/rules.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { thresholdSideWords } from "../../../alerts/wording/condition-words.ts";
import { groupedNumber, type Labels, subjectName } from "../../../alerts/wording/subscription-words.ts";
import type { Clock } from "../../../api/clock.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { text } from "../../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../../units/duration.ts";
import { marketsById } from "../../ids/ids.ts";
import type { AlertCommandContext } from "../alerts.ts";

/** Said where kinds of a subscription never become as bad as it asks for; empty where all of them may. */
export function minimumSeverityNote({ kinds, floor }: Pick<Subscription, "kinds" | "floor">): Block[] {
  const told = kinds.filter((kind) => compareSeverity(worstOfKind(kind), floor) >= 0);
  if (told.length === kinds.length) return [];
  const bad = floor === "critical" ? "critical" : "a warning";
  return [
    paragraph(
      told.length === 0
        ? `Nothing will be told: ${kinds.join(", ")} never ${kinds.length === 1 ? "becomes" : "become"} ${bad}. Give a lower severity.`
        : `Of these only ${told.join(", ")} ever ${told.length === 1 ? "becomes" : "become"} ${bad}; the rest is not told.`,
    ),
  ];
}

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

/** What is not there by then is on its way: nobody is kept waiting for it. */
const DELIVERY_WAIT_MILLIS: Milliseconds = 1500;
const DELIVERY_POLL_MILLIS: Milliseconds = 50;

/**
 * Whether what a new subscription owes its place at once has arrived there, or the place turned out not to be
 * reachable: a channel that the bot is not in. `why` is the platform's.
 */
export async function awaitFirstDelivery(
  desk: Pick<AlertService, "platforms" | "subscriptions" | "settled">,
  { id, destination, created }: Subscription,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ readonly state: "arrived" | "on its way" } | { readonly state: "lost"; readonly why: string }> {
  if (!desk.platforms().includes(destination.platform)) return { state: "on its way" };
  const key = destinationKey(destination);
  const begun = clock.monotonicMillis();
  while (clock.monotonicMillis() - begun < DELIVERY_WAIT_MILLIS) {
    const now = (await desk.subscriptions()).find((one) => one.id === id);
    if (now?.state === "retired") return { state: "lost", why: now.why ?? "it is gone" };
    const [last] = (await desk.settled(1, key)).rows;
    if (last?.state === "sent" && last.created_at >= created) return { state: "arrived" };
    await clock.sleep(DELIVERY_POLL_MILLIS, signal);
  }
  return { state: "on its way" };
}
