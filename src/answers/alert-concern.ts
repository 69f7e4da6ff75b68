import { z } from "zod";

import { covers, destinationKey, isAlive, StoredDestination } from "../alerts/routing/subscription.ts";
import type { Episode } from "../alerts/rules/episode.ts";
import type { Destination } from "../alerts/sender.ts";
import type { AlertService } from "../alerts/service/service.ts";
import { UserError } from "../errors.ts";
import { type CallerContext, destinationHere, isOperator } from "./alert-place.ts";

const StoredDelivery = z.object({ destination: StoredDestination });

/** Where an episode was told, or is to be. */
export async function notifiedDestinations(desk: Pick<AlertService, "why">, episode: Episode): Promise<Destination[]> {
  const rows = (await desk.why(episode.id))?.deliveries ?? [];
  const told = rows.map(({ data }) => StoredDelivery.parse(JSON.parse(data)).destination);
  return [...new Map(told.map((one) => [destinationKey(one), one])).values()];
}

/**
 * Throws UserError unless the episode is this place's to change: told here, or subscribed to here. Whoever manages one
 * channel does not thereby speak for those of others.
 */
export async function requireEpisodeAccess(
  desk: Pick<AlertService, "why" | "subscriptions">,
  episode: Episode,
  context: CallerContext,
): Promise<void> {
  if (isOperator(context)) return;
  const here = destinationKey(destinationHere(context));
  const told = await notifiedDestinations(desk, episode);
  if (told.some((one) => destinationKey(one) === here)) return;
  const subscribed = (await desk.subscriptions()).some(
    (one) =>
      destinationKey(one.destination) === here &&
      isAlive(one) &&
      one.kinds.includes(episode.kind) &&
      covers(one, episode),
  );
  if (subscribed) return;
  throw new UserError(`This channel is not told of ${episode.id}.`, {
    option: "episode",
    remedy: "Acknowledge it where it is told, or subscribe this channel with:",
    suggestion: `alerts add ${episode.kind}`,
  });
}
