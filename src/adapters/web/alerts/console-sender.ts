import type { Sender } from "../../../alerts/sender.ts";

/**
 * The sender for the console. Pages read deliveries from the store, so a delivery has arrived once its receipt is
 * stored; a repeat changes nothing, since it is the same row.
 */
export const consoleSender: Sender = {
  platform: "web",
  dropsRepeatsForMillis: Number.POSITIVE_INFINITY,
  send: async ({ id, destination }) => ({ platform: "web", channel: destination.channel, message: id }),
  update: async () => undefined,
};
