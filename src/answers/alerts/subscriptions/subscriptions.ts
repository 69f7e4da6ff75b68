// Finds and shows subscriptions for the alerts commands: visible ones, by id, fields and buttons. add-subscription.ts,
// personal-watch.ts and change-subscription.ts carry the commands out; thresholds.ts and
// notification-settings.ts read the typed values.

import type { AlertsConfig } from "../../../alerts/alerts-config.ts";
import { groupOf } from "../../../alerts/judge/kinds/kinds.ts";
import { isAlive, ownEndOf, rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import { deliveryOptionWords, type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { cutShort, nearest, quoteTyped } from "../../../bot/nearest.ts";
import type { Choice, Said, SuggestContext } from "../../../bot/options/options.ts";
import { UserError } from "../../../errors.ts";
import { type Block, details, facts, field, type Field, fields } from "../../../reply/block.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { type Action, type Ask, commandAction, invalidatingAction } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import {
  type AlertsContext,
  type CallerContext,
  destinationHere,
  isOperator,
  isOwnSubscription,
  isSameDestination,
  requireManager,
} from "../destination.ts";
import type { NamesContext } from "../../ids/ids.ts";
import { saidSubject, subjectLabels } from "../alert-subjects.ts";
import { findByShortId, shortIdChoices } from "../short-id.ts";

/** Slack's questions take 300 characters (https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object). */
const MAX_CONFIRM_LENGTH = 240;

/** The subscriptions that the caller may see here: the channel's and their own; operators see all. */
export function visibleSubscriptions(all: readonly Subscription[], context: CallerContext): Subscription[] {
  if (isOperator(context)) return [...all];
  const here = destinationHere(context);
  return all.filter((one) => isOwnSubscription(one, context) || isSameDestination(one.destination, here));
}

/**
 * The subscription with that id or prefix, which the caller may change: their own, or this channel's for its managers.
 * Removed ones are found only with `includeRemoved`, to undo the removal.
 * @throws UserError where none matches, or the caller may not change it.
 */
export async function findSubscription(
  typed: string,
  context: AlertsContext,
  doing: string,
  includeRemoved = false,
): Promise<Subscription> {
  const only = await seenSubscription(typed, context, includeRemoved);
  if (!isOwnSubscription(only, context)) requireManager(context, doing);
  return only;
}

/**
 * The same for whoever may see it.
 * @throws UserError where none matches.
 */
export async function seenSubscription(
  typed: string,
  context: AlertsContext,
  includeRemoved = false,
): Promise<Subscription> {
  const all = await context.alerts.subscriptions();
  const visible = visibleSubscriptions(all, context).filter(({ state }) => includeRemoved || state !== "removed");
  const found = findByShortId(visible, typed, isAlive);
  const [only] = found;
  if (only === undefined || found.length > 1) throw unknownSubscription(typed, all, visible, found);
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
      ? "Type this where it tells, or in the console. Those of this place:"
      : `${near === undefined ? "" : `Did you mean ${near}? `}This shows what there is:`;
  const named = found.map((one) => ({ id: one.id, words: subscriptionWords(one), kinds: one.kinds }));
  const meanings = { typed, values: shortIdChoices(named, typed) };
  return new UserError(sentence, { option: "id", remedy, suggestion: "alerts list", meanings });
}

/** Names of its subjects; none for a subscription to another network than the one asked about. */
export function labelsOf({ network, kinds, subjects }: Subscription, context: NamesContext): Promise<Labels> {
  return subjectLabels(network === context.api.network ? [{ kinds, ids: subjects }] : [], context);
}

/** Equal for two subscriptions with the same network, kinds, subjects and thresholds. */
export function contentKey(one: Subscription, config: AlertsConfig): string {
  const rules = rulesOf(one, config).map(({ id }) => id);
  const end = Object.values(ownEndOf(one));
  return JSON.stringify([one.network, one.kinds.toSorted(), one.subjects.toSorted(), rules.toSorted(), end]);
}

/** Equal for two subscriptions with the same notification settings. */
export function notificationSettingsKey(one: Subscription): string {
  const { floor, style, events, quietHours = null, mention = null, guidance = null, chart = null } = one;
  return JSON.stringify([floor, style, events, quietHours, mention, guidance, chart]);
}

/** Removes a subscription after a confirmation: `Remove the subscription to mark prices of BTC/USDT, above 70,000 on mainnet?`. */
function removeAction(one: Subscription, labels: Labels): Action {
  return {
    ...invalidatingAction("Remove", "alerts remove", { id: one.id }),
    confirm: `Remove the subscription to ${cutShort(plainText(subscriptionWords(one, labels)), MAX_CONFIRM_LENGTH)}?`,
  };
}

/** The buttons of a subscription that is alive: Change, Pause or Resume, Remove. */
export function subscriptionActions(one: Subscription, labels: Labels = {}): Action[] {
  if (!isAlive(one)) return [];
  return [{ label: "Change…", invocation: changeAsk(one), effect: "reply" }, ...endingActions(one, labels)];
}

/** What is done with it first; what ends it stands behind the list. */
export function firstActions(one: Subscription): Action[] {
  return subscriptionActions(one).slice(0, one.state === "paused" ? 2 : 1);
}

/** Shows what can be changed. */
export function changeAsk({ id }: Subscription): Ask {
  return { command: "alerts edit", options: { id } };
}

export function endingActions(one: Subscription, labels: Labels): Action[] {
  const [label, command] = one.state === "paused" ? ["Resume", "alerts resume"] : ["Pause", "alerts pause"];
  return [invalidatingAction(label, command, { id: one.id }), removeAction(one, labels)];
}

/** The subscription of a reply: its settings and state, then its content in full below the fold. */
export function subscriptionBlocks(one: Subscription, labels: Labels, more: readonly Field[] = []): Block[] {
  const how = deliveryOptionWords(one);
  return [
    ...facts([
      ...(how.length === 0 ? [] : [field("How", how, { wide: true })]),
      ...(one.state === "active" ? [] : [stateField(one)]),
      ...more,
    ]),
    // Only a typed line needs its id: buttons and forms know it.
    ...details([
      fields([
        field("Subscription", code(one.id)),
        field("Tells", subscriptionWords(one, labels), { wide: true }),
        ...kindsField(one),
      ]),
    ]),
  ];
}

/** A subscription that stays as it is: its content, settings and what state it is in, with default values. */
export function standingBlocks(one: Subscription, labels: Labels): Block[] {
  return [
    ...facts([
      field("Tells", subscriptionWords(one, labels), { wide: true }),
      field("How", deliveryOptionWords(one, true), { wide: true }),
      ...(one.state === "active" ? [] : [stateField(one)]),
    ]),
    ...details([fields([field("Subscription", code(one.id)), ...kindsField(one)])]),
  ];
}

function stateField({ state, why }: Subscription): Field {
  return field("State", why === undefined ? state : `${state}: ${why}`);
}

/** The kinds one by one, where they were chosen as groups. */
function kindsField({ kinds, groups }: Subscription): Field[] {
  return groups === undefined && groupOf(kinds) === undefined ? [] : [field("Kinds", kinds.join(", "), { wide: true })];
}

export function listAction(): Action {
  return commandAction("All subscriptions", "alerts list");
}

export async function suggestSubscriptions(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const alive = visibleSubscriptions(await context.alerts.subscriptions(), context).filter(isAlive);
  return choicesOf(alive, typed, context);
}

async function choicesOf(
  all: readonly Subscription[],
  typed: string,
  context: SuggestContext,
): Promise<readonly Choice[]> {
  const subjects = all.map(({ kinds, subjects: ids }) => ({ kinds, ids }));
  const labels = await subjectLabels(subjects, context);
  return shortIdChoices(
    all.map((one) => {
      const words = subscriptionWords(one, labels);
      const now = isAlive(one) && one.state !== "paused" ? words : text`${words} (${one.state})`;
      return { id: one.id, words: now, kinds: one.kinds };
    }),
    typed,
  );
}

/** The only subscription to a market or a node that a question names. */
export async function saidSubscription(words: readonly string[], context: SuggestContext): Promise<Said | undefined> {
  const subject = await saidSubject(words, context);
  const [only, ...others] = subject === undefined ? [] : await suggestSubscriptions(subject.value, context);
  return subject && only && others.length === 0 ? { value: only.value, words: subject.words } : undefined;
}

/** Completion for subscriptions that can be resumed, the last ended first. */
export async function suggestResumable(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const waiting = visibleSubscriptions(await context.alerts.subscriptions(), context)
    .filter(({ state }) => state === "paused" || state === "retired" || state === "removed")
    .toSorted((a, b) => (b.over ?? Infinity) - (a.over ?? Infinity) || b.created - a.created);
  return choicesOf(waiting, typed, context);
}
