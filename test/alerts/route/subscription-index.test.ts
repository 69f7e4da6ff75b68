import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseAlertsConfig } from "../../../src/alerts/alerts-config.ts";
import { buildSubscriptionIndex } from "../../../src/alerts/route/subscription-index.ts";
import { covers, isAlive, rulesOf, type Subscription } from "../../../src/alerts/route/subscription.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";
import { isJudgedAlways } from "../../../src/alerts/judge/rules/rules.ts";

const config = parseAlertsConfig("{}");
const KINDS = ["network.stalled", "market.auction", "market.price"] as const;
const network = fc.constantFrom("mainnet", "testnet");
const subject = fc.constantFrom("a", "b", "c");
const place = fc.record({ network, subject: fc.oneof(subject, fc.constant("")) });

const subscription = fc
  .record({
    kinds: fc.subarray([...KINDS], { minLength: 1 }),
    network,
    subjects: fc.array(subject, { maxLength: 3 }),
    state: fc.constantFrom<Subscription["state"]>("active", "active", "paused", "removed"),
    high: fc.constantFrom("1", "2"),
    spanMillis: fc.constantFrom(30_000, 60_000),
  })
  .map(({ high, spanMillis, ...rest }) => {
    const parameters = { "market.price": { high, when: "beyond" }, "network.stalled": { for: spanMillis } };
    return aSubscription({ ...rest, parameters });
  });

describe("the subscription index", () => {
  it("parses again only rows that have changed", async () => {
    const stage = await openStage();
    await stage.engine.putSubscriptions([aSubscription(), aSubscription({ id: "sub2" })], "ada");
    const [first, second] = await stage.engine.subscriptions();
    await stage.engine.putSubscriptions([aSubscription({ id: "sub2", style: "live" })], "ada");
    const [still, changed] = await stage.engine.subscriptions();
    expect(still).toBe(first);
    expect(changed).toEqual({ ...second, style: "live" });
  });

  it("finds for a subject what a scan of every subscription would find, in the same order", () => {
    fc.assert(
      fc.property(fc.array(subscription, { maxLength: 8 }), place, (drawn, what) => {
        const all = drawn.map((one, index) => ({ ...one, id: `s${index}` }));
        const subscriptionIndex = buildSubscriptionIndex(all, [], config);
        const rulesIn = (one: Subscription) => rulesOf(one, config);
        for (const kind of KINDS) {
          const asked = all.filter((one) => isAlive(one) && covers(one, what)).flatMap(rulesIn);
          const ids = asked.filter((rule) => rule.kind === kind).map(({ id }) => id);
          const wanted = new Set([...(kind === "network.stalled" ? [kind] : []), ...ids]);
          const rules = subscriptionIndex.rules(kind, what);
          expect(rules.map(({ id }) => id).toSorted()).toEqual([...wanted].toSorted());
          expect(rules.filter(isJudgedAlways).length).toBe(kind === "network.stalled" ? 1 : 0);
          for (const { id } of rules) {
            const taking = all.filter((one) => rulesIn(one).some((rule) => rule.id === id));
            const told = taking.filter((one) => one.state === "active" && covers(one, what));
            expect(subscriptionIndex.subscribers(id, what)).toEqual(told);
          }
        }
      }),
    );
  });
});
