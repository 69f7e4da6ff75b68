import type { LaneState, Scene } from "../../src/reply/chart.ts";
import type { Milliseconds } from "../../src/units/time.ts";
import { HOUR, MINUTE } from "../support/kept-looks.ts";

const SECOND: Milliseconds = 1000;
const DAY: Milliseconds = 24 * HOUR;
/** A Friday noon. */
const AT = Date.UTC(2026, 4, 1, 12);

type Lane = Scene["lanes"][number];
type Line = Scene["lines"][number];

/** What a node did from one minute of the picture to another; it moves on where nothing is said. */
function lane(
  name: string,
  minutes: number,
  ...troubles: readonly (readonly [from: number, to: number, state: LaneState])[]
): Lane {
  const parts: { from: number; to: number; state: LaneState }[] = [];
  let at = 0;
  const add = (from: number, to: number, state: LaneState): void => {
    if (to > from) parts.push({ from: AT + from * MINUTE, to: AT + to * MINUTE, state });
  };
  for (const [from, to, state] of troubles) {
    add(at, from, "moves");
    add(from, to, state);
    at = to;
  }
  add(at, minutes, "moves");
  return { name, parts };
}

/** A line of values at even distances. */
function line(name: string, millis: Milliseconds, count: number, valueOf: (at: number) => number | undefined): Line {
  const runs: [number, number][][] = [];
  let isOpen = false;
  for (let at = 0; at < count; at += 1) {
    const value = valueOf(at);
    if (value !== undefined && !isOpen) runs.push([]);
    if (value !== undefined) runs.at(-1)?.push([AT + (at * millis) / Math.max(1, count - 1), value]);
    isOpen = value !== undefined;
  }
  return { name, runs };
}

function scene(title: string, last: Milliseconds, more: Partial<Scene>): Scene {
  return {
    title,
    from: AT,
    to: AT + last,
    zone: "UTC",
    unit: "duration",
    lanes: [],
    lines: [],
    thresholds: [],
    bands: [],
    marks: [],
    ...more,
  };
}

const FINE = (at: number): number => 1200 + (at % 7) * 150;
const TOLD = [{ name: "told after 30 s", value: 30 * SECOND }];
const age = (last: Milliseconds, valueOf: (at: number) => number | undefined = FINE): Line =>
  line("age of network time", last, 400, valueOf);
const band = (from: number, to: number, name: string, strong?: true): Scene["bands"][number] => ({
  from: AT + from * MINUTE,
  to: AT + to * MINUTE,
  name,
  ...(strong === undefined ? {} : { strong }),
});
const nodes = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `n${String(at).padStart(2, "0")}.mainnet.example:3008`);

/** Pictures to look at, by name: what they must show, and what might break them. */
export const SCENES: Readonly<Record<string, Scene>> = {
  halt: scene("mainnet stood still", DAY, {
    lanes: ["api1.example.com", "api2.example.com", "api3.example.com"].map((name) =>
      lane(name, 1440, [600, 614, "stands"]),
    ),
    lines: [age(DAY, (at) => (at > 166 && at < 171 ? (at - 166) * 210 * SECOND : FINE(at)))],
    thresholds: TOLD,
  }),
  "halt-of-an-hour": scene("mainnet stood still", HOUR, {
    lanes: ["a", "b"].map((name) => lane(name, 60, [20, 42, "stands"])),
    lines: [age(HOUR, (at) => (at > 133 && at < 280 ? (at - 133) * 9 * SECOND : FINE(at)))],
    thresholds: TOLD,
  }),
  flapping: scene("mainnet went on; api2 did not answer for 48 min", 4 * HOUR, {
    lanes: [
      lane("api1", 240),
      lane("api2", 240, ...Array.from({ length: 12 }, (_, at) => [at * 18 + 6, at * 18 + 10, "silent"] as const)),
    ],
    lines: [age(4 * HOUR)],
    thresholds: TOLD,
  }),
  "long-names": scene("mainnet went on; mainnet-validator-2.example.com:3008 lagged for 40 min", DAY, {
    lanes: [1, 2, 3].map((count) => {
      const name = `mainnet-validator-${count}.example.com:3008`;
      return count === 2 ? lane(name, 1440, [200, 240, "lags"]) : lane(name, 1440);
    }),
    lines: [age(DAY)],
    thresholds: TOLD,
  }),
  "one-liar": scene("mainnet went on; liar.example was not believed for 3 h", 6 * HOUR, {
    lanes: [lane("good.example", 360), lane("honest.example", 360), lane("liar.example", 360, [100, 280, "doubted"])],
    lines: [age(6 * HOUR)],
    thresholds: TOLD,
  }),
  "every-state": scene("mainnet went on; n5 lagged for 4 h, and 3 more were in trouble", 12 * HOUR, {
    zone: "Europe/Berlin",
    lanes: [
      lane("n1", 720),
      lane("n2", 720, [60, 200, "stands"]),
      lane("n3", 720, [120, 300, "silent"]),
      lane("n4", 720, [240, 420, "doubted"]),
      lane("n5", 720, [300, 540, "lags"]),
    ],
    lines: [age(12 * HOUR)],
    thresholds: TOLD,
  }),
  gap: scene("mainnet went on, and all its nodes kept up", DAY, {
    lanes: ["api1", "api2"].map((name) => ({
      name,
      parts: [
        { from: AT, to: AT + 8 * HOUR, state: "moves" as const },
        { from: AT + 13 * HOUR, to: AT + DAY, state: "moves" as const },
      ],
    })),
    lines: [age(DAY, (at) => (at > 133 && at < 217 ? undefined : FINE(at)))],
    thresholds: TOLD,
  }),
  "one-node": scene("mainnet went on; node lagged for 40 min", DAY, {
    lanes: [lane("node", 1440, [200, 240, "lags"])],
    lines: [age(DAY)],
    thresholds: TOLD,
  }),
  "six-nodes": scene("mainnet went on; n03.mainnet.example:3008 stood still for 90 min", DAY, {
    lanes: nodes(6).map((name, at) => (at === 3 ? lane(name, 1440, [700, 790, "stands"]) : lane(name, 1440))),
    lines: [age(DAY)],
    thresholds: TOLD,
  }),
  "twelve-nodes": scene("mainnet went on; n00.mainnet.example:3008 lagged for 2 h, and 2 more were in trouble", DAY, {
    note: "6 others kept up",
    lanes: nodes(6).map((name, at) =>
      at < 3 ? lane(name, 1440, [100 * at, 100 * at + 120, "lags"]) : lane(name, 1440),
    ),
    lines: [age(DAY)],
    thresholds: TOLD,
  }),
  "lanes-alone": scene("mainnet went on; sim-2 did not answer for 25 min", DAY, {
    lanes: [lane("sim-1", 1440), lane("sim-2", 1440, [1000, 1025, "silent"])],
  }),
  "short-troubles": scene("mainnet stood still 3 times", 30 * DAY, {
    lanes: [lane("api1", 43_200, [9000, 9000.1, "stands"], [20_000, 20_000.1, "stands"], [43_199.9, 43_200, "stands"])],
  }),
  blocks: scene("A block of mainnet took at most 8.4 s, usually 1.1 s", DAY, {
    lines: [
      line("from block to block", DAY, 400, (at) => (at > 200 && at < 240 ? 8400 : 1100 + (at % 9) * 30)),
      line("usual", DAY, 2, () => 1100),
    ],
    thresholds: [{ name: "told from 5.5 s on", value: 5500 }],
  }),
  checkpoints: scene("mainnet was at most 2 h 10 min without a checkpoint, usually 40 min", DAY, {
    lines: [
      line("since the last checkpoint", DAY, 400, (at) => (at < 200 ? (at % 11) * 4 : (at - 200) % 40) * MINUTE * 0.9),
      line("usual", DAY, 2, () => 40 * MINUTE),
    ],
    thresholds: [{ name: "told from 2 h on", value: 2 * HOUR }],
  }),
  market: scene("BTC/USDT went from 103,924.07 to 99,155.20, 2 h 12 min in auction", DAY, {
    unit: "number",
    lines: [
      line("mark price", DAY, 400, (at) => 103_924 - at * 12 + Math.sin(at / 9) * 300),
      line("lower bound", DAY, 400, (at) => (at < 200 ? undefined : 98_400)),
      line("upper bound", DAY, 400, (at) => (at < 200 ? 106_000 - Math.floor(at / 100) * 900 : undefined)),
    ],
    thresholds: [
      { name: "high 105,000", value: 105_000 },
      { name: "low 98,000", value: 98_000 },
    ],
    bands: [band(180, 192, "auction"), band(900, 1020, "auction")],
  }),
  stake: scene("Party 4f0a91c2…5c1d stakes 12,500.5, after 4 linkings", 90 * DAY, {
    unit: "number",
    lines: [line("stake", 90 * DAY, 400, (at) => (at < 60 ? 5000 : at < 190 ? 8000.25 : at < 300 ? 7500.5 : 12_500.5))],
    marks: [{ at: AT + 85 * DAY, name: "pending" }],
  }),
  "close-thresholds": scene("BTC/USDT stayed at 100", HOUR, {
    unit: "number",
    lines: [line("mark price", HOUR, 50, () => 100)],
    thresholds: [
      { name: "high 100.2", value: 100.2 },
      { name: "high 100.1", value: 100.1 },
      { name: "low 99.9", value: 99.9 },
      { name: "low 99.8", value: 99.8 },
    ],
  }),
  "price-of-30-digits": scene(
    "PRICE/30 went from 103,924,071,111,111,111,111,111,111,111 to 103,924,072,000,000,000,000,000,000,000",
    7 * DAY,
    {
      unit: "number",
      lines: [line("mark price", 7 * DAY, 300, (at) => 1.039_240_711e29 + at * 3e20)],
    },
  ),
  "price-of-dust": scene("DUST/USDT went from 0.00000012 to 0.00000031", DAY, {
    unit: "number",
    lines: [line("mark price", DAY, 300, (at) => 1.2e-7 + at * 6e-10)],
  }),
  "price-below-zero": scene("OIL/USD went from 12 to -37.63", DAY, {
    unit: "number",
    lines: [line("mark price", DAY, 300, (at) => 12 - at * 0.1654)],
  }),
  "four-hundred-markets": scene(
    "Four hundred markets are open, and this one has a title as long as two lines of a phone and then some more words of it",
    DAY,
    {
      unit: "number",
      lines: [line("mark price of a market whose name is as long as names ever get", DAY, 100, (at) => at)],
    },
  ),
  "right-to-left": scene("שלום עולם went from 1 to 2", DAY, {
    unit: "number",
    lanes: [lane("عقدة-1", 1440), lane("שלום", 1440, [5, 300, "lags"])],
    lines: [line("price", DAY, 20, (at) => at)],
  }),
  emoji: scene("🚀🌕/USDT went from 1 to 20", DAY, {
    unit: "number",
    lanes: [lane("🚀moon🚀🚀🚀", 1440)],
    lines: [line("🌕", DAY, 20, (at) => at)],
  }),
  markup: scene('<script>alert("&amp;")</script> went from 1 to 2', DAY, {
    unit: "number",
    lanes: [lane('"><g>&', 1440)],
    lines: [line("</text>", DAY, 20, (at) => at)],
    bands: [band(100, 300, "<b>auction</b>")],
  }),
  empty: scene("Nothing is known of mainnet", HOUR, {}),
  "one-point": scene("mainnet went on, and all its nodes kept up", 10 * MINUTE, {
    lanes: [{ name: "api1", parts: [{ from: AT + 5 * MINUTE, to: AT + 5 * MINUTE + 5 * SECOND, state: "moves" }] }],
    lines: [{ name: "age of network time", runs: [[[AT + 5 * MINUTE, 1700]]] }],
    thresholds: TOLD,
  }),
  "no-time": scene("One moment", 0, { lanes: [lane("api1", 0)], lines: [line("age", 0, 1, () => 1)] }),
  alert: scene("api2 does not answer, for 12 min", 32 * MINUTE, {
    lanes: [lane("api1", 32), lane("api2", 32, [10, 22, "silent"]), lane("api3", 32)],
    lines: [age(32 * MINUTE)],
    thresholds: TOLD,
    bands: [band(10, 11, "pending"), band(11, 22, "firing", true), band(22, 25, "recovering")],
    marks: [{ at: AT + 15 * MINUTE, name: "acknowledged" }],
  }),
  trial: scene("This would have told you 3 times, 14 min at most", 30 * DAY, {
    lanes: [lane("api1", 43_200), lane("api2", 43_200, [14_000, 14_014, "lags"], [30_000, 30_006, "lags"])],
    lines: [age(30 * DAY)],
    thresholds: TOLD,
    bands: [14_000, 30_000, 30_400].flatMap((at) => [
      band(at, at + 2, "pending"),
      band(at + 2, at + 14, "firing", true),
    ]),
  }),
  "short-alert": scene("api2 did not answer, after 20 s", DAY, {
    lanes: [lane("api1", 1440), lane("api2", 1440, [700, 700.4, "silent"])],
    bands: [band(700, 700.1, "pending"), band(700.1, 700.4, "firing", true), band(700.4, 701, "recovering")],
    marks: [{ at: AT + 700.2 * MINUTE, name: "acknowledged" }],
  }),
  simulated: scene("mainnet stood still", HOUR, {
    simulated: true,
    zone: "America/Argentina/Buenos_Aires",
    note: "6 others kept up",
    lanes: [lane("sim-1", 60, [30, 32, "stands"])],
    lines: [age(HOUR)],
    thresholds: TOLD,
  }),
  "a-year": scene("mainnet stood still 4 times", 365 * DAY, {
    zone: "Asia/Kolkata",
    lanes: [lane("api1", 525_600, [100_000, 104_000, "stands"])],
    lines: [age(365 * DAY)],
    thresholds: TOLD,
  }),
  "summer-time": scene("mainnet went on, and all its nodes kept up", DAY, {
    zone: "Pacific/Auckland",
    lanes: [lane("api1", 1440)],
    lines: [age(DAY)],
  }),
};
