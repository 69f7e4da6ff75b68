import { expect, it } from "vitest";

import { RETENTION } from "../../../src/alerts/engine/upkeep.ts";
import { rowsOf } from "./count-rows.ts";
import { auction } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";

const HOUR = 3_600_000;

it("what lasts longer than that keeps its whole history until it has been over for as long", async () => {
  const DAY = 24 * HOUR;
  const stage = await openStage();
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"], style: "live" })], "ann");
  await stage.round([auction("good")]);
  await stage.pass(5000);
  await stage.rounds(2, [auction("bad")]);
  expect(stage.sender.take()).toHaveLength(1);
  const [open] = await stage.engine.openEpisodes();
  const id = open?.id ?? "";

  // An opening auction may last for months.
  await stage.restart(40 * DAY);
  await stage.pass(0);
  await stage.rounds(2, [auction("bad")]);
  await stage.rounds(6, [auction("good")]);
  await stage.pass(5000);
  expect(stage.sender.take()).toEqual(["resolved: market.auction of m1 on mainnet"]);
  expect(stage.sender.takeEdits().at(-1)).toBe("resolved: market.auction of m1 on mainnet");
  await stage.restart(2 * HOUR);
  await stage.pass(0);
  const history = await stage.engine.history(id);
  expect(history?.decisions.map(({ what }) => what)).toEqual(expect.arrayContaining(["fired", "resolved"]));
  expect(history?.deliveries.map(({ phase }) => phase)).toEqual(["trigger", "resolve"]);
  expect(history?.receipts.length).toBeGreaterThanOrEqual(2);

  // The next one is another one, by its number, too.
  await stage.round([auction("good")]);
  await stage.pass(5000);
  await stage.rounds(2, [auction("bad")]);
  expect((await stage.engine.openEpisodes()).map((one) => one.number)).toEqual([2]);
  await stage.rounds(6, [auction("good")]);
  expect(stage.sender.take()).toHaveLength(2);
  stage.sender.takeEdits();

  await stage.restart(31 * DAY);
  await stage.pass(0);
  expect(await stage.engine.history(id)).toBeUndefined();
  const rows = rowsOf(stage.file);
  expect([rows["alert_deliveries"], rows["alert_receipts"], rows["alert_notification_states"]]).toEqual([0, 0, 0]);
});

it("what is old is forgotten while the process goes on, not only when it begins", async () => {
  const stage = await openStage();
  const over = (["retired", "removed", "ended"] as const).map((state) =>
    aSubscription({ id: state === "retired" ? "lost" : state, state }),
  );
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"] }), ...over], "ann");
  await stage.rounds(1, [auction("good")]);
  await stage.rounds(1, [auction("bad")]);
  await stage.rounds(6, [auction("good")]);
  expect(stage.sender.take()).toHaveLength(2);
  const [episode] = await stage.engine.lastEpisodes(1);
  // Weeks pass at once where nobody waits to deliver.
  await stage.stopDelivering();
  await stage.pass(29 * 24 * HOUR);
  expect(await stage.engine.history(episode?.id ?? "")).toBeDefined();
  await stage.pass(2 * 24 * HOUR);
  expect(await stage.engine.history(episode?.id ?? "")).toBeUndefined();
  // A place that was lost goes on being shown as such.
  expect((await stage.engine.subscriptions()).map(({ id }) => id).toSorted()).toEqual(["lost", "sub1"]);
});

it("how a long-gone alert went stays known, but not who was told and who took care of it", async () => {
  const stage = await openStage({ keepStates: 2 * RETENTION });
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"] })], "ann");
  const once = async (): Promise<string> => {
    await stage.rounds(1, [auction("good")]);
    await stage.rounds(1, [auction("bad")]);
    const [open] = await stage.engine.openEpisodes();
    await stage.engine.acknowledge(open?.id ?? "", { name: "ann", person: { platform: "fake", id: "U1" } });
    await stage.rounds(6, [auction("good")]);
    stage.sender.take();
    stage.sender.takeEdits();
    return open?.id ?? "";
  };
  const first = await once();
  const before = await stage.engine.history(first);
  expect(before?.episode.acknowledged?.by).toBe("ann");
  await stage.stopDelivering();
  await stage.pass(RETENTION + HOUR);
  const after = await stage.engine.history(first);
  const { acknowledged: _, ...state } = before?.episode ?? {};
  expect(after).toEqual({
    episode: state,
    decisions: before?.decisions.filter(({ what }) => ["pending", "fired", "recovering", "resolved"].includes(what)),
    deliveries: [],
    items: [],
    receipts: [],
  });
  expect(after?.decisions.length).toBeGreaterThanOrEqual(2);

  // The next one has a number of its own.
  const second = await once();
  expect([first, second].map((id) => id.split("|").at(-1))).toEqual(["1", "2"]);
  await stage.pass(RETENTION + HOUR);
  expect(await stage.engine.history(first)).toBeUndefined();
  expect(await stage.engine.history(second)).toBeDefined();
  await stage.pass(RETENTION);
  const rows = rowsOf(stage.file);
  expect([rows["alert_episodes"], rows["alert_decisions"], rows["alert_machines"]]).toEqual([0, 0, 0]);
});

it("a subscription that is over is forgotten after as long as everything else, and not before", async () => {
  const stage = await openStage();
  await stage.stopDelivering();
  await stage.engine.putSubscriptions([aSubscription({ state: "removed", created: stage.now() })], "ann");
  await stage.pass(RETENTION);
  expect(await stage.engine.subscriptions()).toHaveLength(1);
  await stage.pass(HOUR);
  expect(await stage.engine.subscriptions()).toEqual([]);
});
