import { expect, test } from "vitest";

import { Scene } from "../../src/reply/chart.ts";
import { fullText } from "../../src/reply/full-text.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { type Json, type Look, lookToText } from "../../src/looks/look.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import { fromMillis, toMillis } from "../../src/units/time.ts";
import { DAY, HOUR, keepLooks, MINUTE } from "../support/kept-looks.ts";
import type { SimulatorTalk } from "../support/simulator-talk.ts";
import { linesOf, saying } from "../support/said.ts";
import { down, stalled } from "../alerts/readings.ts";
import { see } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

function sceneOf(reply: Reply): Scene {
  const chart = reply.blocks.find(({ kind }) => kind === "chart");
  expect(chart).toBeDefined();
  return Scene.parse(chart?.kind === "chart" ? chart.scene : undefined);
}

/** Looks of one watcher, one a minute until now: half of them in a chunk, half of them not packed yet. */
async function keepEachMinute(talk: SimulatorTalk, watcher: string, seen: readonly Json[]): Promise<void> {
  const now = toMillis(talk.now());
  const looks = seen.map((one, index): Look => {
    const at = now - (seen.length - index) * MINUTE;
    return { run: "one", dueMillis: at, every: MINUTE, at: fromMillis(at), seen: one };
  });
  const packed = looks.slice(0, looks.length / 2);
  const bytes = await encodeChunk(packed);
  const [first_at = 0, last_at = 0] = [packed[0]?.dueMillis, packed.at(-1)?.dueMillis];
  await talk.store.transaction(async ({ looks: tables, alerts: { watch } }) => {
    const numbers = packed.map((_, index) => index + 1);
    for (const look of looks) await watch.putSnapshot("mainnet", watcher, look.dueMillis, "{}", lookToText(look));
    await tables.pack({ network: "mainnet", watcher }, numbers, { first_at, last_at, bytes });
  });
}

test("the network is drawn with what each node did; the title says the answer, and the numbers are a table", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  await keepLooks(talk.store, toMillis(talk.now()), {
    since: 3 * DAY,
    troubles: [
      { ago: 9 * HOUR, lasts: 14 * MINUTE, behind: 3 * MINUTE },
      { ago: 3 * HOUR, lasts: 25 * MINUTE, node: "sim-1" },
    ],
  });
  const answer = await talk.askFor("chart network");
  const scene = sceneOf(answer);
  expect(scene).toMatchObject({ zone: "UTC", to: toMillis(talk.now()), from: toMillis(talk.now()) - DAY });
  const states = scene.lanes.map(({ name, parts }) => [name, [...new Set(parts.map(({ state }) => state))].toSorted()]);
  expect(states).toEqual([
    ["sim-1", ["moves", "silent"]],
    ["sim-2", ["lags", "moves"]],
    ["sim-3", ["moves"]],
  ]);
  expect(fullText(answer)).toMatch(
    /sim-1 did not answer for 25 min, and 1 more[\s\S]*sim-2.*lagged[\s\S]*Node,Moved,Lagged/u,
  );
  expect(await talk.ask("chart network last:1h")).toMatch(saying("•", "kept up", "▂"));
  expect(linesOf(talk.lastReply)).toContain("chart what:network last:7d network:mainnet");
  // Three days are kept: the others show less of them, or more.
  const offered = { "24h": "1h 7d", "1h": "24h 7d", "10m": "1h 24h 7d", "30d": "1h 24h", all: "1h 24h" };
  for (const [last, others] of Object.entries(offered)) {
    const { actions } = await talk.askFor(`chart network last:${last}`);
    expect(actions.map(({ label }) => label).join(" ")).toBe(`${others} Refresh`);
  }
  expect(await talk.completeLine("chart network ")).not.toContain("chart network mainnet");
  expect(await talk.completeLine("chart network ")).toContain("chart network last:");
  expect(sceneOf(await talk.askFor("chart network last:all")).from).toBe(toMillis(talk.now()) - 3 * DAY);
});

test("a halt is the answer, by the verdicts and the votes that were kept, packed or not", async () => {
  const talk = await talkToSimulator({ nodes: 2 });
  const now = toMillis(talk.now());
  const seen = Array.from({ length: 60 }, (_, index): Json => {
    const isStill = index >= 20 && index < 41;
    const at = now - (60 - index) * MINUTE;
    const time = String(fromMillis((isStill ? now - 41 * MINUTE : at) - 1000));
    const node = { reachable: true, time };
    return {
      nodes: { "sim-1": node, "sim-2": index === 50 ? { reachable: false } : node },
      votes: { "sim-1": isStill ? "stands" : "moves", "sim-2": index === 50 ? "silent" : isStill ? "stands" : "moves" },
      verdict: isStill ? "stalled" : "healthy",
    };
  });
  await keepEachMinute(talk, "sources", seen);
  const scene = sceneOf(await talk.askFor("chart network last:1h"));
  expect(scene.title).toBe("mainnet stood still");
  expect(scene.lanes.map(({ parts }) => parts.map(({ state }) => state))).toEqual([
    ["moves", "stands", "moves"],
    ["moves", "stands", "moves", "silent", "moves"],
  ]);
  const highest = Math.max(...scene.lines.flatMap(({ runs }) => runs.flat().map(([, value]) => value)));
  expect(highest).toBe(21 * MINUTE + 1000);
  expect(scene.thresholds).toEqual([{ name: "told after 30 s", value: 30_000 }]);
});

test("a picture begins with the first look that is kept: nobody knows what was before", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  await keepLooks(talk.store, toMillis(talk.now()), { since: HOUR, troubles: [] });
  const { from, to } = sceneOf(await talk.askFor("chart network"));
  expect((to - from) / HOUR).toBeCloseTo(1, 1);
  const short = sceneOf(await talk.askFor("chart network last:10m"));
  expect((short.to - short.from) / MINUTE).toBe(10);
});

test("of a market only changes are kept: its values hold until then, exact to the digit", async () => {
  const talk = await talkToSimulator();
  const id = talk.samples.marketId;
  const market = (changes: Json): Json => ({ markets: { [id]: changes } });
  const seen: Json[] = Array.from({ length: 60 }, () => ({}));
  seen[0] = market({ price: "103924071111111111111111111111.00001", tradingMode: "TRADING_MODE_CONTINUOUS" });
  seen[20] = market({ tradingMode: "TRADING_MODE_MONITORING_AUCTION" });
  seen[32] = market({ tradingMode: "TRADING_MODE_CONTINUOUS" });
  seen[50] = market({ price: "103924071111111111111111111112.00001", nearest: { bound: "2", side: "lower" } });
  await keepEachMinute(talk, "markets", seen);
  await talk.ask(`alerts add market.price ${id} high:100`);
  const answer = await talk.askFor(`chart ${id} last:1h`);
  const scene = sceneOf(answer);
  expect(scene.title).toContain(
    "went from 103,924,071,111,111,111,111,111,111,111 to 103,924,071,111,111,111,111,111,111,112, 12 min in auction",
  );
  expect(scene.bands.map(({ from, to, name }) => [(to - from) / MINUTE, name])).toEqual([[12, "auction"]]);
  expect(scene.lines.map(({ name, runs }) => [name, runs.length])).toEqual([["mark price", 1]]);
  expect(scene.note).toBe("beyond the picture: lower bound 2");
  expect(scene.thresholds).toEqual([{ name: "high 100", value: 100 }]);
  expect(fullText(answer)).toContain("103924071111111111111111111112.00001");
});

test("a bound is drawn while it is the nearest one, and only beside the price", async () => {
  const talk = await talkToSimulator();
  const id = talk.samples.marketId;
  const market = (price: number, bound: number, side: string): Json => ({
    markets: { [id]: { price: String(price), nearest: { bound: String(bound), side } } },
  });
  const seen = Array.from({ length: 60 }, (_, at) =>
    at < 20 || at >= 40
      ? market(94_000 + at, 93_990, "lower")
      : market(94_000 + at, at < 30 ? 94_080 : 97_000, "upper"),
  );
  await keepEachMinute(talk, "markets", seen);
  const scene = sceneOf(await talk.askFor(`chart ${id} last:1h`));
  const drawn = scene.lines.map(({ name, runs }) => [
    name,
    runs.map((run) => [...new Set(run.map(([, value]) => value))]),
  ]);
  expect(drawn.slice(1)).toEqual([
    ["lower bound", [[93_990], [93_990]]],
    ["upper bound", [[94_080]]],
  ]);
  expect(scene.note).toBeUndefined();
});

test("blocks, checkpoints and snapshots are drawn with what is usual, and from when on they are told", async () => {
  const talk = await talkToSimulator();
  const facts = (kind: string, fact: string, usualMillis: number) =>
    Array.from({ length: 60 }, (_, at): Json => ({
      facts: { [kind]: { "": { state: "good", [fact]: at * 100, usualMillis } } },
    }));
  await keepEachMinute(talk, "sources", facts("network.slow", "blockMillis", 1000));
  await keepEachMinute(talk, "checkpoints", facts("checkpoint.overdue", "sinceMillis", 3_600_000));
  expect(sceneOf(await talk.askFor("chart blocks last:2h"))).toMatchObject({
    title: "A block of mainnet took at most 5.9 s, usually 1 s",
    thresholds: [{ name: "told from 5 s on", value: 5000 }],
  });
  expect(sceneOf(await talk.askFor("chart checkpoints last:2h"))).toMatchObject({
    title: "mainnet was at most 5.9 s without a checkpoint, usually 1 h",
    thresholds: [{ name: "told from 3 h on" }],
  });
  expect(await talk.ask("chart snapshots")).toMatch(saying("•", "Nothing is kept", "snapshots"));
});

test("the title of a picture has a long name only in part, so that what happened has room", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  const name = "a-node-whose-operator-has-much-to-say.example.org";
  await see(talk, 1, [stalled("good"), down("good", name)]);
  await see(talk, 4, [stalled("good"), down("bad", name)]);
  await keepLooks(talk.store, toMillis(talk.now()), { since: HOUR, troubles: [{ ago: 4 * MINUTE, lasts: 30_000 }] });
  expect(sceneOf(await talk.askFor(`chart "node.down mainnet ${name} 1"`)).title).toMatch(
    /^a-node-whose-operator-h… on mainnet does not answer, /u,
  );
});

test("an alert is drawn from ten minutes before to ten after, by its name and by the button of its story", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  await see(talk, 1, [stalled("good"), down("good", "sim-2")]);
  await see(talk, 4, [stalled("good"), down("bad", "sim-2")]);
  await talk.ask("alerts ack node.down");
  await see(talk, 4, [stalled("good"), down("good", "sim-2")]);
  talk.advance(3 * MINUTE);
  await keepLooks(talk.store, toMillis(talk.now()), { since: 2 * DAY, troubles: [{ ago: 4 * MINUTE, lasts: 30_000 }] });
  await talk.ask("alerts why node.down");
  await talk.press(/^chart /u);
  const scene = sceneOf(talk.lastReply);
  expect(scene.bands.map(({ name }) => name)).toEqual(expect.arrayContaining(["firing"]));
  expect(scene.marks.map(({ name }) => name)).toEqual(["acknowledged"]);
  const [firing] = scene.bands.filter(({ strong }) => strong === true);
  expect(firing!.from - scene.from).toBeGreaterThanOrEqual(10 * MINUTE);
  expect(scene.title).toMatch(/sim-2/u);
  expect(await talk.ask('chart "node.down mainnet sim-2 1"')).toMatch(saying("•", "sim-2"));
});

test("a stake is drawn after each linking that counts, to the last digit, for whoever names the party or presses", async () => {
  const talk = await talkToSimulator();
  const party = talk.samples.partyId;
  const told = await talk.askFor(`stake ${party}`);
  await talk.press(/^chart /u);
  const scene = sceneOf(talk.lastReply);
  const [line] = scene.lines;
  expect(scene.title).toMatch(/stakes [\d,.]+, after/u);
  const last = line?.runs.flat().at(-1)?.[1] ?? 0;
  const stakes = /stakes ([\d,.]+)/u.exec(plainText(told.title))?.[1]?.replaceAll(",", "");
  expect(last).toBeCloseTo(Number(stakes), 0);
  expect(await talk.ask(`chart stake party:${"0".repeat(64)}`)).toMatch(saying("•", "no stake"));
  expect(await talk.ask("chart stake")).toMatch(saying("!", "Whose stake"));
  await talk.ask(`my party ${party} name:desk`);
  expect(sceneOf(await talk.askFor("chart stake")).title).toBe(scene.title);
  expect(sceneOf(await talk.askFor("chart stake party:desk")).title).toBe(scene.title);
});

test("a trial offers the picture of the time that it looked at, with what would have been told", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  await keepLooks(talk.store, toMillis(talk.now()), {
    since: 3 * DAY,
    troubles: [{ ago: DAY, lasts: 9 * MINUTE, behind: 3 * MINUTE }],
  });
  await talk.ask("alerts try node.lagging behind:50s days:3");
  await talk.press(/^chart /u);
  const scene = sceneOf(talk.lastReply);
  expect(scene.from).toBe(toMillis(talk.now()) - 3 * DAY);
  expect(scene.title).toBe("This would have told you once, 9 min at most");
  expect(scene.bands.map(({ name, from, to }) => [name, to - from])).toEqual([
    ["pending", 30_000],
    ["firing", 525_000],
  ]);
  await talk.ask("alerts try node.down rounds:100 days:3");
  await talk.press(/^chart /u);
  expect(sceneOf(talk.lastReply)).toMatchObject({ title: "This would have told you nothing", bands: [] });
  expect(await talk.ask('chart "try nonsense"')).toMatch(saying("!", "nonsense"));
});

test("where nothing is kept, or the time is none, a sentence says so", async () => {
  const talk = await talkToSimulator();
  for (const line of ["chart network", "chart blocks", "chart BTC/USDT last:7d", "chart network last:all"]) {
    const answer = await talk.askFor(line);
    expect(answer.blocks.some(({ kind }) => kind === "chart")).toBe(false);
    expect(fullText(answer)).toMatch(/Nothing is kept/u);
  }
  expect(await talk.ask("chart nonsense")).toMatch(saying("!", "No market"));
  expect(await talk.ask("chart network last:1m")).toMatch(saying("!", "10 min"));
  expect(await talk.ask("chart network last:banana")).toMatch(saying("!", "span of time"));
});
