import type { AlertDesk } from "../alerts/alert-desk.ts";
import { destinationKey } from "../alerts/subscription.ts";
import { subscriptionWords } from "../alerts/subscription-words.ts";
import type { Text } from "../reply/text.ts";
import type { Ask } from "../reply/reply.ts";

/** One line of a list of what somebody is told of, and what ends it. */
export interface OwnSubscription {
  readonly text: Text;
  readonly remove: Ask;
}

/** What somebody on Slack watches for themselves, for the home tab; newest first. */
export async function ownSubscriptions(
  desk: Pick<AlertDesk, "subscriptions">,
  person: { readonly id: string },
): Promise<readonly OwnSubscription[]> {
  const key = destinationKey({ platform: "slack", channel: `user:${person.id}` });
  return (await desk.subscriptions())
    .filter(
      ({ destination, state }) => destinationKey(destination) === key && (state === "active" || state === "paused"),
    )
    .toSorted((a, b) => b.created - a.created)
    .map((one) => ({
      text: subscriptionWords(one),
      remove: { command: "alerts remove", options: { id: one.id } },
    }));
}
