import { setTimeout as sleep } from "node:timers/promises";

import { RateLimiter } from "../../src/adapters/discord/send/rate-limiter.ts";
import { DiscordSender } from "../../src/adapters/discord/send/send.ts";
import { closeRest, createRest } from "../../src/adapters/discord/transport/rest.ts";
import { TIMING } from "../../src/adapters/slack/context.ts";
import { SlackSender } from "../../src/adapters/slack/send/send.ts";
import { createWebClient } from "../../src/adapters/slack/transport/web-api.ts";
import { OWN_TOKEN, type Sender } from "../../src/alerts/sender.ts";
import { silentLog } from "../../src/log.ts";
import type { Destination } from "../../src/alerts/destination.ts";

/** What sends to the platforms of open-platforms.ts, without limits of its own. */
export function openSenders(origin: string): { readonly senders: readonly Sender[]; readonly close: () => void } {
  const log = silentLog();
  const payloads = { put: () => Promise.resolve("key"), get: () => Promise.resolve(undefined) };
  const parts = {
    payloads,
    log,
    ttlMillis: 1000,
    command: "/bell",
    botName: () => "bench",
    sleep: (millis: number) => sleep(millis),
    token: OWN_TOKEN,
  };
  const api = `${origin}/api`;
  const limits = { retries: 0, globalRequestsPerSecond: Number.POSITIVE_INFINITY };
  const rest = createRest({ token: "bench", apiUrl: api, ...limits });
  const senders = [
    new DiscordSender(rest, parts, new RateLimiter(Number.POSITIVE_INFINITY)),
    new SlackSender(createWebClient("bench", { apiUrl: `${api}/`, log }), { ...TIMING, ...parts, channelMillis: 0 }),
  ];
  return { senders, close: () => closeRest(rest) };
}

/** So many channels, half of them on Discord and half on Slack. */
export function openChannels(count: number): Destination[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? { platform: "discord", channel: String(1000 + index) }
      : { platform: "slack", channel: `C${index}` },
  );
}
