import type { ChangeMessage } from "../../../alerts/message/message.ts";
import { isAlive, type Subscription } from "../../../alerts/route/subscription.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { UserError } from "../../../errors.ts";
import { commandAction, reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import { toMillis } from "../../../units/nanoseconds.ts";
import { type AlertCommandContext, changeAnnouncements } from "../alerts.ts";
import { isOwnSubscription, isSameDestination, workspaceOf } from "../destination.ts";
import { unreachable } from "../suspension-words.ts";
import { MAX_SUBSCRIPTIONS_PER_DESTINATION, testAnnouncement, unreachableReply } from "./add-subscription.ts";
import { MAX_PERSONAL_WATCHES } from "./personal-watch.ts";
import { awaitFirstDelivery, awaitReached, silenceNote } from "./subscription-checks.ts";
import {
  contentKey,
  findSubscription,
  labelsOf,
  listAction,
  standingBlocks,
  subscriptionActions,
  subscriptionBlocks,
} from "./subscriptions.ts";

type StateChange = Extract<ChangeMessage["change"], { subscription: Subscription }>["what"];

const STATE_CHANGES = {
  removed: { doing: "remove its subscriptions", state: "removed", done: "Removed" },
  paused: { doing: "pause its subscriptions", state: "paused", done: "Paused" },
  resumed: { doing: "resume its subscriptions", state: "active", done: "Resumed" },
} as const satisfies Partial<Record<StateChange, { doing: string; state: Subscription["state"]; done: string }>>;

/** Removes, pauses or resumes a subscription; a state that holds already changes and announces nothing. */
export async function changeSubscriptionState(
  context: AlertCommandContext,
  typed: string,
  what: keyof typeof STATE_CHANGES,
): Promise<Reply> {
  const { alerts, caller } = context;
  const { doing, state, done } = STATE_CHANGES[what];
  const found = await findSubscription(alerts, typed, context, doing, what === "resumed");
  if (found.state === "ended" || (found.state === "retired" && what === "paused")) {
    throw new UserError(`Subscription ${found.id} is over: ${found.why ?? found.state}.`, {
      option: "id",
      remedy: "There is nothing left to do with it; add another one with:",
      suggestion: "alerts add",
    });
  }
  if (state === "active" && !isAlive(found)) await requireCapacity(alerts, found);
  const labels = await labelsOf(found, context);
  if (found.state === state) {
    const suspended = what === "resumed" ? await unreachable(alerts, found.destination) : undefined;
    if (suspended !== undefined) return retryDelivery(context, found, labels);
    return reply({
      title: text`Nothing changed: subscription ${code(found.id)} is ${state} already`,
      blocks: [...standingBlocks(found, labels), ...(await silenceNote(context, found))],
      actions: [...subscriptionActions(found, labels), listAction()],
    });
  }
  const { why: _, ...rest } = found;
  const changed: Subscription = { ...rest, ...workspaceOf(found.destination, context), state };
  const isBack = found.state === "retired";
  const announced = isOwnSubscription(found, context)
    ? isBack
      ? [testAnnouncement(context, found.destination, { subscription: changed })]
      : []
    : changeAnnouncements(context, [found.destination], { what, subscription: changed }, labels);
  const since = toMillis(context.now());
  await alerts.putSubscription(changed, caller.name, announced, found);
  if (isBack && announced.length > 0) {
    // The place was unreachable: the announcement shows whether it can be reached again.
    const delivery = await awaitFirstDelivery(alerts, { ...changed, created: since }, context.signal);
    if (delivery.state === "lost") return unreachableReply(context, changed, delivery.why, labels);
  }
  return reply({
    tone: "good",
    title: text`${done} subscription ${code(found.id)}: ${subscriptionWords(found, labels)}`,
    blocks: [...subscriptionBlocks(changed, labels), ...(await silenceNote(context, changed))],
    actions: [
      ...(what === "removed" ? [commandAction("Undo", "alerts resume", { id: found.id })] : []),
      ...subscriptionActions(changed, labels),
      listAction(),
    ],
  });
}

/** A channel that cannot be reached is tried at once. */
async function retryDelivery(context: AlertCommandContext, found: Subscription, labels: Labels): Promise<Reply> {
  const { alerts } = context;
  await alerts.retry(found.destination);
  const delivery = await awaitReached(alerts, found.destination, context.signal);
  if (delivery.state === "lost") return unreachableReply(context, found, delivery.why, labels);
  return reply({
    tone: "good",
    title: text`Alerts arrive again: subscription ${code(found.id)} goes on`,
    blocks: [...subscriptionBlocks(found, labels), ...(await silenceNote(context, found))],
    actions: [...subscriptionActions(found, labels), listAction()],
  });
}

/** A removed subscription returns only if the same was not added meanwhile, and within the limit. */
async function requireCapacity({ subscriptions, config }: AlertService, removed: Subscription): Promise<void> {
  const personal = removed.personal === true;
  const there = (await subscriptions()).filter(
    (one) =>
      isAlive(one) &&
      (one.personal === true) === personal &&
      (!personal || one.by.id === removed.by.id) &&
      isSameDestination(one.destination, removed.destination),
  );
  const twin = there.find((one) => contentKey(one, config) === contentKey(removed, config));
  if (twin !== undefined) {
    throw new UserError(`Subscription ${twin.id} tells that already.`, {
      option: "id",
      remedy: "There is nothing to bring back. All of them are listed by:",
      suggestion: "alerts list",
    });
  }
  if (there.length >= (personal ? MAX_PERSONAL_WATCHES : MAX_SUBSCRIPTIONS_PER_DESTINATION)) {
    throw new UserError(`There are ${there.length} subscriptions already, and no more are kept.`, {
      option: "id",
      remedy: "Remove some of them first. They are listed by:",
      suggestion: "alerts list",
    });
  }
}
