import { expect, test } from "vitest";

import { Suspensions } from "../../../src/alerts/route/suspension.ts";
import type { Subscription } from "../../../src/alerts/route/subscription.ts";
import { homeSubscriptions } from "../../../src/main/platforms/home-subscriptions.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { silentLog } from "../../../src/log.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { alertService } from "../../support/alert-service.ts";
import { homeContext } from "../../support/home-context.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";

const ANN = { id: "U1", name: "ann" };
const BOB = { id: "U2", name: "bob" };

function subscribed(id: string, channel: string, more: Partial<Subscription> = {}): Subscription {
  const destination = { platform: "slack", channel };
  return aSubscription({ id, destination, workspace: "T1", by: ANN, style: "live", created: 1, ...more });
}

const ALL = [
  subscribed("a", "user:U1"),
  subscribed("b", "user:U1", { created: 2, state: "paused" }),
  subscribed("c", "user:U1", { state: "removed" }),
  subscribed("d", "user:U2"),
  subscribed("e", "C00000001"),
  subscribed("f", "C00000001", { state: "paused", by: BOB }),
  subscribed("g", "C00000002", { by: BOB }),
  subscribed("h", "C00000003", { state: "retired", why: "the channel is gone" }),
  subscribed("k", "C00000004", { workspace: "T2" }),
  subscribed("i", "112233", { destination: { platform: "discord", channel: "112233" } }),
  subscribed("j", "console", { destination: { platform: "web", channel: "console" } }),
];

async function shownTo(caller: Parameters<typeof homeContext>[1]) {
  const scratch = await scratchDatabase();
  await using store = Object.assign(createStore({ url: `file:${scratch.file}`, log: silentLog() }), {
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await scratch.remove();
    },
  });
  const suspensions = new Suspensions([]);
  const destination = { platform: "slack", channel: "C00000001" };
  suspensions.put({ platform: "slack", destination, since: 1000, why: "not_in_channel", nextAt: 0 });
  await store.transaction(({ alerts }) => suspensions.save(alerts, 1000));
  const alerts = { ...alertService(store), subscriptions: () => Promise.resolve(ALL) };
  const shown = await homeSubscriptions(homeContext(alerts, caller));
  return shown.map(({ text, channel, remove, trouble }) => [
    plainText(text),
    channel,
    remove?.options["id"],
    ...(trouble === undefined ? [] : [plainText(trouble)]),
  ]);
}

const OWN = [
  ["stalls on mainnet (paused)", undefined, "b"],
  ["stalls on mainnet", undefined, "a"],
];

test("one's own newest first, then what each channel gets that one has subscribed, with what is wrong there", async () => {
  expect(await shownTo({})).toEqual([
    ...OWN,
    [
      "C00000001: stalls on mainnet; stalls on mainnet (paused)",
      "C00000001",
      undefined,
      expect.stringContaining("not_in_channel"),
    ],
    ["C00000003: ", "C00000003", undefined, expect.stringContaining("the channel is gone")],
  ]);
});

test("whoever manages all channels sees those that others subscribed, of their workspace alone", async () => {
  const shown = await shownTo({ managesWorkspace: true });
  expect(shown.map(([, channel]) => channel)).toEqual([undefined, undefined, "C00000001", "C00000002", "C00000003"]);
});

test("a guest sees their own alone", async () => {
  expect(await shownTo({ mayManageChannel: false })).toEqual(OWN);
});
