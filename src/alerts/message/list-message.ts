import type { AlertMessage, MessageOf } from "./message.ts";

/** A message that is one growing list: the events of a day, or what was held. */
export type ListMessage = MessageOf<"rolling" | "digest">;

/** How many of the day's events its message lists; the rest it counts. */
const MAX_LISTED_EVENTS = 10;

export function isList(message: AlertMessage): message is ListMessage {
  return message.type === "rolling" || message.type === "digest";
}

/** One list of two of a type, the first of which began earlier. Pure. */
export function addToList(list: ListMessage, added: ListMessage): ListMessage {
  if (list.type === "rolling" && added.type === "rolling") {
    const events = [...list.events, ...added.events].slice(-MAX_LISTED_EVENTS);
    return { ...list, total: list.total + added.total, events };
  }
  if (list.type === "digest" && added.type === "digest") {
    const simulated = added.simulated === true ? { simulated: true as const } : {};
    const events = [...list.events, ...added.events];
    return { ...list, ...simulated, events, episodes: [...list.episodes, ...added.episodes] };
  }
  throw new RangeError(`a ${added.type} does not belong to a ${list.type}`);
}
