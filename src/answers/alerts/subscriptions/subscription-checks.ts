import type { AlertsConfig } from "../../../alerts/alerts-config.ts";
import { type AlertKind, isConditionKind, KINDS, needsThreshold } from "../../../alerts/judge/kinds/kinds.ts";
import { marketFactsOf, marketPace } from "../../../alerts/judge/kinds/market-facts.ts";
import { factOf, storedConditions, VALUES } from "../../../alerts/judge/kinds/market-value.ts";
import type { Reading } from "../../../alerts/judge/kinds/reading.ts";
import { compareSeverity, type Severity } from "../../../alerts/judge/kinds/kind.ts";
import { judgeReading } from "../../../alerts/judge/rules/rules.ts";
import { isAlive, ownEndOf, rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import type { Suspension } from "../../../alerts/route/suspension.ts";
import { conditionWords } from "../../../alerts/words/condition-words.ts";
import { silencedWords } from "../../../alerts/words/network-status-words.ts";
import { type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { UserError } from "../../../errors.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { type Action, reply, type Reply } from "../../../reply/reply.ts";
import { strong, text, type Text } from "../../../reply/text.ts";
import { formatDuration, type Milliseconds, toMillis } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { isOverState } from "../../../api/model/market.ts";
import { marketsById } from "../../ids/ids.ts";
import { stateWords } from "../../markets.ts";
import type { AlertCommandContext } from "../alerts.ts";
import { type CallerContext, isOperator, isSameDestination } from "../destination.ts";
import { silencedUntil } from "../silences/silences.ts";
import { unreachable } from "../suspension-words.ts";
import { type Destination, destinationKey } from "../../../alerts/destination.ts";
import { contentKey, listAction, standingBlocks, subscriptionActions, subscriptionBlocks } from "./subscriptions.ts";

/** Each subscription costs a little at every observation, and nobody reads more in one channel. */
const MAX_SUBSCRIPTIONS_PER_DESTINATION = 100;
/** Each is polled, out of the node's rate budget that all callers share. */
export const MAX_PERSONAL_WATCHES = 20;

/** The others that are alive in the same place: of a channel's those of the channel, of a watch the person's watches. */
export function countedWith(
  { id, destination, personal, by }: Subscription,
  all: readonly Subscription[],
  context: CallerContext,
): Subscription[] {
  // Operators share the console.
  const isOfPerson = (one: Subscription): boolean => !isOperator(context) || one.by.id === by.id;
  return all.filter(
    (one) =>
      one.id !== id &&
      isAlive(one) &&
      one.personal === personal &&
      (personal !== true || isOfPerson(one)) &&
      isSameDestination(one.destination, destination),
  );
}

/** Throws UserError where there are so many already that no more are kept. */
export function requireCapacity({ personal }: Subscription, { length }: readonly Subscription[]): void {
  if (length < (personal === true ? MAX_PERSONAL_WATCHES : MAX_SUBSCRIPTIONS_PER_DESTINATION)) return;
  throw personal === true
    ? new UserError(`You have ${length} watches; ${MAX_PERSONAL_WATCHES} are the most.`, {
        remedy: "Remove one. They are listed by:",
        suggestion: "alerts list",
      })
    : new UserError(`There are ${length} subscriptions in this place already, and no more are kept.`, {
        remedy: "Remove some of them, or name several markets in one. They are listed by:",
        suggestion: "alerts list",
      });
}

/** Throws UserError where another one has the same content already. */
export function requireUnlike(
  one: Subscription,
  others: readonly Subscription[],
  config: AlertsConfig,
  step: { readonly remedy: string; readonly suggestion: string },
): void {
  const twin = others.find((other) => contentKey(other, config) === contentKey(one, config));
  if (twin !== undefined) throw new UserError(`Subscription ${twin.id} tells that already.`, { option: "id", ...step });
}

/** Notes where kinds never reach the minimum severity, or the one of a mention; empty where all can. */
export function severityNotes(subscription: Pick<Subscription, "kinds" | "floor" | "mention" | "parameters">): Block[] {
  const { mention } = subscription;
  return [...minimumSeverityNote(subscription), ...(mention === undefined ? [] : mentionNote(subscription))];
}

/** How bad a kind can become: a value of a market only where its condition says so. */
function worstOf(kind: AlertKind, { parameters }: Pick<Subscription, "parameters">): Severity {
  const { worst } = KINDS[kind];
  if (kind !== "market.value") return worst;
  return conditionsOf({ parameters }).some(({ critical }) => critical) ? worst : "warning";
}

function conditionsOf({ parameters }: Pick<Subscription, "parameters">) {
  return storedConditions(String(parameters["market.value"]?.["if"] ?? ""));
}

function neverWords(kinds: readonly AlertKind[], what: string): string {
  const named = kinds.map((kind) => (kind === "market.value" ? `${kind} without “as critical”` : kind));
  return `${named.join(", ")} never ${kinds.length === 1 ? "becomes" : "become"} ${what}`;
}

function mentionNote(subscription: Pick<Subscription, "kinds" | "parameters">): Block[] {
  const { kinds } = subscription;
  if (kinds.some((kind) => worstOf(kind, subscription) === "critical")) return [];
  const never = neverWords(kinds, "critical");
  return [paragraph(`Nobody will be mentioned: that is for what is critical, and ${never}.`)];
}

function minimumSeverityNote(subscription: Pick<Subscription, "kinds" | "floor" | "parameters">): Block[] {
  const { kinds, floor } = subscription;
  const covered = kinds.filter((kind) => compareSeverity(worstOf(kind, subscription), floor) >= 0);
  if (covered.length === kinds.length) return [];
  const bad = floor === "critical" ? "critical" : "a warning";
  return [
    paragraph(
      covered.length === 0
        ? `Nothing will be told: ${neverWords(kinds, bad)}. Give a lower severity.`
        : `Of these only ${covered.join(", ")} ever ${covered.length === 1 ? "becomes" : "become"} ${bad}; the rest is not told.`,
    ),
  ];
}

/** The answer about a subscription: its settings, a silence that keeps it back, what else is said, and its buttons. */
export async function subscriptionReply(
  context: Pick<AlertCommandContext, "alerts" | "now">,
  one: Subscription,
  labels: Labels,
  {
    title,
    tone = "neutral",
    more = [],
    actions = [],
  }: {
    readonly title: Text;
    /** Good where it was changed: what stays as it is has its content and its default values, too. */
    readonly tone?: "good" | "neutral";
    readonly more?: readonly Block[];
    readonly actions?: readonly Action[];
  },
): Promise<Reply> {
  const blocksOf = tone === "good" ? subscriptionBlocks : standingBlocks;
  return reply({
    tone,
    title,
    blocks: [...blocksOf(one, labels), ...(await silenceNote(context, one)), ...more],
    actions: [...actions, ...subscriptionActions(one, labels), listAction()],
  });
}

/** A note while a silence keeps back all or part of a subscription's alerts. A paused one tells nothing anyway. */
export async function silenceNote(
  { alerts, now }: Pick<AlertCommandContext, "alerts" | "now">,
  subscription: Subscription,
): Promise<Block[]> {
  if (subscription.state !== "active") return [];
  const silenced = silencedUntil(subscription, await alerts.silences(), toMillis(now()));
  return silenced === undefined ? [] : [paragraph(silencedWords(silenced))];
}

/** A note where other subscriptions of the place tell all or part of the same already; empty where none does. */
export function overlapNote(
  subscription: Subscription,
  there: readonly Subscription[],
  config: AlertsConfig,
  labels: Labels,
): Block[] {
  const found = there.flatMap((other) => {
    const share = coverageBy(subscription, other, config);
    return share === "none" ? [] : [{ other, share }];
  });
  const { other, share } = found.find((one) => one.share === "all") ?? found[0] ?? {};
  if (other === undefined) return [];
  const rest = found.length === 1 ? "" : `, and ${found.length - 1} more`;
  return [
    paragraph(
      text`${share === "all" ? "All" : "Part"} of this is told there already, with ${subscriptionWords(other, labels)}${rest}.`,
    ),
  ];
}

/** How much of what a subscription tells another one tells as well. */
export function coverageBy(own: Subscription, other: Subscription, config: AlertsConfig): "all" | "some" | "none" {
  if (other.state !== "active" || other.network !== own.network) return "none";
  const [told, others] = [own, other].map((one) => [
    ...rulesOf(one, config).map(({ id }) => id),
    ...one.kinds.filter((kind) => !isConditionKind(kind)),
  ]);
  const common = (told ?? []).filter((one) => others?.includes(one) === true);
  const everywhere = other.subjects.length === 0;
  const subjects = own.subjects.filter((one) => everywhere || other.subjects.includes(one));
  const isApart = own.subjects.length > 0 && subjects.length === 0;
  if (common.length === 0 || isApart) return "none";
  const [end, othersEnd] = [ownEndOf(own), ownEndOf(other)];
  const isAll =
    common.length === told?.length &&
    // What ends earlier tells the rest no more.
    othersEnd.until >= end.until &&
    (othersEnd.once === undefined || end.once === true) &&
    (everywhere || (own.subjects.length > 0 && subjects.length === own.subjects.length)) &&
    compareSeverity(own.floor, other.floor) >= 0;
  return isAll ? "all" : "some";
}

/** A reply does not wait longer for prices: the next observations say the same. */
const PRICES_WAIT_MILLIS = 2000;

/** A note for values that are beyond their thresholds already, or that a market has not, or no more; empty where none is, or no node answers in time. */
export async function crossedThresholdNote(
  context: Pick<AlertCommandContext, "alerts" | "api" | "network" | "signal">,
  subscription: Subscription,
  labels: Labels,
): Promise<Block[]> {
  const { alerts, api, network } = context;
  const rules = rulesOf(subscription, alerts.config).filter(
    ({ id, kind, whole }) => needsThreshold(kind) && id !== whole,
  );
  if (rules.length === 0 || subscription.network !== network) return [];
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PRICES_WAIT_MILLIS)]);
  const [answer, names] = await Promise.all([
    api.getMarketsData({ signal }).catch(() => undefined),
    marketsById(context),
  ]);
  const markets = answer?.value ?? [];
  const every = marketPace(alerts.config, answer?.bytes ?? Infinity);
  // One observation alone fires nothing: it may be the end of an earlier condition.
  const soon = `That is told once two looks have seen it, within about ${formatDuration(alerts.config.poll.rest + every)}.`;
  const often = `Looked at every ${formatDuration(every)}: what comes and goes between two looks is not seen.`;
  const crossed = subscription.subjects.flatMap((subject) => {
    const data = markets.find(({ market }) => market === subject);
    if (data === undefined) return [];
    const name = strong(labels[subject] ?? subject);
    if (isOverState(data.marketState)) {
      return [paragraph(text`${name} is over (${stateWords(data.marketState)}): none of its values is told any more.`)];
    }
    const facts = marketFactsOf(data, names.get(subject));
    const common = {
      network,
      subject,
      state: "good",
      seenBy: [],
      nodes: 1,
      ...withoutUndefined({ label: labels[subject] }),
    } as const;
    const readings: readonly Reading[] = [
      { kind: "market.price", ...common, facts: withoutUndefined({ price: facts.mark }) },
      { kind: "market.value", ...common, facts },
    ];
    const missing = conditionsOf(subscription).filter((one) => facts[factOf(one)] === undefined);
    const absent = [...new Set(missing.map(({ value }) => VALUES[value].words))].map((words) =>
      paragraph(text`${name} has no ${words} now: nothing is told of it until there is one.`),
    );
    const beyond = rules.flatMap((rule) => {
      const last = readings.find(({ kind }) => kind === rule.kind);
      if (last === undefined || judgeReading(rule, last).state !== "bad") return [];
      return [paragraph(text`${conditionWords({ rule: rule.id, last }).now}, already. ${soon}`)];
    });
    return [...beyond, ...absent];
  });
  return [...crossed, ...(answer === undefined ? [] : [paragraph(often)])];
}

/** A reply does not wait longer for a delivery. */
const DELIVERY_WAIT_MILLIS: Milliseconds = 1500;
const DELIVERY_POLL_MILLIS: Milliseconds = 50;

type Delivery = { readonly state: "arrived" | "on its way" } | { readonly state: "lost"; readonly why: string };

/** Whether the first message since a moment has arrived, or its destination turned out to be unreachable, and why. */
export async function awaitFirstDelivery(
  context: AlertCommandContext,
  destination: Destination,
  since: Milliseconds,
): Promise<Delivery> {
  const { alerts } = context;
  if (!alerts.platforms().includes(destination.platform)) return { state: "on its way" };
  return awaitDelivery(context, destination, async (suspended) => {
    if (suspended !== undefined && suspended.since >= since) return { state: "lost", why: suspended.why };
    const [last] = await alerts.finished(1, destinationKey(destination));
    return last?.state === "sent" && last.created_at >= since ? { state: "arrived" } : undefined;
  });
}

/** Looks until the state is known, or the wait is over. */
export async function awaitDelivery(
  { alerts, signal }: AlertCommandContext,
  destination: Destination,
  look: (suspended: Suspension | undefined) => Promise<Delivery | undefined>,
): Promise<Delivery> {
  const started = alerts.clock.monotonicMillis();
  for (;;) {
    const suspended = await unreachable(alerts, destination);
    const known = await look(suspended);
    if (known !== undefined) return known;
    if (alerts.clock.monotonicMillis() - started >= DELIVERY_WAIT_MILLIS) {
      return suspended === undefined ? { state: "on its way" } : { state: "lost", why: suspended.why };
    }
    await alerts.clock.sleep(DELIVERY_POLL_MILLIS, signal);
  }
}

/** A note where nothing delivers to that platform at the moment. */
export function deliveryNote(
  { alerts, platforms }: Pick<AlertCommandContext, "alerts" | "platforms">,
  { platform }: Destination,
): Block[] {
  if (alerts.platforms().includes(platform)) return [];
  const where = platforms.nameOf(platform);
  return [paragraph(`Nothing delivers to ${where} at the moment: messages wait until the bot runs there.`)];
}
