import { expect, it } from "vitest";

import { machineKey, parseEpisode, parseMachine } from "../../../../src/alerts/judge/rules/episode.ts";
import { ParsedRowCache } from "../../../../src/alerts/judge/rules/state-cache.ts";
import { FIRED, subscribed } from "../../outage.ts";
import { auction, stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";

it("parses again what has changed since the last observation, and nothing else", async () => {
  const stage = await subscribed({}, { kinds: ["network.stalled", "market.auction"] });
  await stage.engine.putSubscriptions([aSubscription({ id: "other", network: "testnet" })], "ada");
  await stage.rounds(8, [stalled("bad", { badForMillis: 1000 }), auction("bad")]);
  expect(stage.sender.take()).toContain(FIRED);
  const [machines, episodes] = [new ParsedRowCache(parseMachine), new ParsedRowCache(parseEpisode)];
  const load = () =>
    stage.store.transaction(async ({ alerts: { watch } }) => ({
      machines: machines.parse(await watch.machines("mainnet"), (row) => machineKey(row.rule, row.subject)),
      open: episodes.parse(await watch.openEpisodes("mainnet"), ({ id }) => id),
    }));
  const before = await load();
  before.open.clear();
  await stage.round([stalled("good"), auction("bad")], [], "testnet");
  const same = await load();
  expect([...same.open.keys()].toSorted()).toEqual(["market.auction|mainnet|m1|1", "network.stalled|mainnet||1"]);
  const key = machineKey("network.stalled", "");
  expect(same.machines.get(key)).toMatchObject({ phase: "firing" });
  expect(same.machines.get(key)).toBe(before.machines.get(key));
  await stage.round([stalled("good"), auction("bad")]);
  const after = await load();
  expect(after.machines.get(key)).toMatchObject({ phase: "recovering" });
  expect(after.open.get("network.stalled|mainnet||1")).toMatchObject({ state: "recovering" });
});
