import type { Subscription as HomeSubscription } from "../../adapters/chat/home-data.ts";
import type { PlatformPlace, Platforms } from "../../alerts/platform.ts";
import { isAlive, type Subscription } from "../../alerts/route/subscription.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import { subscriptionWords } from "../../alerts/words/subscription-words.ts";
import { strong, text, type Text } from "../../reply/text.ts";
import { destinationKey, tokenKey } from "../../alerts/destination.ts";

/** A person on a platform, and their workspace there. */
export interface PlacedPerson extends PlatformPlace {
  readonly id: string;
}

/**
 * The subscriptions of a person, newest first, followed by the number of subscriptions of each channel of the
 * workspace. Their contents are only for members of that channel: they may name parties.
 */
export async function homeSubscriptions(
  service: Pick<AlertService, "subscriptions">,
  person: PlacedPerson,
  platforms: Platforms,
): Promise<readonly HomeSubscription[]> {
  const direct = platforms.destination(person, `user:${person.id}`);
  const own = destinationKey(direct);
  const alive = (await service.subscriptions())
    .filter((one) => isAlive(one) && tokenKey(one.destination) === tokenKey(direct))
    .toSorted((a, b) => b.created - a.created);
  const channels = Map.groupBy(
    alive.filter(({ destination }) => !destination.channel.startsWith("user:")),
    ({ destination }) => destination.channel,
  );
  return [
    ...alive.filter(({ destination }) => destinationKey(destination) === own).map(ownLine),
    ...[...channels].map(([channel, all]) => ({ channel, text: channelWords(all) })),
  ];
}

function ownLine(one: Subscription): HomeSubscription {
  return { text: subscriptionWords(one), remove: { command: "alerts remove", options: { id: one.id } } };
}

/** The text before the channel's name. */
function channelWords(all: readonly Subscription[]): Text {
  const paused = all.filter(({ state }) => state === "paused").length;
  const counted = all.length === 1 ? "1 subscription" : `${all.length} subscriptions`;
  return text`${strong(counted)}${paused === 0 ? "" : `, ${paused} of them paused,`}`;
}
