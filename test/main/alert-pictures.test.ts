import { expect, onTestFinished, test } from "vitest";

import type { DispatchDependencies } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { silentLog } from "../../src/log.ts";
import { createAlertPictures } from "../../src/main/alerting/alert-pictures.ts";
import { memoryAttachment } from "../../src/reply/reply.ts";
import type { Scene } from "../../src/reply/chart.ts";
import { until } from "../support/fake-discord/until.ts";
import { down } from "../alerts/readings.ts";
import { aSubscription } from "../alerts/samples.ts";
import { openStage } from "../alerts/stage.ts";
import { DAY, keepLooks, MINUTE } from "../support/kept-looks.ts";

const SERVERS = 200;

/** Servers that are told of a node that does not answer for 80 s, and every scene that is drawn for them. */
async function told(zoneOf: (server: number) => string) {
  const scenes: Scene[] = [];
  let pictures: DispatchDependencies["draw"];
  const stage = await openStage({ draw: async (episode, zone) => pictures?.(episode, zone) });
  const names = ["sim-1", "sim-2", "sim-3"];
  pictures = createAlertPictures({
    store: stage.store,
    networks: { simulated: true, clients: [{ network: "mainnet", nodes: names.map((name) => ({ name })) }] },
    config: stage.config,
    draw: async (scene, alt) => {
      scenes.push(scene);
      return memoryAttachment("chart.png", "image/png", "PNG", { alt });
    },
    log: silentLog(),
    now: () => stage.now(),
  });
  await keepLooks(stage.store, stage.now(), {
    since: DAY,
    troubles: [{ ago: 5 * MINUTE, lasts: MINUTE, node: "sim-2" }],
  });
  const subscriptions = Array.from({ length: SERVERS }, (_, server) => {
    const quietHours = { from: "01:00", to: "02:00", zone: zoneOf(server) };
    const destination = { platform: "fake", channel: `c${server}` };
    return aSubscription({ id: `s${server}`, destination, kinds: ["node.down"], style: "live", quietHours });
  });
  await stage.engine.putSubscriptions(subscriptions, "ada");
  await stage.rounds(2, [down("good", "sim-2")]);
  await stage.rounds(4, [down("bad", "sim-2")]);
  await stage.leap(60_000);
  const { sender } = stage;
  for (let turn = 0; turn < 40 && sender.pictures.length < SERVERS; turn += 1) {
    await stage.pass(1000);
    // The first of them loads what draws.
    await until(() => scenes.length > 0, "a picture");
  }
  onTestFinished(() => void [sender.take(), sender.takeEdits()]);
  return { scenes, sender };
}

test("200 servers of one zone that are told of one alert get one drawing", async () => {
  const { scenes, sender } = await told(() => "UTC");
  expect(scenes.map(({ zone, simulated, title }) => [zone, simulated, title])).toEqual([
    ["UTC", true, expect.stringContaining("sim-2")],
  ]);
  expect(new Set(sender.pictures).size).toBe(SERVERS);
  expect(sender.pictures).toHaveLength(SERVERS);
});

test("servers of two zones get one each", async () => {
  const { scenes, sender } = await told((server) => (server % 2 === 0 ? "UTC" : "Asia/Kolkata"));
  expect(scenes.map(({ zone }) => zone).toSorted()).toEqual(["Asia/Kolkata", "UTC"]);
  expect(sender.pictures).toHaveLength(SERVERS);
});
