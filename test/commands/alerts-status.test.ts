import { describe, expect, test } from "vitest";

import { renderTable } from "../../src/adapters/discord/render/table.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { DEFAULT_ALERTS_CONFIG, watcherNames } from "../../src/alerts/alerts-config.ts";
import { judgeSources } from "../../src/api/verdict/judge-sources.ts";
import { DEFAULT_THRESHOLDS, type Verdict } from "../../src/api/verdict/verdict.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { auction, blind, down, stalled } from "../alerts/readings.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { linesOf, saying } from "../support/said.ts";
import { systemClock } from "../../src/api/clock.ts";
import {
  ann,
  bob,
  CONSOLE_PAGE,
  deliver,
  elsewhere,
  ELSEWHERE,
  oneNodeDown,
  ops,
  owed,
  see,
  shown,
} from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

const MARKET = "ab".repeat(32);

test("the status names the network of what is open in a narrow terminal, too", async () => {
  const talk = await oneNodeDown();
  await talk.ask("alerts ack node.down");
  const reply = await talk.askFor("alerts status");
  const narrow = renderTerminal(reply, { width: 60, colour: false, links: false, now: talk.now() });
  expect(narrow).toMatch(/^ {2}a:1 on mainnet does not/mu);
  // The column with times does not fit.
  expect(narrow).not.toContain("times in UTC");
});

describe("the log", () => {
  test("is newest first, in pages, narrowed by a word, and a file of all", async () => {
    const talk = await oneNodeDown();
    for (let turn = 0; turn < 8; turn += 1) {
      await see(talk, 6, [stalled("good"), down(turn % 2 === 0 ? "good" : "bad"), down("good", "b:1")]);
    }
    talk.become({ here: CONSOLE_PAGE });
    const first = await talk.ask("alerts log");
    expect(first).toMatch(saying("•", /\d+/u, 1, /\d/u));
    const rows = (reply = talk.lastReply) =>
      reply.blocks.flatMap((block) => (block.kind === "table" ? block.rows : []));
    const newest = rows();
    expect(newest).toHaveLength(15);
    await talk.press(/page:2/u);
    expect(rows()).not.toEqual(newest);
    await talk.press(/page:1/u);
    expect(rows()).toEqual(newest);
    expect(await talk.ask("alerts log recovering")).not.toContain("fired");
    expect(await talk.ask("alerts log page:99")).toMatch(saying("!", /\d/u, 99));
    expect(await talk.ask("alerts log nothing-like-that")).toMatch(saying("•", "nothing-like-that"));
    await talk.ask("alerts log node.down");
    await talk.press(/file:/u);
    const [file] = talk.lastReply.attachments;
    let csv = "";
    for await (const chunk of file!.open()) csv += String(chunk);
    const lines = csv.trim().split("\n");
    const all = await talk.engine.decisions({ limit: 1000 });
    expect(lines).toHaveLength(1 + all.filter((row) => JSON.stringify(row).includes("node.down")).length);
    expect(lines[0]?.split(",")).toHaveLength(7);
  });

  test("finds all that is about a market by its name, on the network named", async () => {
    const talk = await talkToSimulator();
    await talk.ask("alerts add market.auction");
    await see(talk, 1, [auction("good", MARKET)]);
    await see(talk, 2, [auction("bad", MARKET)]);
    await talk.ask("alerts ack BTC/USD");
    await deliver(talk, new FakeSender({ platform: "web", now: () => Number(talk.now() / 1_000_000n) }));
    const said = await talk.ask("alerts log btc/usd network:mainnet");
    for (const step of ["pending", "fired", "alert sent", "acknowledged"]) expect(said).toContain(step);
    expect(said).toMatch(/acknowledged · BTC\/USD on mainnet is in an auction .* by ann/u);
    expect(said).toMatch(
      /alert sent[\s\S]*fired[\s\S]*pending · BTC\/USD on mainnet is in an auction .* – +– +market\.auction mainnet abababab 1/u,
    );
    expect(said).toContain("market.auction mainnet abababab 1");
    expect(await talk.ask("alerts log btc/usd network:testnet")).toMatch(saying("•", "btc/usd", "testnet"));
    expect(await talk.ask("alerts log")).toMatch(/notice sent · added by ann .* after /u);
    const narrow = renderTerminal(await talk.askFor("alerts log btc/usd"), {
      width: 80,
      colour: false,
      links: false,
      now: talk.now(),
    });
    expect(narrow).toMatch(/What +When \(UTC\) +More/u);
    // Where there is room for one column alone, as on Discord, each line names the alert beside what happened to it.
    const { blocks } = await talk.askFor("alerts log btc/usd");
    const table = blocks.find((block) => block.kind === "table")!;
    const { lines } = renderTable(table, { max: 4000, held: undefined, onId: () => undefined }).rows;
    expect(lines.length).toBe(table.rows.length);
    expect(lines.filter((line) => !/(?:due|sent|fired|pending|acknowledged).*BTC\/USD/u.test(line))).toEqual([]);
  });

  test("shows a channel the global status and its own", async () => {
    const talk = await oneNodeDown();
    talk.become({ here: ELSEWHERE });
    const said = await talk.ask("alerts log");
    expect(said).toContain("fired");
    expect(said).not.toContain("by ann");
  });
});

describe("the status", () => {
  test("before the first observation says so", async () => {
    const talk = await talkToSimulator();
    expect(await talk.ask("alerts status")).toMatch(saying("!", "mainnet", "testnet"));
  });

  test("shows verdicts, open episodes, undelivered messages and late watchers", async () => {
    const talk = await oneNodeDown();
    const said = await talk.ask("alerts status");
    expect(said).toMatch(saying("!", "mainnet", "testnet"));
    expect(said).toMatch(/a:1 on mainnet does not answer\s+warning\s+firing/u);
    expect(said).toMatch(saying(2, "Discord", 25));
    expect(said).toMatch(/mainnet\s+\D+1 \D+1 of 2 answer\s+1,200/u);
    await talk.press("alerts ack");
    expect(await talk.ask("alerts status")).toContain("by ann");
    talk.advance(3_600_000);
    expect(await talk.ask("alerts status")).toMatch(saying("!", "mainnet", "1 h"));
  });

  test("is that of one network where it is named, and so is the list of subscriptions", async () => {
    const talk = await oneNodeDown();
    const elsewhere = await talk.ask("alerts status network:testnet");
    expect(elsewhere).toMatch(saying("!", "testnet"));
    expect(elsewhere).not.toContain("mainnet");
    expect(await talk.press("alerts status")).not.toContain("mainnet");
    expect(await talk.ask("alerts status network:mainnet")).toMatch(saying("!", "mainnet"));
    expect(await talk.ask("alerts list network:testnet")).not.toContain("node.down");
    expect(linesOf(talk.lastReply)).toEqual(["alerts add"]);
    expect(await talk.ask("alerts list network:mainnet")).toContain("1 subscription in");
  });

  test("says that no process watches, and how old the last observation is", async () => {
    const talk = await oneNodeDown();
    talk.advance(3_600_000);
    const said = await talk.ask("alerts status");
    expect(said).toMatch(saying("!", "mainnet"));
    expect(said).toMatch(saying("1 h"));
  });

  test("claims no verdict before the first observation of this process, and names what is suspicious", async () => {
    let looked: Verdict | undefined;
    const talk = await talkToSimulator({ verdict: () => looked });
    await see(talk, 1, [stalled("good")]);
    const frontier = { time: String(talk.now() - 115_000_000_000n) };
    await see(talk, 3, [stalled("bad", { badForMillis: 12_000 })], { memory: { frontier } });
    const before = await talk.ask("alerts status");
    expect(before).toMatch(saying("•", /\S*/u, "testnet"));
    looked = judgeSources({ witnesses: [], atMillis: 0, wallClock: talk.now() }, undefined, DEFAULT_THRESHOLDS);
    const said = await talk.ask("alerts status");
    expect(said).toMatch(saying("!", "mainnet", "22 s", "2 min", "5 s", "30 s"));
    expect(said).toMatch(saying("no new block", "22 s"));
    expect(said).not.toContain("Nobody is watching");
  });

  test("names the markets of which no looks are kept, the first ones by name", async () => {
    const markets = Array.from({ length: 13 }, (_, index) => `M${index + 1}/USDT`);
    const talk = await talkToSimulator({ marketsWithoutLooks: (network) => (network === "mainnet" ? markets : []) });
    const said = await talk.ask("alerts status");
    expect(said).toMatch(saying("LOOKS_MARKETS", "mainnet", "M1/USDT", "M10/USDT", "3"));
    expect(said).not.toContain("M11/USDT");
    expect(await (await talkToSimulator()).ask("alerts status")).not.toContain("LOOKS_MARKETS");
  });

  test("names the processes and who has which duty, to operators alone", async () => {
    const processes = async () => [
      { id: "web-1", beatAgo: 400, duties: [{ name: "watch mainnet", epoch: 3 }] },
      { id: "web-2", beatAgo: 5200, duties: [] },
    ];
    const talk = await talkToSimulator({ processes });
    expect(await talk.ask("alerts status")).toMatch(
      saying("web-1", "400 ms", "watch mainnet", "epoch 3", "web-2", "5 s", "no duty"),
    );
    talk.become({ here: { platform: "slack", channel: "C1", files: { maxBytes: 1, maxCount: 1 } } });
    expect(await talk.ask("alerts status")).not.toContain("web-1");
  });

  test("names markets by what the watchers know them by, though the reading did not", async () => {
    const talk = await talkToSimulator();
    await talk.ask("alerts add market.auction");
    const facts = { tradingMode: "TRADING_MODE_OPENING_AUCTION" };
    const common = { network: "mainnet", subject: "m1", state: "bad", seenBy: ["a:1"], nodes: 1 } as const;
    const look = async (): Promise<string> => {
      await talk.engine.processObservation({
        network: "mainnet",
        watcher: { name: "markets", every: 60_000 },
        snapshot: { markets: { m1: { label: "BTC/USD" }, m2: {} } },
        readings: [{ kind: "market.auction", ...common, facts }],
        events: [],
        at: talk.now(),
      });
      return talk.ask("alerts status");
    };
    await look();
    expect(shown(talk.lastReply)).toMatch(saying("auction", "BTC/USD"));
    talk.advance(60_000);
    expect(await look()).toMatch(
      saying("Open alerts", "BTC/USD", "mainnet", "info", "2026-01-15", "12:00:00", "market.auction"),
    );
  });

  test("tells alerts of the same name on two networks apart, on buttons and in words to copy", async () => {
    const talk = await talkToSimulator();
    await talk.ask("alerts add market.auction network:mainnet");
    await talk.ask("alerts add market.auction network:testnet");
    for (const network of ["mainnet", "testnet"]) {
      for (const state of ["good", "bad"] as const) {
        const at = talk.now();
        const watcher = { name: "markets", every: 60_000 };
        const readings = [auction(state, MARKET, network)];
        await talk.engine.processObservation({ network, watcher, snapshot: {}, readings, events: [], at });
      }
    }
    const said = await talk.ask("alerts status");
    expect(said).toMatch(saying("BTC/USD", "mainnet"));
    expect(said).toMatch(saying("BTC/USD", "testnet"));
    expect(said).toContain("market.auction testnet abababab 1");
    // Those that get no buttons stand in the list all the same.
    const watcher = { name: "sources", every: 5000 };
    for (const state of ["good", "bad", "bad", "bad", "bad"] as const) {
      const readings = [down(state)];
      await talk.engine.processObservation({
        network: "mainnet",
        watcher,
        snapshot: {},
        readings,
        events: [],
        at: talk.now(),
      });
    }
    await talk.ask("alerts ack market.auction network:mainnet");
    expect(await talk.ask("alerts status")).toMatch(saying("BTC/USD", "testnet", "a:1"));
  });

  test("calls nothing suspicious that is an alert under a subscription's own thresholds", async () => {
    const talk = await oneNodeDown();
    await talk.ask("alerts add node.down rounds:1");
    await see(talk, 1, [stalled("good"), down("bad"), down("good", "b:1")]);
    await see(talk, 1, [stalled("good"), down("bad"), down("bad", "b:1")]);
    const said = await talk.ask("alerts status");
    expect(said).toMatch(/b:1 on mainnet does not answer/u);
    expect(said).not.toContain("Suspicious");
  });

  test("lists the worst and unacknowledged episodes first", async () => {
    const talk = await oneNodeDown();
    const both = [down("bad"), down("bad", "b:1")];
    await see(talk, 4, [stalled("good"), ...both]);
    expect(await talk.ask("alerts status")).toMatch(
      /b:1 on mainnet does not answer[\s\S]*a:1 on mainnet does not answer/u,
    );
    await talk.ask("alerts ack b:1");
    expect(await talk.ask("alerts status")).toMatch(
      /a:1 on mainnet does not answer[\s\S]*b:1 on mainnet does not answer.*acknowledged by ann/u,
    );
    await see(talk, 60, [stalled("bad"), ...both]);
    expect(await talk.ask("alerts status")).toMatch(
      /mainnet makes no block\s+critical[\s\S]*[ab]:1 on mainnet does not answer\s+warning/u,
    );
  });

  test("tells two alerts of one kind apart, and offers each of their stories once", async () => {
    const talk = await oneNodeDown();
    await see(talk, 4, [stalled("good"), down("bad"), down("bad", "b:1")]);
    const { blocks, actions } = await talk.askFor("alerts status");
    const table = blocks.find((block) => block.kind === "table")!;
    expect(new Set(table.rows.map(([first]) => plainText(first!))).size).toBe(2);
    expect(table.rowAction?.invocations).toHaveLength(2);
    const asked = actions.flatMap((one) => ("invocation" in one ? [one.invocation.command] : []));
    expect(asked).not.toContain("alerts why");
  });

  test("lists what nobody has taken first, of that a node before a market, and counts it", async () => {
    const talk = await oneNodeDown();
    await talk.ask("alerts ack node.down");
    await talk.ask("alerts add market.auction");
    await see(talk, 1, [down("bad"), down("good", "b:1"), auction("good", MARKET)]);
    await see(talk, 4, [down("bad"), down("bad", "b:1"), auction("bad", MARKET)]);
    expect(await talk.ask("alerts status")).toMatch(
      /^! .*b:1 on mainnet.*; nobody has taken 2 of 3 open alerts[\s\S]*b:1 on [\s\S]*BTC\/USD .*\s+firing[\s\S]*a:1 .*acknowledged by ann/u,
    );
    for (const other of ["b:1", "market.auction"]) await talk.ask(`alerts ack "${other}"`);
    expect(await talk.ask("alerts status")).toMatch(/^! .*b:1 on mainnet.*; all 3 open alerts are taken/u);
  });

  test("calls a blind watcher blind, and a stall a stall", async () => {
    const talk = await talkToSimulator();
    await see(talk, 1, [stalled("good"), blind("good")]);
    await see(talk, 8, [stalled("bad"), blind("good")]);
    expect(await talk.ask("alerts status")).toMatch(/mainnet\s+stalled/u);
    await see(talk, 4, [stalled("unknown"), blind("bad")]);
    expect(await talk.ask("alerts status")).toMatch(saying("!", "mainnet"));
  });

  test("does not call a network stalled that makes blocks again, though its alert is open until that lasts", async () => {
    const talk = await talkToSimulator();
    await see(talk, 1, [stalled("good")]);
    await see(talk, 8, [stalled("bad")]);
    await see(talk, 1, [stalled("good")]);
    const said = await talk.ask("alerts status");
    expect(said).toMatch(
      saying("mainnet makes blocks again", "mainnet made no block", "recovering", "network.stalled"),
    );
    expect(said).not.toMatch(/mainnet\s+stalled/u);
    const why = await talk.ask("why is the chain stuck");
    expect(why).toMatch(/^! mainnet makes blocks again: recovering/u);
    expect(why).not.toMatch(/has stopped|What to do/u);
    expect(await talk.ask("time")).toMatch(
      /^! mainnet is healthy[^;]*; 1 alert is recovering\s[^]*mainnet made no block · recovering, its alert open for \d+ s/u,
    );
  });

  test("says the worst first, and calls no network healthy that has an alert", async () => {
    const looked = judgeSources({ witnesses: [], atMillis: 0, wallClock: 0n as never }, undefined, DEFAULT_THRESHOLDS);
    const talk = await talkToSimulator({ verdict: () => looked });
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 4, [stalled("good"), down("bad")]);
    const title = (): string => plainText(talk.lastReply.title);
    await talk.ask("alerts status");
    expect(talk.lastReply.tone).toBe("warning");
    expect(title()).toMatch(/^a:1 on mainnet .*, \d+ s so far; testnet/u);
    await see(talk, 60, [stalled("bad"), down("bad")]);
    await talk.ask("alerts status");
    expect(talk.lastReply.tone).toBe("bad");
    expect(title()).toMatch(/^mainnet .*, .* so far; 1 more .*; testnet/u);
    await see(talk, 8, [stalled("good"), down("bad")]);
    expect(await talk.ask("alerts status")).not.toContain("healthy");
    expect(title()).toMatch(/^a:1 on mainnet/u);
    await see(talk, 8, [stalled("good"), down("good")]);
    await talk.ask("alerts status network:mainnet");
    expect(title()).toMatch(/^mainnet healthy; /u);
    expect(talk.lastReply.tone).toBe("good");
  });

  test("knows every watcher by its name", () => {
    const config = DEFAULT_ALERTS_CONFIG;
    const watchers = createWatchers({ network: "mainnet", nodes: 1, config, clock: systemClock });
    expect(watcherNames(config)).toEqual(watchers.map(({ name, every }) => ({ name, every })));
  });
});

test("the status offers no acknowledgement where it would be refused", async () => {
  const talk = await oneNodeDown();
  const labels = async (): Promise<string[]> =>
    (await talk.askFor("alerts status")).actions.map(({ label }) => label).filter((one) => one.startsWith("Ack"));
  expect(await labels()).toHaveLength(1);
  talk.become({ caller: bob });
  expect(await labels()).toEqual([]);
  talk.become({ here: ELSEWHERE, caller: ann });
  expect(await labels()).toEqual([]);
});

test("an acknowledgement is announced only where the alert was told", async () => {
  const talk = await oneNodeDown();
  // Subscribed, and nothing was told there: a silence holds.
  talk.become({ here: ELSEWHERE });
  await talk.ask("alerts silence node.down for:1h");
  await talk.ask("alerts add node.down style:plain");
  const before = (await owed(talk, elsewhere)).length;
  await talk.ask("alerts ack node.down");
  expect(talk.lastReply.failure).toBeUndefined();
  expect(await owed(talk, elsewhere)).toHaveLength(before);
  expect((await owed(talk, ops)).length).toBeGreaterThan(1);
});
