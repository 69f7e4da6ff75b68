import { expect, it } from "vitest";

import { createAlertEngine } from "../../../src/alerts/engine/engine.ts";
import { silentLog } from "../../../src/log.ts";
import { FIRED, subscribed } from "../outage.ts";
import { down, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";

it("an open episode on a network that is not watched any more is closed and announced as gone, once", async () => {
  const it = await subscribed({ config: '{"remind": {"every": "1m", "times": 4}, "stalled": {"criticalFor": "1m"}}' });
  await it.engine.putSubscriptions([aSubscription({ id: "n", kinds: ["node.down"], network: "testnet" })], "ada");
  await it.round([{ ...down("good"), network: "testnet" }], [], "testnet");
  for (let round = 0; round < 4; round += 1) {
    await it.pass(5000);
    await it.round([{ ...down("bad"), network: "testnet" }], [], "testnet");
  }
  await it.rounds(8, [stalled("bad")]);
  expect(it.sender.take()).toEqual(["warning: node.down of a:1 on testnet", FIRED]);
  await it.restart(60_000);
  let woken = 0;
  const { store, config, clock } = it;
  const onOwed = (): void => {
    woken += 1;
    it.dispatcher.wake();
  };
  const engine = createAlertEngine({ store, config, clock, log: silentLog(), simulated: new Set(), onOwed });
  await engine.closeUnwatched(["testnet"]);
  expect(woken).toBe(1);
  await it.pass(0);
  expect(it.sender.take()).toEqual(["gone: network.stalled on mainnet"]);
  expect((await it.engine.openEpisodes()).map(({ network }) => network)).toEqual(["testnet"]);
  const gone = (await it.engine.decisions({ limit: 99 })).filter(({ what }) => what === "gone");
  expect(gone).toMatchObject([{ network: "mainnet", episode: "network.stalled|mainnet||1" }]);
  await engine.closeUnwatched(["testnet"]);
  expect(woken).toBe(1);
  for (let minute = 0; minute < 5; minute += 1) await it.pass(60_000);
  expect(it.sender.take()).toEqual([]);
  // Where it is watched again, a bad condition notifies again.
  await it.restart();
  await it.rounds(8, [stalled("bad")]);
  expect(it.sender.take()).toEqual([FIRED]);
});
