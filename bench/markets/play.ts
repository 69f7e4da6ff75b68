import { existsSync } from "node:fs";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import type { GivenParameters } from "../../src/alerts/judge/kinds/kind.ts";
import { formatMarketConditions, parseMarketConditions } from "../../src/alerts/judge/kinds/market-value.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { describe } from "../../src/alerts/words/words.ts";
import type { ApiClient } from "../../src/api/api-client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import { MarketsData } from "../../src/api/model/market.ts";
import { silentLog } from "../../src/log.ts";
import { createWatchedSubjects } from "../../src/main/alerting/watched-networks.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { createStore } from "../../src/store/create-store.ts";
import { parseDecimal } from "../../src/units/decimal.ts";
import { parseDuration } from "../../src/units/time.ts";
import { marketsWatcher } from "../../src/watchers/markets/markets.ts";
import { startSchedule } from "../../src/watchers/schedule.ts";
import { VirtualClock } from "../../test/api/virtual-clock.ts";
import { scratchFolder } from "../support/export-once.ts";
import { subscriptionOf } from "../support/subscription-of.ts";
import type { Table } from "./tables.ts";

const NETWORKS = ["mainnet", "testnet"];
const MARKET = "a".repeat(64);
const LOOK_MILLIS = 5000;
const CONFIG = { ...DEFAULT_ALERTS_CONFIG, poll: { ...DEFAULT_ALERTS_CONFIG.poll, rest: LOOK_MILLIS } };

const STATES: Readonly<Record<string, readonly [state: string, mode: string]>> = {
  suspended: ["STATE_SUSPENDED", "TRADING_MODE_MONITORING_AUCTION"],
  governed: ["STATE_SUSPENDED_VIA_GOVERNANCE", "TRADING_MODE_SUSPENDED_VIA_GOVERNANCE"],
  terminated: ["STATE_TRADING_TERMINATED", "TRADING_MODE_NO_TRADING"],
  settled: ["STATE_SETTLED", "TRADING_MODE_NO_TRADING"],
  cancelled: ["STATE_CANCELLED", "TRADING_MODE_NO_TRADING"],
};

const FIELDS: Readonly<Record<string, string>> = {
  mark: "markPrice",
  last: "lastTradedPrice",
  mid: "midPrice",
  bid: "bestBidPrice",
  offer: "bestOfferPrice",
  indicative: "indicativePrice",
  "open-interest": "openInterest",
};

/** One look: what the node lists of the market; undefined where it lists none, "fail" where it does not answer. */
type Listed = Readonly<Record<string, unknown>> | undefined | "fail";

/** `settled:70000`, `bid=5,offer=6`, `off` (without values), `none` (not listed), `fail`. */
function listedOf(written: string, value: string, places: number): Listed {
  if (written === "fail") return written;
  if (written === "none") return undefined;
  const [before = "", after] = written.split(":");
  const [marketState, marketTradingMode] = STATES[after === undefined ? "" : before] ?? [
    "STATE_ACTIVE",
    "TRADING_MODE_CONTINUOUS",
  ];
  const listed: Record<string, unknown> = { market: MARKET, marketState, marketTradingMode };
  for (const pair of (after ?? before).split(",").filter((one) => one !== "off" && one !== "")) {
    const [name = "", number] = pair.includes("=") ? pair.split("=") : [value, pair];
    const field = FIELDS[name];
    if (field !== undefined) listed[field] = unitsOf(number ?? "", name === "open-interest" ? 0 : places);
    else if (name === "supplied" || name === "target") listed[`${name}Stake`] = number;
    else if (name === "bounds") {
      const [low = "", high = ""] = (number ?? "").split("/");
      listed["priceMonitoringBounds"] = [{ minValidPrice: unitsOf(low, places), maxValidPrice: unitsOf(high, places) }];
    } else throw new RangeError(`${pair} is no value of a market`);
  }
  return listed;
}

/** In the smallest units of so many decimals. */
function unitsOf(number: string, places: number): string {
  const exact = parseDecimal(number);
  if (exact === undefined || exact.scale > places) throw new RangeError(`${number} is no number of ${places} decimals`);
  return String(exact.units * 10n ** BigInt(places - exact.scale));
}

/** How a message is written in a table. */
const SIGNS: Readonly<Record<string, string>> = { trigger: "+", resolve: "-", flapping: "~", event: "!", calm: "=" };

/** Empty where a table is told as it says; else all its looks, with what was told and what should have been. */
export async function play(table: Table): Promise<readonly { readonly look: string; readonly told: string }[]> {
  const { ask, looks, places = 5 } = table;
  const steps = looks.split(" ").flatMap((one) => {
    const [, what = one, times = "1", told = ""] = /^(.*?)(?:\*(\d+))?([-+~!=]*(?:\|[-+~!=]*)?)$/u.exec(one) ?? [];
    const all = Number(times);
    return Array.from({ length: all }, (_, index) => ({ what, told: index === all - 1 ? told : "" }));
  });
  const named = /^[a-z-]+/u.exec(ask)?.[0] ?? "mark";
  const value = named === "price" ? "mark" : named;
  await using folder = await scratchFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const log = silentLog();
  const clock = new VirtualClock(1_717_416_000_000_000_000n);
  const store = createStore({ url: `file:${folder.path}/bench.db`, log });
  const phases = new WeakMap<Reply, string>();
  const posts: { readonly network: string; readonly sign: string }[] = [];
  const sender: Sender = {
    platform: "taking",
    send: ({ destination }, reply) => {
      posts.push({ network: destination.channel, sign: phases.get(reply) ?? "?" });
      return Promise.resolve({ platform: "taking", channel: destination.channel, message: String(posts.length) });
    },
    update: () => Promise.resolve(),
  };
  const stop = new AbortController();
  const dispatcher = createDispatcher({
    random: () => 0,
    store,
    clock,
    log,
    senders: [sender],
    describe: (message, context) => {
      const reply = describe(message, context);
      const phase = message.type === "condition" ? message.phase : message.type;
      phases.set(reply, SIGNS[phase] ?? phase);
      return reply;
    },
  });
  const running = dispatcher.run(stop.signal);
  const networks = NETWORKS.slice(0, looks.includes("|") ? 2 : 1);
  await store.transaction(({ alerts }) =>
    alerts.subscriptions.put(
      networks.map((network, index) => {
        const [kind, parameters] = parametersOf(ask);
        const more = { style: "plain", subjects: [MARKET], parameters: { [kind]: parameters } } as const;
        return subscriptionOf(index, { platform: "taking", channel: network }, [kind], "usual", network, more);
      }),
    ),
  );
  const now: Record<string, Listed> = {};
  const clientOf = (network: string): ApiClient => {
    const read = async () => {
      const listed = now[network];
      if (listed === "fail") throw new ApiError("timeout", "a did not answer", { network, node: "a" });
      const { marketsData } = MarketsData.parse({ marketsData: listed === undefined ? [] : [listed] });
      const asOf = { network, node: "a", receivedAt: clock.wallClock(), simulated: false };
      return { value: marketsData, asOf, bytes: 1000 };
    };
    const names = [{ id: MARKET, code: "BTC/USDT", decimalPlaces: places, positionDecimalPlaces: 0 }];
    return {
      network,
      nodes: [],
      getMarketsData: read,
      getMarketNames: () => Promise.resolve(names),
    } as unknown as ApiClient;
  };
  const start = () => {
    const dependencies = { store, config: CONFIG, clock, log, simulated: new Set<string>() };
    const engine = createAlertEngine({ ...dependencies, onOwed: () => dispatcher.wake() });
    const subjects = createWatchedSubjects();
    const schedules = networks.map((network) =>
      startSchedule({
        api: clientOf(network),
        watchers: [marketsWatcher({ network, nodes: 1, config: CONFIG })],
        load: (_network, watcher) =>
          store.transaction(async ({ alerts }) => {
            const row = await alerts.watch.snapshot(network, watcher);
            return row === undefined ? undefined : (JSON.parse(row.data) as unknown);
          }),
        subjects: (_network, kind) => subjects.of(network, kind),
        changes: () => subjects.changes(network),
        sink: async (observation) => {
          await engine.processObservation(observation);
        },
        log,
        clock,
        random: () => 0.5,
      }),
    );
    const upkeep = async () => {
      await engine.upkeep();
      subjects.update(await engine.subscriptions());
    };
    return { upkeep, stop: () => Promise.all(schedules.map((one) => one.stop())) };
  };
  let bot = start();
  await bot.upkeep();
  const seen: { look: string; told: string }[] = [];
  let taken = 0;
  for (const { what } of steps) {
    const [, jump, sign, span = ""] = /^(wall|away)([-+]?)(\d+[smhd])$/u.exec(what) ?? [];
    const millis = (parseDuration(span) ?? 0) * (sign === "-" ? -1 : 1);
    if (jump === "wall") clock.setWall(millis);
    if (jump === "away") {
      await bot.stop();
      await clock.advance(millis);
      bot = start();
      await bot.upkeep();
    }
    if (jump === undefined) {
      for (const [index, one] of what.split("|").entries()) {
        now[networks[index] ?? ""] = listedOf(one, value, places);
      }
      await clock.advance(LOOK_MILLIS);
      await bot.upkeep();
      await clock.advance(0);
    }
    const news = posts.slice(taken);
    taken = posts.length;
    const told = networks.map((network) =>
      news
        .filter((one) => one.network === network)
        .map(({ sign: is }) => is)
        .join(""),
    );
    seen.push({ look: what, told: told.every((one) => one === "") ? "" : told.join("|") });
  }
  stop.abort();
  await bot.stop();
  await clock.advance(LOOK_MILLIS);
  await running;
  await store.close();
  const wrong = seen.some(({ told }, index) => told !== steps[index]?.told);
  return wrong ? seen.map((one, index) => ({ ...one, told: `${one.told} for ${steps[index]?.told ?? ""}` })) : [];
}

/** `price high=70000 low=50000` is a price; anything else a condition of a value. */
function parametersOf(ask: string): readonly ["market.price" | "market.value", GivenParameters] {
  if (!ask.startsWith("price ")) return ["market.value", { if: formatMarketConditions(parseMarketConditions(ask)) }];
  const given = ask
    .split(" ")
    .slice(1)
    .map((one) => one.split("="));
  return ["market.price", Object.fromEntries(given) as Record<string, string>];
}
