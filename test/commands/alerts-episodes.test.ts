import { describe, expect, test } from "vitest";

import { createDispatcher } from "../../src/alerts/dispatch.ts";
import { describe as describeAlert } from "../../src/alerts/describe.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { watcherNames } from "../../src/alerts/watcher-names.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { judgeSources } from "../../src/api/judge-sources.ts";
import { DEFAULT_THRESHOLDS, type Verdict } from "../../src/api/verdict.ts";
import { silentLog } from "../../src/log.ts";
import { blind, down, price, stalled } from "../alerts/readings.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import { FakeSender } from "../support/fake-sender.ts";
import {
  ann,
  bob,
  CONSOLE_PAGE,
  ELSEWHERE,
  OPS,
  ops,
  owed,
  owedReplies,
  see,
  shown,
  talkInOps,
} from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

/** A channel that is told of two nodes, of which one is down. */
async function oneNodeDown() {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down,network.stalled style:plain");
  await see(talk, 1, [stalled("good"), down("good"), down("good", "b:1")]);
  await see(talk, 4, [stalled("good"), down("bad"), down("good", "b:1")]);
  return talk;
}

describe("an episode", () => {
  test.each([
    "node.down|mainnet|a:1|1",
    "NODE.DOWN",
    "node.down a:1",
    "a:1",
    "node.down mainnet 1",
    "node|main|a",
    "node.down|mainnet|a:1|",
  ])("may be typed as %s", async (typed) => {
    const talk = await oneNodeDown();
    expect(await talk.ask(`alerts why "${typed}"`)).toContain("a:1 is down on mainnet: the whole story");
  });

  test("must be told from others", async () => {
    const talk = await oneNodeDown();
    await see(talk, 4, [stalled("good"), down("bad"), down("bad", "b:1")]);
    const said = await talk.ask("alerts why node.down");
    expect(said).toContain("“node.down” could be 2 episodes.");
    expect(said).toContain("node.down mainnet a:1 1, node.down mainnet b:1 1");
    expect(await talk.ask("alerts why node.down mainnet b:1 1")).toContain("b:1 is down");
    expect(await talk.ask("alerts why node.dwon")).toMatch(
      /No episode “node\.dwon” is known[\s\S]*Did you mean node\.down\?/u,
    );
  });

  test("that is over is meant where none is open: the last one of its thing", async () => {
    const talk = await oneNodeDown();
    await see(talk, 6, [stalled("good"), down("good")]);
    expect(await talk.ask("alerts why node.down")).toContain("a:1 answers again on mainnet: the whole story");
    expect(await talk.ask("alerts ack node.down")).toContain("Nothing changed: that is over");
  });

  test("is completed, open ones first, within what platforms take", async () => {
    const talk = await oneNodeDown();
    expect((await talk.suggest("alerts why", "episode", "")).map(({ value }) => value)).toEqual([
      "node.down|mainnet|a:1|1",
    ]);
    expect((await talk.suggest("alerts ack", "episode", "is down"))[0]?.label).toContain(
      "a:1 is down on mainnet (warning",
    );
    expect((await talk.suggest("alerts silence", "what", "")).map(({ value }) => value).slice(0, 2)).toEqual([
      "node.down|mainnet|a:1|1",
      "network.stalled",
    ]);
    const market = "ab".repeat(32);
    const high = "70000.123456789012345678";
    await talk.engine.putSubscription(
      {
        ...(await talk.engine.subscriptions())[0]!,
        id: "long1",
        kinds: ["market.price"],
        parameters: { "market.price": { high, low: `-${high}` } },
      },
      "ann",
    );
    await see(talk, 1, [price("1", market)]);
    await see(talk, 1, [price("80000", market)]);
    const [choice] = await talk.suggest("alerts why", "episode", "market.price");
    expect(choice!.value.length).toBeLessThanOrEqual(100);
    const story = await talk.ask(`alerts why ${choice!.value}`);
    expect(story).toContain(
      "BTC/USD is above 70,000.123456789012345678 on mainnet: mark price 80,000: the whole story",
    );
    const both = "market.price of BTC/USD, above 70,000.123456789012345678 or below -70,000.123456789012345678";
    expect(story).toMatch(new RegExp(String.raw`fired\s+–\s+${both}`, "u"));
    expect(await talk.ask("alerts log market.price")).toContain("market.price of BTC/USD");
  });
});

describe("an acknowledgement", () => {
  test("comes from the alert's own button, is announced once, and twice changes nothing", async () => {
    const talk = await oneNodeDown();
    const alert = (await owedReplies(talk, ops)).at(-1)!;
    const button = alert.actions.find(({ label }) => label === "Acknowledge");
    if (button === undefined || !("invocation" in button)) throw new Error("no such button");
    const asked = { here: OPS, caller: ann, signal: AbortSignal.timeout(5000), ...button.invocation };
    expect(shown(await talk.bot.run(asked))).toContain("Acknowledged: a:1 is down on mainnet");
    expect(shown(await talk.bot.run(asked))).toContain("Nothing changed: ann has acknowledged that already");
    expect((await owed(talk, ops)).filter((title) => title.startsWith("CHANGE · ann acknowledged"))).toEqual([
      "CHANGE · ann acknowledged node.down: a:1 is down on mainnet",
    ]);
    expect((await talk.engine.openEpisodes())[0]?.acknowledged?.by).toBe("ann");
  });

  test("is for those who manage a channel that is told of it", async () => {
    const talk = await oneNodeDown();
    talk.become({ caller: bob });
    expect(await talk.ask("alerts ack node.down")).toContain("Only people who manage this channel can");
    talk.become({ here: ELSEWHERE, caller: ann });
    expect(await talk.ask("alerts ack node.down")).toContain("This channel is not told of node.down|mainnet|a:1|1");
    expect((await talk.engine.openEpisodes())[0]?.acknowledged).toBeUndefined();
    talk.become({ here: CONSOLE_PAGE });
    expect(await talk.ask("alerts ack node.down")).toContain("Acknowledged");
    expect((await owed(talk, ops)).at(-1)).toBe("CHANGE · ann acknowledged node.down: a:1 is down on mainnet");
  });
});

/** Delivers what is owed, in the time of the conversation, until nothing is left. */
async function deliver(talk: Awaited<ReturnType<typeof oneNodeDown>>, sender: FakeSender): Promise<void> {
  const clock = new VirtualClock(talk.now());
  const dispatcher = createDispatcher({
    store: talk.store,
    clock,
    log: silentLog(),
    senders: [sender],
    describe: describeAlert,
    random: () => 0,
  });
  const stop = new AbortController();
  const running = dispatcher.run(stop.signal);
  await clock.advance(60_000);
  stop.abort();
  await clock.advance(60_000);
  await running;
}

describe("the story of an episode", () => {
  test("tells what was pending, owed, tried, sent, silenced and received", async () => {
    const talk = await oneNodeDown();
    const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
    let refused = 0;
    sender.fate = (_what, tries) => {
      if (tries > 1) return "ok";
      refused += 1;
      return refused === 2 ? "lost-unknown" : "ok";
    };
    await deliver(talk, sender);
    const said = await talk.ask("alerts why node.down");
    for (const words of [
      /pending\s+–\s+node\.down of a:1/u,
      /fired\s+–\s+node\.down of a:1/u,
      /trigger owed\s+here/u,
      /outcome unknown\s+here\s+attempt 1: no answer/u,
      /trigger sent\s+here\s+attempt 2[\s\S]*message 2/u,
      /Told\s+2026-01-15/u,
    ]) {
      expect(said).toMatch(words);
    }
    expect(await talk.ask('alerts log "trigger sent"')).toMatch(/trigger sent[\s\S]*attempt 2, after 11 s, message 2/u);
    await talk.ask("alerts why node.down");
    await talk.press("Silence 1 h");
    await see(talk, 6, [stalled("good"), down("good"), down("good", "b:1")]);
    expect(await talk.ask("alerts why node.down")).toMatch(
      /resolved[\s\S]*resolve owed, not sent yet\s+here\s+not tried yet/u,
    );
  });

  test("says what kept a trigger back", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down");
    await talk.ask("alerts silence for:1h reason:upgrade");
    await see(talk, 1, [down("good")]);
    await see(talk, 4, [down("bad")]);
    expect(await talk.ask("alerts why node.down")).toMatch(
      /suppressed by silence\s+here\s+silence \w+ by ann: upgrade/u,
    );
  });

  test("keeps other channels' part to those channels", async () => {
    const talk = await oneNodeDown();
    talk.become({ here: ELSEWHERE });
    const said = await talk.ask("alerts why node.down");
    expect(said).not.toContain("1122334455667788990");
    expect(said).toContain("1 more lines are about other channels.");
    talk.become({ here: CONSOLE_PAGE });
    expect(await talk.ask("alerts why node.down")).toContain("discord 1122334455667788990");
  });
});

describe("the log", () => {
  test("is newest first, in pages, narrowed by a word, and a file of all", async () => {
    const talk = await oneNodeDown();
    for (let turn = 0; turn < 8; turn += 1) {
      await see(talk, 6, [stalled("good"), down(turn % 2 === 0 ? "good" : "bad"), down("good", "b:1")]);
    }
    talk.become({ here: CONSOLE_PAGE });
    const first = await talk.ask("alerts log");
    expect(first).toMatch(/\d+ lines, page 1 of \d/u);
    const rows = (reply = talk.lastReply) =>
      reply.blocks.flatMap((block) => (block.kind === "table" ? block.rows : []));
    const newest = rows();
    expect(newest).toHaveLength(15);
    await talk.press("Older");
    expect(rows()).not.toEqual(newest);
    await talk.press("Newer");
    expect(rows()).toEqual(newest);
    expect(await talk.ask("alerts log recovering")).not.toContain("fired");
    expect(await talk.ask("alerts log page:99")).toMatch(/There are \d pages, no page 99/u);
    expect(await talk.ask("alerts log nothing-like-that")).toContain("Nothing with nothing-like-that is in the log");
    await talk.ask("alerts log node.down");
    await talk.press("As a file");
    const [file] = talk.lastReply.attachments;
    let csv = "";
    for await (const chunk of file!.open()) csv += String(chunk);
    const lines = csv.trim().split("\n");
    const all = await talk.engine.log({ limit: 1000 });
    expect(lines).toHaveLength(1 + all.filter((row) => JSON.stringify(row).includes("node.down")).length);
    expect(lines[0]).toBe("When,What,Network,Episode,Where,Delivery,More");
  });

  test("shows a channel what is everybody's and its own", async () => {
    const talk = await oneNodeDown();
    talk.become({ here: ELSEWHERE });
    const said = await talk.ask("alerts log");
    expect(said).toContain("fired");
    expect(said).not.toContain("by ann");
  });
});

describe("the status", () => {
  test("before anything was looked at says so", async () => {
    const talk = await talkToSimulator();
    expect(await talk.ask("alerts status")).toMatch(
      /mainnet not watched yet, testnet not watched yet; nothing is firing/u,
    );
  });

  test("tells verdicts, open episodes, what is owed and who is late", async () => {
    const talk = await oneNodeDown();
    const said = await talk.ask("alerts status");
    expect(said).toContain("mainnet healthy, testnet not watched yet; one alert is open");
    expect(said).toMatch(/mainnet\s+healthy\s+1 of 2 answer\s+1200/u);
    expect(said).toMatch(/warning\s+node\.down\s+mainnet\s+a:1/u);
    expect(said).toMatch(/Owed and not sent yet: 2 on discord, the oldest since 2026-01-15 12:00:00 UTC/u);
    await talk.press("Acknowledge a:1");
    expect(await talk.ask("alerts status")).toContain("by ann");
    talk.advance(3_600_000);
    expect(await talk.ask("alerts status")).toMatch(/late[\s\S]*sources on mainnet last looked 1 h/u);
  });

  test("says that nobody watches where no process does, and how old the last look is", async () => {
    const talk = await oneNodeDown();
    talk.advance(3_600_000);
    const said = await talk.ask("alerts status");
    expect(said).toMatch(/^! Nobody is watching; last known: mainnet healthy/u);
    expect(said).toMatch(
      /No Bellwether runs on this database: nobody is watching\. What follows is as of the last look, 1 h\s+ago\./u,
    );
  });

  test("takes nothing for known before the first look of this process, and names what is suspicious", async () => {
    let looked: Verdict | undefined;
    const talk = await talkToSimulator({ verdict: () => looked });
    await see(talk, 1, [stalled("good")]);
    const frontier = { time: String(talk.now() - 115_000_000_000n) };
    await see(talk, 3, [stalled("bad", { badForMillis: 12_000 })], { memory: { frontier } });
    const before = await talk.ask("alerts status");
    expect(before).toMatch(/^\S* ?mainnet not looked at yet since the start, testnet not watched yet/u);
    looked = judgeSources({ witnesses: [], atMillis: 0, wallClock: talk.now() }, undefined, DEFAULT_THRESHOLDS);
    const said = await talk.ask("alerts status");
    expect(said).toMatch(
      /^! mainnet suspicious: no new block seen for 22 s \(the last block is 2 min 5 s old\), alerts at 30 s/u,
    );
    expect(said).toMatch(/Suspicious, and no alert yet[\s\S]*network\.stalled for 22 s/u);
    expect(said).not.toContain("Nobody is watching");
  });

  test("names markets by what the watchers know them by, though the reading did not", async () => {
    const talk = await talkToSimulator();
    await talk.ask("alerts add market.auction");
    const facts = { tradingMode: "TRADING_MODE_OPENING_AUCTION" };
    const common = { network: "mainnet", subject: "m1", state: "bad", seenBy: ["a:1"], nodes: 1 } as const;
    const look = async (): Promise<string> => {
      await talk.engine.record({
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
    expect(shown(talk.lastReply)).toContain("market.auction of BTC/USD at the last look");
    talk.advance(60_000);
    expect(await look()).toMatch(/info\s+market\.auction\s+mainnet\s+BTC\/USD\s+at least 2026-01-15 12:00:00 UTC/u);
  });

  test("lists first what is worst and what nobody has acknowledged", async () => {
    const talk = await oneNodeDown();
    const both = [down("bad"), down("bad", "b:1")];
    await see(talk, 4, [stalled("good"), ...both]);
    expect(await talk.ask("alerts status")).toMatch(/node\.down\s+mainnet\s+b:1[\s\S]*node\.down\s+mainnet\s+a:1/u);
    await talk.ask("alerts ack b:1");
    expect(await talk.ask("alerts status")).toMatch(/node\.down\s+mainnet\s+a:1[\s\S]*node\.down\s+mainnet\s+b:1/u);
    await see(talk, 60, [stalled("bad"), ...both]);
    expect(await talk.ask("alerts status")).toMatch(/critical\s+network\.stalled[\s\S]*warning\s+node\.down/u);
  });

  test("calls a blind watcher blind, and a stall a stall", async () => {
    const talk = await talkToSimulator();
    await see(talk, 1, [stalled("good"), blind("good")]);
    await see(talk, 8, [stalled("bad"), blind("good")]);
    expect(await talk.ask("alerts status")).toContain("mainnet stalled");
    await see(talk, 4, [stalled("unknown"), blind("bad")]);
    expect(await talk.ask("alerts status")).toContain("mainnet cannot be seen");
  });

  test("knows every watcher by its name", () => {
    const config = DEFAULT_ALERTS_CONFIG;
    const watchers = createWatchers({ network: "mainnet", nodes: 1, config });
    expect(watcherNames(config)).toEqual(watchers.map(({ name, every }) => ({ name, every })));
  });
});
