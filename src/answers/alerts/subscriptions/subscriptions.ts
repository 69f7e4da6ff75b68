import type { AlertsConfig } from "../../../alerts/alerts-config.ts";
import { isAlive, rulesOf, type Subscription } from "../../../alerts/routing/subscription.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { type Labels, subscriptionWords } from "../../../alerts/wording/subscription-words.ts";
import { cutShort, nearest, quoteTyped } from "../../../bot/nearest.ts";
import type { Choice, SuggestContext } from "../../../bot/options/options.ts";
import { UserError } from "../../../errors.ts";
import { plainText } from "../../../reply/plain-text.ts";
import type { Action } from "../../../reply/reply.ts";
import { text } from "../../../reply/text.ts";
import {
  type CallerContext,
  destinationHere,
  isOperator,
  isOwnSubscription,
  isSameDestination,
  requireManager,
} from "../destination.ts";
import { findByShortId, shortIdChoices } from "../short-id.ts";

/** Slack's questions take 300 characters (https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object). */
const MAX_CONFIRM_LENGTH = 240;

/** Those that somebody may see here: the channel's and their own; operators see all. */
export function visibleSubscriptions(all: readonly Subscription[], context: CallerContext): Subscription[] {
  if (isOperator(context)) return [...all];
  const here = destinationHere(context);
  return all.filter((one) => isOwnSubscription(one, context) || isSameDestination(one.destination, here));
}

/**
 * The subscription that is meant, which the caller may change: one's own, or this channel's for those who manage it;
 * one that was removed where that is to be undone.
 * @throws UserError where there is none, or it is not theirs to change.
 */
export async function findSubscription(
  desk: Pick<AlertService, "subscriptions">,
  typed: string,
  context: CallerContext,
  doing: string,
  removedToo = false,
): Promise<Subscription> {
  const all = await desk.subscriptions();
  const visible = visibleSubscriptions(all, context).filter(({ state }) => removedToo || state !== "removed");
  const found = findByShortId(visible, typed, isAlive);
  const [only] = found;
  if (only === undefined || found.length > 1) throw unknownSubscription(typed, all, visible, found);
  if (!isOwnSubscription(only, context)) requireManager(context, doing);
  return only;
}

function unknownSubscription(
  typed: string,
  all: readonly Subscription[],
  visible: readonly Subscription[],
  found: readonly Subscription[],
): UserError {
  const wanted = typed.trim().toLowerCase();
  const elsewhere = all.find(({ id, state }) => id.toLowerCase() === wanted && state !== "removed");
  const removed = all.some(({ id, state }) => id.toLowerCase() === wanted && state === "removed");
  const alive = visible.filter(isAlive).map(({ id }) => id);
  const near = nearest(typed, alive);
  const sentence =
    found.length > 1
      ? `${quoteTyped(typed)} could be ${found.length} subscriptions.`
      : elsewhere !== undefined
        ? `Subscription ${elsewhere.id} belongs to another place.`
        : removed
          ? `Subscription ${wanted} has been removed already.`
          : `There is no subscription ${quoteTyped(typed)} here.`;
  const remedy =
    elsewhere !== undefined && found.length === 0
      ? "Type this where it tells, or in the console."
      : `${near === undefined ? "" : `Did you mean ${near}? `}This shows what there is:`;
  return new UserError(sentence, { option: "id", remedy, suggestion: "alerts list" });
}

/** What must be the same for two subscriptions to tell the same things. */
export function contentKey(one: Subscription, config: AlertsConfig): string {
  const rules = rulesOf(one, config).map(({ id }) => id);
  return JSON.stringify([one.network, one.kinds.toSorted(), one.subjects.toSorted(), rules.toSorted()]);
}

/** What must be the same beside that for them to be told in the same way. */
export function notificationSettingsKey({ floor, style, events, quietHours, mention }: Subscription): string {
  return JSON.stringify([floor, style, events, quietHours ?? null, mention ?? null]);
}

/** What is asked before one is removed: `Remove subscription 7k2mq (market.price of BTC/USDT, above 70,000 on mainnet)?`. */
export function removeAction(one: Subscription, label: string, labels: Labels = {}): Action {
  return {
    label,
    invocation: { command: "alerts remove", options: { id: one.id } },
    effect: "reply",
    confirm: `Remove subscription ${one.id} (${cutShort(plainText(subscriptionWords(one, labels)), MAX_CONFIRM_LENGTH)})?`,
  };
}

/** The buttons for one subscription. */
export function subscriptionActions(one: Subscription, labels: Labels = {}): Action[] {
  const options = { id: one.id };
  const pause: Action =
    one.state === "paused"
      ? { label: "Resume", invocation: { command: "alerts resume", options }, effect: "reply" }
      : { label: "Pause", invocation: { command: "alerts pause", options }, effect: "reply" };
  return isAlive(one) ? [pause, removeAction(one, "Remove", labels)] : [];
}

/** Completion of a subscription's id. */
export async function suggestSubscriptions(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const alive = visibleSubscriptions(await context.alerts.subscriptions(), context).filter(isAlive);
  return shortIdChoices(
    alive.map((one) => ({ id: one.id, words: subscriptionWords(one) })),
    typed,
  );
}

/** The same for those that can begin again, the last ones to end first. */
export async function suggestResumable(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const waiting = visibleSubscriptions(await context.alerts.subscriptions(), context)
    .filter(({ state }) => state === "paused" || state === "retired" || state === "removed")
    .toSorted((a, b) => (b.over ?? Infinity) - (a.over ?? Infinity) || b.created - a.created);
  return shortIdChoices(
    waiting.map((one) => ({ id: one.id, words: text`${subscriptionWords(one)} (${one.state})` })),
    typed,
  );
}
