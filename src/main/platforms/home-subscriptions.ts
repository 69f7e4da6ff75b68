import type { Subscription as HomeSubscription } from "../../adapters/chat/home-data.ts";
import { isAlive, type Subscription } from "../../alerts/route/subscription.ts";
import { subscriptionWords } from "../../alerts/words/subscription-words.ts";
import { channelName } from "../../alerts/words/phrases.ts";
import { type AlertsContext, directMessages } from "../../answers/alerts/destination.ts";
import { readablePlaces } from "../../answers/alerts/episodes/told.ts";
import { watchedMarketLabels } from "../../answers/alerts/episodes/network-status.ts";
import { unreachableWords } from "../../answers/alerts/suspension-words.ts";
import { noiseChange, noiseLeave, noiseOf, noiseWords } from "../../answers/alerts/subscriptions/noise.ts";
import { joinText, text, type Text } from "../../reply/text.ts";
import type { Milliseconds } from "../../units/time.ts";
import { destinationKey } from "../../alerts/destination.ts";

/** The alerts of the bot as the viewer of a page may see them. */
export type HomeContext = AlertsContext & { managed(): Promise<ReadonlySet<string>> };

/** A page waits a second for other thresholds; they are tried on for longer. */
const NOISE_WITHIN: Milliseconds = 10_000;

/**
 * The subscriptions of the viewer, newest first, then those of each channel that the viewer may manage: others may name
 * parties, and the bot cannot ask who is in a channel.
 */
export async function homeSubscriptions(
  context: HomeContext,
  now: Milliseconds = Date.now(),
): Promise<readonly HomeSubscription[]> {
  const { alerts, here, platforms } = context;
  const own = destinationKey(directMessages(context));
  const { keys = [] } = await readablePlaces(context);
  const [all, suspensions] = await Promise.all([alerts.subscriptions(), alerts.suspensions()]);
  const places = Map.groupBy(
    all
      .filter((one) => isAlive(one) || one.state === "retired")
      .filter(({ destination }) => keys.includes(destinationKey(destination)))
      .toSorted((a, b) => b.created - a.created),
    ({ destination }) => destinationKey(destination),
  );
  const networks = new Set([...places.values()].flat().map(({ network }) => network));
  const labels = new Map(
    await Promise.all(
      [...networks].map(async (network) => [network, await watchedMarketLabels(network, alerts)] as const),
    ),
  );
  const alike = { ...context, signal: AbortSignal.timeout(NOISE_WITHIN) };
  const noise = Map.groupBy(await noiseOf([...places.values()].flat(), now, alike), ({ subscription }) => subscription);
  const noisy = (...all: readonly Subscription[]) => {
    const found = all.flatMap((one) => noise.get(one) ?? []);
    const shown = found.map((one) => ({ text: noiseWords(one), change: noiseChange(one), leave: noiseLeave(one) }));
    return shown.length === 0 ? {} : { noise: shown };
  };
  const wordsOf = (one: Subscription): Text => {
    const state = one.state === "active" ? "" : ` (${one.state})`;
    return text`${subscriptionWords(one, labels.get(one.network))}${state}`;
  };
  return [...places]
    .toSorted(([a], [b]) => Number(b === own) - Number(a === own))
    .flatMap(([key, told]): HomeSubscription[] => {
      const [first] = told;
      if (first === undefined) return [];
      const alive = told.filter(isAlive);
      const [trouble] = unreachableWords(told, suspensions);
      const marked = trouble === undefined ? {} : { trouble };
      if (key === own) {
        return alive.map((one, index) => ({
          text: wordsOf(one),
          remove: { command: "alerts remove", options: { id: one.id } },
          ...noisy(one),
          ...(index === 0 ? marked : {}),
        }));
      }
      if (alive.length === 0 && trouble === undefined) return [];
      const { channel } = first.destination;
      const name = channelName(first.destination, platforms, here);
      return [{ channel, text: text`${name}: ${joinText(alive.map(wordsOf), "; ")}`, ...noisy(...alive), ...marked }];
    });
}
