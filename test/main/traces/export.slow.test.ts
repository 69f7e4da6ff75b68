import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";

import { destinationKey } from "../../../src/alerts/destination.ts";
import { silentLog } from "../../../src/log.ts";
import { lookToText } from "../../../src/looks/look.ts";
import { replay } from "../../../src/main/cli/replay.ts";
import { trace } from "../../../src/main/cli/trace.ts";
import type { LookLine, TraceLine } from "../../../src/main/traces/traces.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { fromMillis } from "../../../src/units/time.ts";
import type { Changes } from "../../../src/watchers/kept.ts";
import { keptMarkets } from "../../../src/watchers/markets/kept-markets.ts";
import { marketReadings, type MarketsState } from "../../../src/watchers/markets/markets.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { LINES, MINUTE, watched } from "./half-hour.ts";

const LOOKS = LINES.filter((line): line is LookLine => "look" in line);

const linesIn = (file: string): TraceLine[] =>
  gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TraceLine);

test("an exported trace is judged as the store is, and overwrites nothing", async () => {
  const { at, said, range } = await watched();
  const file = path.join(at, "new", "day.trace.gz");
  await replay(range);
  const replayed = said.splice(0);
  expect(replayed.filter((line) => / (?:fired|resolved) /u.test(line)).length).toBeGreaterThan(3);
  await trace(["export", ...range, file]);
  expect(said.splice(0)[0]).toContain(`${LOOKS.length} looks at mainnet`);
  await trace(["judge", file]);
  expect(said.slice(0, -1)).toEqual(replayed.slice(0, -1));
  const whole = linesIn(file).flatMap((line) => ("look" in line ? [line] : []));
  expect(whole.map((look, index) => ({ ...look, trueAt: LOOKS[index]?.trueAt }))).toEqual(LOOKS);
  await expect(trace(["export", ...range, file])).rejects.toThrow("exists already");
  expect(readdirSync(path.dirname(file))).toEqual(["day.trace.gz"]);
});

test("an anonymous trace names no node, and is judged alike", async () => {
  const { at, said, range } = await watched();
  const file = path.join(at, "day.trace.gz");
  await trace(["export", ...range, "--anonymous", file]);
  const text = gunzipSync(readFileSync(file)).toString();
  expect(text.includes(":3008")).toBe(false);
  expect(text.includes('"node-2":{"reachable":false,"why":"refused')).toBe(true);
  said.length = 0;
  await trace(["judge", file]);
  const anonymous = said.splice(0);
  await replay(range);
  expect(anonymous.slice(0, -1)).toEqual(said.slice(0, -1).map((line) => line.replace(/(node-\d):3008/u, "$1")));
});

const NOON = Date.UTC(2024, 5, 3, 12);

/** A minute's looks at two markets, of which a subscription names one: its mark price is above 50 for ten minutes. */
async function markets(url: string): Promise<void> {
  const store = createStore({ url, log: silentLog() });
  await store.claim();
  const one = aSubscription({
    network: "mainnet",
    kinds: ["market.value"],
    subjects: ["m1"],
    parameters: { "market.value": { if: "mark above 50" } },
    created: NOON,
  });
  const { id, network, state } = one;
  const row = { id, network, state, destination: destinationKey(one.destination), data: JSON.stringify(one) };
  await store.transaction(({ alerts }) => alerts.subscriptions.put([row]));
  let before: MarketsState | undefined;
  for (let minute = 1; minute < 30; minute += 1) {
    const at = NOON + minute * MINUTE;
    const mark = minute > 10 && minute <= 20 ? "50.5" : "49";
    const live = { label: "BTC/USDT", state: "STATE_ACTIVE", tradingMode: "TRADING_MODE_CONTINUOUS" };
    const after: MarketsState = {
      since: "1",
      looks: minute,
      node: "node-2:3008",
      behind: false,
      markets: { m1: { ...live, price: mark, values: { mark } }, m2: { ...live, price: "7" } },
    };
    const findings = { readings: marketReadings("mainnet", 3, after), events: [] };
    const seen = keptMarkets(after, before, { findings, named: () => new Set(["m1"]) }, { markets: 200 });
    const look = {
      run: LOOKS[0]?.run ?? "",
      dueMillis: minute * MINUTE,
      every: MINUTE,
      at: fromMillis(at),
      seen: seen as Changes,
    };
    await store.transaction(({ alerts }) => alerts.watch.putSnapshot("mainnet", "markets", at, "{}", lookToText(look)));
    before = after;
  }
  await store.close();
}

test("a trace with a subscription to a value of a market is judged as the store is", async () => {
  const { at, url, said, range } = await watched();
  await markets(url);
  const file = path.join(at, "day.trace.gz");
  await replay(range);
  const replayed = said.splice(0);
  const told = replayed.filter((line) => line.includes("market.value{if=mark_above_50} of BTC/USDT"));
  expect(told.map((line) => line.split(/ +/u, 2).join(" "))).toEqual([
    "2024-06-03T12:11:00.000Z pending",
    "2024-06-03T12:11:00.000Z fired",
    "2024-06-03T12:21:00.000Z recovering",
    "2024-06-03T12:22:00.000Z resolved",
  ]);
  await trace(["export", ...range, file]);
  const lines = linesIn(file);
  expect(lines.filter((line) => "subscription" in line)).toEqual([
    {
      subscription: {
        kinds: ["market.value"],
        subjects: ["m1"],
        parameters: { "market.value": { if: "mark above 50" } },
        created: NOON,
      },
    },
  ]);
  expect(lines.filter((line) => "look" in line && line.look === "markets")).toHaveLength(29);
  said.length = 0;
  await trace(["judge", file]);
  expect(said.slice(0, -1)).toEqual(replayed.slice(0, -1));
});

test("every line of an anonymous trace fits the schema beside docs/traces.md", async () => {
  const { at, url, range } = await watched();
  await markets(url);
  const file = path.join(at, "day.trace.gz");
  await trace(["export", ...range, "--anonymous", file]);
  const schema = new URL("../../../docs/trace.schema.json", import.meta.url);
  const fits = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(schema, "utf8")) as object);
  const lines = linesIn(file);
  expect(lines.filter((line) => !fits(line))).toEqual([]);
  const parts = ["trace", "settings", "subscription", "look"];
  expect(parts.filter((part) => !lines.some((line) => part in line))).toEqual([]);
});
