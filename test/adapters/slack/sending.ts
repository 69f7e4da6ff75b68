import { expect } from "vitest";

import { TIMING } from "../../../src/adapters/slack/context.ts";
import { SlackSender, type SlackSenderDependencies } from "../../../src/adapters/slack/send/send.ts";
import { createWebClient } from "../../../src/adapters/slack/transport/web-api.ts";
import { type Delivery, OWN_TOKEN, SendError } from "../../../src/alerts/sender.ts";
import { silentLog } from "../../../src/log.ts";

/** Never aborted. */
export const { signal } = new AbortController();

/** A delivery to a channel of Slack. */
export function delivery(id: string, channel: string, more: Partial<Delivery> & { thread?: string } = {}): Delivery {
  const { thread, ...rest } = more;
  return { id, destination: { platform: "slack", channel, ...(thread === undefined ? {} : { thread }) }, ...rest };
}

/** The error that a send was refused with. */
export async function refused(sending: Promise<unknown>): Promise<SendError> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
}

/** The sender alone, on a Slack at this address. */
export function senderOn(
  apiUrl: string,
  more: Partial<SlackSenderDependencies> & { callMillis?: number } = {},
): SlackSender {
  const log = silentLog();
  const { callMillis: timeoutMillis, ...rest } = more;
  return new SlackSender(createWebClient("xoxb-fake-token", { apiUrl, log, timeoutMillis }), {
    payloads: { put: () => Promise.resolve("key"), get: () => Promise.resolve(undefined) },
    log,
    ttlMillis: 1,
    command: "/bell",
    botName: () => "bellwether",
    sleep: () => Promise.resolve(),
    token: OWN_TOKEN,
    ...TIMING,
    channelMillis: 1,
    ...rest,
  });
}
