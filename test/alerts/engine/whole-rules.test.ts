import { readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

import { describe, expect, it } from "vitest";

import { price } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage, type Stage } from "../stage.ts";

const WHOLE = "market.price{high=100,low=10} of m1 on mainnet";
const HIGH = "market.price{high=100} of m1 on mainnet";
const LOW = "market.price{low=10} of m1 on mainnet";

type Rows = Readonly<Record<string, readonly Readonly<Record<string, SQLInputValue>>[]>>;

/**
 * A process on the database that a version before left behind: it judged both limits of a price by one rule, and told of a
 * price of 500.
 */
async function afterUpgrade(): Promise<Stage> {
  const stage = await openStage();
  await stage.stop();
  const stored = JSON.parse(readFileSync("test/fixtures/open-price-of-both-limits.json", "utf8")) as Rows;
  const database = new DatabaseSync(stage.file);
  for (const [table, rows] of Object.entries(stored)) {
    for (const row of rows) {
      const values = Object.values(row);
      const marks = values.map(() => "?").join(", ");
      database
        .prepare(`insert or replace into ${table} (${Object.keys(row).join(", ")}) values (${marks})`)
        .run(...values);
    }
  }
  database.close();
  await stage.restart(20_000);
  return stage;
}

describe("an open alert of both limits that a version before told", () => {
  it("goes on, and is over where the price is between them again", async () => {
    const stage = await afterUpgrade();
    await stage.pass(5000);
    await stage.rounds(5, [price("500")]);
    expect(stage.sender.take()).toEqual([]);
    expect((await stage.engine.openEpisodes()).map(({ id }) => id)).toEqual([
      "market.price{high=100,low=10}|mainnet|m1|1",
    ]);
    await stage.rounds(6, [price("50")]);
    expect(stage.sender.take()).toEqual([`resolved: ${WHOLE}`]);
  });

  it("leaves what comes after it to the limits, so that a jump across both is told", async () => {
    const stage = await afterUpgrade();
    await stage.rounds(10, [price("50")]);
    stage.sender.take();
    await stage.rounds(1, [price("500")]);
    expect(stage.sender.take()).toEqual([`warning: ${HIGH}`]);
    await stage.rounds(6, [price("5")]);
    expect(stage.sender.take()).toEqual([`warning: ${LOW}`, `resolved: ${HIGH}`]);
  });

  it("does not keep back what somebody asks of one of the limits alone", async () => {
    const stage = await afterUpgrade();
    const destination = { platform: "fake", channel: "other" };
    const alone = { kinds: ["market.price" as const], parameters: { "market.price": { low: "10" } } };
    await stage.engine.putSubscriptions([aSubscription({ id: "alone", destination, ...alone })], "ada");
    await stage.rounds(3, [price("500")]);
    await stage.rounds(2, [price("5")]);
    expect(stage.sender.take()).toContain(`warning: ${LOW}`);
  });

  it("ends with its subscription", async () => {
    const stage = await afterUpgrade();
    await stage.rounds(1, [price("500")]);
    await stage.engine.putSubscriptions([{ ...(await stage.engine.subscriptions())[0]!, state: "removed" }], "ada");
    await stage.pass(0);
    expect(stage.sender.take()).toEqual([`withdrawn: ${WHOLE}`]);
  });
});
