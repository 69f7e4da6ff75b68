import { DatabaseSync } from "node:sqlite";

import { expect, it } from "vitest";

import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { MAX_DECISIONS } from "../../../src/store/alert-tables/alert-tables.ts";
import { rowsOf } from "./count-rows.ts";
import { auction, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { Stage } from "../stage.ts";

const HOUR = 3_600_000;

function checkpoint(number: number): AlertEvent {
  const atBlock = String(number * 400);
  return { kind: "checkpoint.new", network: "mainnet", subject: "", key: `${atBlock}/h`, at: "1", atBlock, hash: "h" };
}

it("months of alerts leave the database as large as one month does", async () => {
  const stage = await Stage.open({ config: '{"keep": {"rounds": 1, "for": "1s"}}' });
  await stage.engine.putSubscriptions(
    [aSubscription({ kinds: ["network.stalled", "market.auction", "checkpoint.new"], events: "each" })],
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
      await stage.engine.putSubscriptions(
        [aSubscription({ id: `w${number}`, kinds: ["order.final"], personal: true, state: "ended" })],
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
  expect(second["alert_deliveries"]).toBeGreaterThan(15);
  const grown = Object.entries(third).filter(([table, rows]) => rows > (second[table] ?? 0) * 1.1 + 5);
  expect(grown.map(([table, rows]) => `${table}: ${second[table]} -> ${rows}`)).toEqual([]);
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
