import { describe, expect, it } from "vitest";

import {
  holdMessage,
  quietHoursEndAt,
  releaseHeld,
  rescheduleHeld,
} from "../../../../src/alerts/deliver/outbox/held.ts";
import { joinRules } from "../../../../src/alerts/deliver/outbox/batch.ts";
import type { AlertMessage } from "../../../../src/alerts/message/message.ts";
import { readMessages } from "../../../../src/alerts/deliver/outbox/stored-messages.ts";
import { enqueue } from "../../../../src/alerts/deliver/outbox/outbox.ts";
import { buildSubscriptionIndex } from "../../../../src/alerts/route/subscription-index.ts";
import type { Subscription } from "../../../../src/alerts/route/subscription.ts";
import type { AlertTables } from "../../../../src/store/alert-tables/alert-tables.ts";
import { aSubscription, anEpisode } from "../../samples.ts";
import { openStage } from "../../stage.ts";
import { destinationKey } from "../../../../src/alerts/destination.ts";

const ops = { platform: "fake", channel: "ops" };
const desk = { platform: "fake", channel: "desk" };
const quietHours = { from: "12:00", to: "13:00", zone: "UTC" };
const HOUR = 3_600_000;
const FAR = 4_000_000_000_000;
const over = (more: object = {}): Extract<AlertMessage, { type: "condition" }> => ({
  type: "condition",
  phase: "resolve",
  episode: anEpisode("network.stalled", { state: "resolved", ended: "1700000060000000000" }),
  ...more,
});

/** Messages held for a channel until then. */
async function held(until: number, ...messages: readonly ReturnType<typeof over>[]) {
  const stage = await openStage();
  const at = stage.now();
  const tables = <T>(work: (tables: AlertTables) => Promise<T>): Promise<T> =>
    stage.store.transaction(({ alerts }) => work(alerts));
  const deliveries = messages.map((message, index) =>
    holdMessage({ id: `held${index}`, destination: ops }, message, until === 0 ? at : until),
  );
  await tables((all) => enqueue(all, { deliveries }, at, undefined, joinRules(stage)));
  const release = (subscriptions: readonly Subscription[], then = at) => {
    const index = buildSubscriptionIndex(subscriptions, [], stage.config);
    return tables(async (all) => {
      const { owed, decisions } = await releaseHeld(all, index, then);
      const rows = await all.outbox.openOf(destinationKey(ops));
      const read = await readMessages(all, rows);
      return { owed, decisions, digests: [...read.values()] };
    });
  };
  return { at, tables, release };
}

describe("what was held", () => {
  it("is one digest, and nothing else is decided", async () => {
    const { release } = await held(0, over(), over({ simulated: true }));
    const { digests, decisions } = await release([aSubscription()]);
    expect(digests).toMatchObject([{ type: "digest", simulated: true, episodes: [{}, {}] }]);
    expect(decisions).toEqual([]);
  });

  it("is dropped where the subscribers are elsewhere", async () => {
    const { release } = await held(0, over());
    const { digests, decisions } = await release([aSubscription({ destination: desk })]);
    expect(digests).toEqual([]);
    expect(decisions).toMatchObject([{ what: "suppressed by a change", destination: destinationKey(ops) }]);
  });

  it.each([
    ["waits on, where a change leaves the quiet hours as they are", aSubscription({ floor: "critical" }), 0],
    ["is due with the end of the quiet hours that were changed", aSubscription({ quietHours }), 1],
  ])("%s", async (_what, changed, released) => {
    const { at, tables, release } = await held(FAR, over());
    const before = aSubscription();
    await tables((all) => rescheduleHeld(all, new Map([[before.id, before]]), [changed], [changed], at));
    expect((await release([changed])).owed).toBe(0);
    expect((await release([changed], at + HOUR)).owed).toBe(released);
  });
});

it.each<[string, Partial<Subscription>, number]>([
  ["those of an active subscription", { quietHours }, HOUR],
  ["those of an ended one", { quietHours, state: "ended" }, HOUR],
  ["not those of a removed one", { quietHours, state: "removed" }, 0],
  ["not those of a paused one", { quietHours, state: "paused" }, 0],
  ["not those of another channel", { quietHours, destination: desk }, 0],
  ["not those of another channel that has ended", { quietHours, destination: desk, state: "ended" }, 0],
  ["none", {}, 0],
])("the quiet hours of a destination are %s", (_which, more, after) => {
  const at = 1_717_416_000_000;
  expect(quietHoursEndAt(destinationKey(ops), [aSubscription(more)], at) - at).toBe(after);
});
