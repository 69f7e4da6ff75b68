import { expect, test } from "vitest";

import type { Subscription } from "../../../src/alerts/route/subscription.ts";
import { homeSubscriptions } from "../../../src/main/platforms/home-subscriptions.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { saying } from "../../support/said.ts";
import { PLATFORMS } from "../../support/platforms.ts";

function subscribed(id: string, channel: string, more: Partial<Subscription> = {}): Subscription {
  return aSubscription({ id, destination: { platform: "slack", channel }, style: "live", created: 1, ...more });
}

test("one's own newest first, each with what ends it, then how much each channel of Slack is told of", async () => {
  const all = [
    subscribed("a", "user:U1"),
    subscribed("b", "user:U1", { created: 2, state: "paused" }),
    subscribed("c", "user:U1", { state: "removed" }),
    subscribed("d", "user:U2"),
    subscribed("e", "C1"),
    subscribed("f", "C1", { state: "paused" }),
    subscribed("g", "C2"),
    subscribed("h", "C3", { state: "retired" }),
    subscribed("i", "112233", { destination: { platform: "discord", channel: "112233" } }),
    subscribed("j", "console", { destination: { platform: "web", channel: "console" } }),
  ];
  const service = { subscriptions: () => Promise.resolve(all) };
  const shown = await homeSubscriptions(service, { platform: "slack", id: "U1", workspace: "T1" }, PLATFORMS);
  expect(shown.map(({ text, channel, remove }) => [plainText(text), channel, remove?.options["id"]])).toEqual([
    ["stalls on mainnet", undefined, "b"],
    ["stalls on mainnet", undefined, "a"],
    [expect.stringMatching(saying(2, 1)), "C1", undefined],
    [expect.stringMatching(saying(1)), "C2", undefined],
  ]);
});
