import { expect } from "vitest";

import { SendError, type Delivery } from "../../../src/alerts/sender.ts";

/** Never aborted. */
export const { signal } = new AbortController();

/** A delivery to a channel of Slack. */
export function delivery(id: string, channel: string, more: Partial<Delivery> & { thread?: string } = {}): Delivery {
  const { thread, ...rest } = more;
  return { id, destination: { platform: "slack", channel, ...(thread === undefined ? {} : { thread }) }, ...rest };
}

/** What a send was refused with. */
export async function refused(sending: Promise<unknown>): Promise<SendError> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
}
