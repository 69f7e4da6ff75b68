import { isAlive, undone } from "../../../alerts/route/subscription.ts";
import { subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { UserError } from "../../../errors.ts";
import { reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import { toMillis } from "../../../units/nanoseconds.ts";
import { type AlertCommandContext, changeAnnouncements } from "../alerts.ts";
import { isOwnSubscription } from "../destination.ts";
import { isOver } from "./change-subscription.ts";
import { countedWith, requireUnlike, silenceNote } from "./subscription-checks.ts";
import { findSubscription, labelsOf, listAction, subscriptionActions, subscriptionBlocks } from "./subscriptions.ts";

/** Takes back the last change of a subscription, as long as nobody has changed it since. */
export async function undoEdit(context: AlertCommandContext, typed: string): Promise<Reply> {
  const { alerts, caller } = context;
  const changed = await findSubscription(typed, context, "change its subscriptions");
  if (!isAlive(changed)) throw isOver(changed);
  const before = undone(changed, toMillis(context.now()));
  if (before === undefined) {
    throw new UserError(`Subscription ${changed.id} has no change that can be undone.`, {
      option: "id",
      remedy: "That is possible for ten minutes, until somebody changes it again. Change it by:",
      suggestion: `alerts edit ${changed.id}`,
    });
  }
  const others = countedWith(before, await alerts.subscriptions(), context);
  requireUnlike(before, others, alerts.config, { remedy: "All of them are listed by:", suggestion: "alerts list" });
  const labels = await labelsOf(before, context);
  const announced = isOwnSubscription(before, context)
    ? []
    : changeAnnouncements(context, [before.destination], { what: "edited", subscription: before }, labels);
  await alerts.putSubscriptions([before], caller.name, announced, changed);
  return reply({
    tone: "good",
    title: text`Undone: subscription ${code(before.id)} tells ${subscriptionWords(before, labels)} again`,
    blocks: [...subscriptionBlocks(before, labels), ...(await silenceNote(context, before))],
    actions: [...subscriptionActions(before, labels), listAction()],
  });
}
