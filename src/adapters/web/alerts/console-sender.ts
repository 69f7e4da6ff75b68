import type { Sender } from "../../../alerts/sender.ts";

/**
 * Delivers to the console. Pages read what was delivered from the store, so that a delivery has arrived as soon as its
 * receipt is kept, whether or not anybody looks; and a repeat is none, since it is the same row.
 */
export const consoleSender: Sender = {
  platform: "web",
  dropsRepeatsForMillis: Number.POSITIVE_INFINITY,
  send: async ({ id, destination }) => ({ platform: "web", channel: destination.channel, message: id }),
  update: async () => undefined,
};
