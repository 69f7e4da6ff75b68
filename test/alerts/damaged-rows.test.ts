import { DatabaseSync } from "node:sqlite";

import { describe, expect, it, test } from "vitest";

import { DamagedRow } from "../../src/errors.ts";
import { readAlerts } from "../../src/main/doctor/damaged-rows.ts";
import { saying } from "../support/said.ts";
import { FIRED, subscribed } from "./outage.ts";
import { down, stalled } from "./readings.ts";
import { openStage, type Stage } from "./stage.ts";

/** Cuts the JSON of a table's rows short, as a bad disk does. Returns the function that repairs them. */
function damage(stage: Stage, table: string, column = "data"): () => void {
  const database = new DatabaseSync(stage.file);
  database.exec(`create table kept as select rowid as of, ${column} as was from ${table}`);
  database.exec(`update ${table} set ${column} = substr(${column}, 1, length(${column}) / 2)`);
  return () => {
    database.exec(`update ${table} set ${column} = (select was from kept where of = ${table}.rowid)`);
    database.exec("drop table kept");
    database.close();
  };
}

const message = { type: "test", by: "ada", at: "1700000000000000000" } as const;
const ops = { platform: "fake", channel: "ops" };
const desk = { platform: "fake", channel: "desk" };

test.each([
  ["alert_machines", ["network = 'mainnet'", "rule = 'network.stalled'", "subject = ''"]],
  ["alert_episodes", ["id = 'network.stalled|mainnet||1'"]],
  ["alert_subscriptions", ["id = 'sub1'"]],
])("without a row of %s nothing is judged until it is repaired, and nothing is told twice", async (table, named) => {
  const stage = await subscribed({});
  await stage.rounds(8, [stalled("bad")]);
  expect(stage.sender.take()).toEqual([FIRED]);
  const repair = damage(stage, table);
  await stage.restart().catch(() => undefined);
  const refused = await stage.round([stalled("good")]).catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(DamagedRow);
  expect((refused as DamagedRow).message).toMatch(saying(table, ...named, "npm run restore", "delete that row"));
  const { damaged } = await stage.store.read(({ alerts }) => readAlerts(alerts));
  expect(damaged.map(({ what }) => what)).toContain((refused as DamagedRow).what);
  repair();
  expect((await stage.store.read(({ alerts }) => readAlerts(alerts))).damaged).toEqual([]);
  await stage.rounds(1, [stalled("bad")]);
  expect(stage.sender.take()).toEqual([]);
  await stage.rounds(8, [stalled("good")]);
  expect(stage.sender.take()).toEqual([expect.stringMatching(saying("resolved", "network.stalled"))]);
});

test("what people were told names the damaged row of an alert, instead of failing as a bug", async () => {
  const stage = await subscribed({});
  await stage.rounds(8, [stalled("bad")]);
  expect(stage.sender.take()).toEqual([FIRED]);
  damage(stage, "alert_episodes");
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER, destinations: undefined, limit: 10 };
  await expect(stage.engine.told(range)).rejects.toThrow(DamagedRow);
});

describe("a delivery", () => {
  it.each([
    ["data", "alert_deliveries", "data"],
    ["message", "alert_messages", "data"],
  ])("whose %s cannot be read is a dead letter, and holds up no other", async (_what, table, column) => {
    const stage = await openStage();
    stage.sender.outcome = () => "hang";
    await stage.stopDelivering();
    const id = await stage.owe(ops, message);
    damage(stage, table, column);
    await stage.restart();
    stage.sender.outcome = () => "ok";
    await stage.pass(1000);
    expect((await stage.delivery(id))?.row).toMatchObject({ state: "dead", last_error: "what it says cannot be read" });
    await stage.owe(desk, { ...message, by: "bob" });
    await stage.pass(1000);
    expect(stage.sender.take()).toHaveLength(1);
  });

  it("that waits for a token's state which cannot be read is sent once that is repaired", async () => {
    const stage = await openStage();
    await stage.store.transaction(({ alerts }) =>
      alerts.watch.putSnapshot(
        "",
        "refused-tokens",
        stage.now(),
        '[{"platform":"none","since":1,"why":"w","nextAt":1}]',
      ),
    );
    const repair = damage(stage, "watcher_snapshots");
    await stage.owe(ops, message);
    await stage.pass(5000);
    expect(stage.sender.take()).toEqual([]);
    repair();
    await stage.pass(5000);
    expect(stage.sender.take()).toHaveLength(1);
  });

  it("that says several alerts waits for the repair of one, and holds up no other place", async () => {
    const stage = await subscribed({}, { kinds: ["node.down"] });
    await stage.stopDelivering();
    await stage.rounds(4, [down("bad", "a:1"), down("bad", "b:1")]);
    const repair = damage(stage, "alert_episodes");
    await stage.restart();
    await stage.owe(desk, message);
    await stage.clock.advance(2000);
    expect(stage.sender.take()).toEqual([expect.stringMatching(/^desk: /u)]);
    repair();
    await stage.pass(61_000);
    expect(stage.sender.take()).toEqual([expect.stringMatching(saying("2", "node.down"))]);
  });
});
