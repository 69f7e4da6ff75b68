import { idOf } from "../dependencies.ts";
import type { Destination } from "../destination.ts";
import type { DeliveryPhase, PlannedDelivery } from "../deliver/outbox/batch.ts";
import { isDrill, type Episode } from "../judge/rules/episode.ts";
import type { Decision } from "../judge/judge.ts";
import type { AlertMessage, MessageOf } from "../message/message.ts";
import type { Subscription } from "../route/subscription.ts";

/** An episode, as far as its messages depend on it. */
export interface DeliveryInput {
  readonly episode: Episode;
  readonly simulated: boolean;
  /** Grows with each change of whom it was told: no two plans of one phase have the same. */
  readonly revision: number;
}

export function labelled<M extends AlertMessage>(input: DeliveryInput, message: M): M {
  return {
    ...message,
    ...(input.simulated ? { simulated: true } : {}),
    ...(isDrill(input.episode) ? { drill: true } : {}),
  };
}

type EpisodeMessage = MessageOf<"condition" | "flapping">;

const sharedMessages = new WeakMap<Episode, Map<string, EpisodeMessage>>();

/** Destinations that get the same message of an episode share one object, which is built and stored once. */
function sharedMessage(input: DeliveryInput, message: EpisodeMessage): EpisodeMessage {
  const messages = sharedMessages.get(input.episode) ?? new Map<string, EpisodeMessage>();
  sharedMessages.set(input.episode, messages);
  const key = sharedKey(message);
  const known = messages.get(key);
  if (known !== undefined) return known;
  const labelledMessage = labelled(input, message);
  messages.set(key, labelledMessage);
  return labelledMessage;
}

function sharedKey(message: EpisodeMessage): string {
  if (message.type !== "condition") return message.type;
  const { phase, reminder, already = "", guidance, short = false } = message;
  return `${phase} ${reminder?.number ?? ""} ${already} ${short} ${guidance === undefined ? "" : JSON.stringify(guidance)}`;
}

export function planDelivery(
  input: DeliveryInput,
  { destination }: Pick<Subscription, "destination">,
  phase: DeliveryPhase,
  message: EpisodeMessage,
  more: Pick<PlannedDelivery, "mention" | "quiet" | "cardOf" | "edits" | "spent" | "picture"> = {},
): PlannedDelivery {
  const episode = input.episode.id;
  const isShort = message.type === "condition" && more.cardOf !== undefined;
  const said = sharedMessage(input, isShort ? { ...message, short: true } : message);
  return { id: deliveryId(input, destination, phase, more.edits), destination, phase, message: said, episode, ...more };
}

/** The id of a delivery about an episode. */
export function deliveryId(
  { episode, revision }: DeliveryInput,
  destination: Destination,
  phase: DeliveryPhase,
  edits = "",
): string {
  return idOf(`${phase} ${revision} ${episode.id} ${edits}`, destination);
}

export function decision(input: DeliveryInput, destination: string, what: string, detail: string): Decision {
  return { what, network: input.episode.network, episode: input.episode.id, destination, detail };
}
