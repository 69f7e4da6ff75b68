import { DatabaseSync } from "node:sqlite";

import { expect, it } from "vitest";

import { RETENTION } from "../../../src/alerts/engine/upkeep.ts";
import type { AlertEvent } from "../../../src/alerts/kinds/event.ts";
import { MAX_DECISIONS } from "../../../src/store/alert-tables/create-alert-tables.ts";
import { auction, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage, Stage } from "../stage.ts";

const HOUR = 3_600_000;

/** How many rows each table of the alerts has. */
function rowsOf(file: string): Record<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND (name LIKE 'alert%' OR name LIKE 'watcher%')")
    .all()
    .map((row) => String(row["name"]));
  const counts = tables.map((name) => [
    name,
    Number(database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.["n"]),
  ]);
  database.close();
  return Object.fromEntries(counts) as Record<string, number>;
}

function checkpoint(number: number): AlertEvent {
  const atBlock = String(number * 400);
  return { kind: "checkpoint.new", network: "mainnet", subject: "", key: `${atBlock}/h`, at: "1", atBlock, hash: "h" };
}

it("months of alerts leave the database as large as one month does", async () => {
  const stage = await Stage.open({ config: '{"keep": {"rounds": 1, "for": "1s"}}' });
  await stage.engine.putSubscription(
    aSubscription({ kinds: ["network.stalled", "market.auction", "checkpoint.new"], events: "each" }),
    "ann",
  );
  const sizes: Record<string, number>[] = [];
  let number = 0;
  for (let month = 0; month < 3; month += 1) {
    // Every fifth day an episode, a checkpoint, a silence, an order that somebody watched to its end, and an auction of a
    // market that is gone afterwards.
    for (let day = 0; day < 30; day += 5) {
      number += 1;
      const market = `m${number}`;
      const good = [stalled("good"), auction("good", market)];
      await stage.round(good, [checkpoint(number)]);
      for (const badForMillis of [40_000, 80_000]) {
        await stage.clock.advance(40_000);
        await stage.round([stalled("bad", { badForMillis }), auction("bad", market)]);
      }
      await stage.rounds(2, good);
      const [from, created] = [stage.now(), stage.now()];
      const silence = { id: `s${number}`, scope: { network: "testnet" }, from, until: from + HOUR, by: "ann", created };
      await stage.engine.putSilence(silence, "ann");
      await stage.engine.putSubscription(
        aSubscription({ id: `w${number}`, kinds: ["order.final"], personal: true, state: "ended" }),
        "ann",
      );
      // Days without the process are days without its thousands of looks, which leave nothing behind.
      await stage.restart(119 * HOUR);
      await stage.pass(0);
      stage.sender.take();
      stage.sender.posts.length = 0;
    }
    sizes.push(rowsOf(stage.file));
  }
  await stage.close();
  const [, second = {}, third = {}] = sizes;
  expect(second["alert_decisions"]).toBeGreaterThan(50);
  expect(second["alert_deliveries"]).toBeGreaterThan(20);
  const grown = Object.entries(third).filter(([table, rows]) => rows > (second[table] ?? 0) * 1.1 + 5);
  expect(grown.map(([table, rows]) => `${table}: ${second[table]} -> ${rows}`)).toEqual([]);
});

it("what lasts longer than that keeps its whole history until it has been over for as long", async () => {
  const DAY = 24 * HOUR;
  const stage = await openStage();
  await stage.engine.putSubscription(aSubscription({ kinds: ["market.auction"], style: "live" }), "ann");
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
  expect(history?.deliveries.filter(({ kind }) => kind === "message").map(({ phase }) => phase)).toEqual([
    "trigger",
    "resolve",
  ]);
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
  expect([rows["alert_deliveries"], rows["alert_receipts"], rows["alert_tellings"]]).toEqual([0, 0, 0]);
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

it("a subscription that is over is forgotten after as long as everything else, and not before", async () => {
  const stage = await openStage();
  await stage.stopDelivering();
  await stage.engine.putSubscription(aSubscription({ state: "removed", created: stage.now() }), "ann");
  await stage.pass(RETENTION);
  expect(await stage.engine.subscriptions()).toHaveLength(1);
  await stage.pass(HOUR);
  expect(await stage.engine.subscriptions()).toEqual([]);
});

it("a storm cannot fill the disk with decisions, however young they are", async () => {
  const stage = await Stage.open();
  await stage.pass(0);
  const database = new DatabaseSync(stage.file, { timeout: 5000 });
  const storm = MAX_DECISIONS + 5000;
  database.exec(`
    BEGIN;
    WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${storm})
    INSERT INTO alert_decisions (seq, at, what) SELECT seq, ${stage.now()}, 'seen' FROM n;
    INSERT INTO alert_counters (name, value) VALUES ('decisions', ${storm});
    COMMIT;
  `);
  database.close();
  await stage.restart(HOUR);
  await stage.pass(0);
  expect(rowsOf(stage.file)["alert_decisions"]).toBe(MAX_DECISIONS);
  await stage.close();
});
