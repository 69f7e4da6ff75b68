import { text } from "node:stream/consumers";

import { describe, expect, test } from "vitest";

import type { Caller } from "../../src/bot/invocation.ts";
import { replyToJson } from "../../src/reply/json.ts";
import { tableToCsv } from "../../src/reply/csv.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { timeToText, toMillis } from "../../src/units/time.ts";
import { auction, down, stalled } from "../alerts/readings.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { DRILL_NETWORK } from "../../src/alerts/judge/rules/episode.ts";
import { drillSubscriptions } from "../../src/answers/alerts/episodes/drill.ts";
import { MANY_WORKSPACES, PLATFORMS } from "../support/platforms.ts";
import { saying } from "../support/said.ts";
import type { Talk } from "../support/talk.ts";
import { ann, bob, CONSOLE_PAGE, deliver, DIRECT, ELSEWHERE, OPS, ops, see, talkInOps } from "./alert-channel.ts";

const OTHER_SERVER = { ...ELSEWHERE, workspace: "77" };
const HOUR = 3_600_000;

async function send(talk: Talk, platform = "discord"): Promise<void> {
  await deliver(talk, new FakeSender({ platform, now: () => toMillis(talk.now()) }));
  talk.advance(5000);
}

/** A node was down for 25 s and came back; the channel was told both, and ann took it. */
async function aNight(): Promise<Talk> {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down,network.stalled style:plain");
  await see(talk, 1, [stalled("good"), down("good"), down("good", "b:1")]);
  await see(talk, 4, [stalled("good"), down("bad"), down("good", "b:1")]);
  await send(talk);
  await talk.ask("alerts ack node.down");
  await see(talk, 6, [stalled("good"), down("good"), down("good", "b:1")]);
  await send(talk);
  return talk;
}

/** A checkpoint is seen, and told. */
async function happen(talk: Talk, hash: string, atBlock: string): Promise<void> {
  const at = talk.now();
  const event = { kind: "checkpoint.new", network: "mainnet", subject: "", key: hash, at: timeToText(at) } as const;
  await talk.engine.processObservation({
    network: "mainnet",
    watcher: { name: "checkpoints", every: 15_000 },
    snapshot: {},
    readings: [],
    events: [{ ...event, atBlock, hash }],
    at,
  });
  await send(talk);
}

function tablesOf({ blocks }: Reply) {
  return blocks.flatMap((block) => (block.kind === "table" ? [block] : []));
}

describe("what was told", () => {
  test.each(["alerts told", "alerts told today", "alerts told since:3h", "alerts told since 11:00"])(
    "is asked by %s: one line for an alert, with its length, who took it and where",
    async (line) => {
      const talk = await aNight();
      const said = await talk.ask(line);
      expect(said).toMatch(/^• a:1 on mainnet did not answer for \d+ s from 12:00/u);
      expect(said).toMatch(/a:1 on mainnet did not answer, \w+\s+12:00\s+\d+ s\s+ann\s+here/u);
      expect(said).toContain(" UTC");
      expect(said.split("[1]")[0]).not.toContain("node.down");
      expect(tablesOf(talk.lastReply)).toHaveLength(1);
    },
  );

  test("is answered for everybody where everybody sees it: of the channel alone, whoever asks", async () => {
    const talk = await aNight();
    await talk.ask("alerts add node.lagging to:me");
    talk.become({ here: ELSEWHERE });
    await talk.ask("alerts add checkpoint.new");
    await happen(talk, "ab".repeat(32), "1200");
    talk.become({
      here: OPS,
      caller: ann,
      managed: () => Promise.resolve(new Set([ELSEWHERE.channel ?? ""])),
      openly: true,
    });
    const open = await talk.ask("what did I miss");
    expect(open).toMatch(/a:1 on mainnet did not answer/u);
    expect(open).toContain("what this channel was told");
    expect(open).not.toContain("checkpoint");
    talk.become({ caller: { ...bob, mayManageChannel: false } });
    expect(await talk.ask("alerts told")).toBe(open);
  });

  test("of the last night ends at 07:00, and goes on from there; what matters most comes first, the rest is folded", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down,network.stalled style:plain");
    await talk.ask("alerts add core.upgraded,checkpoint.new events:each");
    await see(talk, 1, [stalled("good"), down("good"), down("good", "b:1")]);
    await see(talk, 4, [stalled("good"), down("bad"), down("good", "b:1")]);
    await send(talk);
    for (let at = 0; at < 3; at += 1) {
      await happen(talk, `${at}${at}`.repeat(32), `${100 + at}`);
      await see(talk, 10, [stalled("good"), down(at % 2 === 0 ? "good" : "bad"), down("good", "b:1")]);
      await send(talk);
    }
    const told = await talk.askFor("alerts told");
    const [first] = tablesOf(told);
    expect(
      first?.rows[0]
        ?.flat()
        .map((one) => ("text" in one ? one.text : ""))
        .join(""),
    ).toContain("a:1 on mainnet");
    expect(await talk.ask("alerts told last night")).toMatch(
      saying("Last night is not known: watching only since", "22:00", "07:00"),
    );
    expect(await talk.press(/^alerts told since:"2026-01-15 07:00"/u)).toMatch(saying("a:1 on mainnet"));
  });

  test("begins with the worst, of equals the widest; what is over and alike shares a line", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down,network.stalled,market.auction style:plain");
    const all = ["m1", "m2", "m3"];
    const look = (state: "good" | "bad") => [down(state), ...all.map((market) => auction(state, market))];
    await see(talk, 1, look("good"));
    await see(talk, 8, look("bad"));
    await send(talk);
    await see(talk, 8, look("good"));
    await send(talk);
    const said = await talk.ask("alerts told");
    expect(said).toMatch(/^• a:1 on mainnet did not answer for .* from 12:00 UTC; 3 more alerts$/mu);
    expect(said).toMatch(/BTC\/USD on mainnet was in an auction, \w+, and 2 more alike/u);
  });

  test("ends with what only tested the way, which is counted apart and is no news by itself", async () => {
    const talk = await talkInOps();
    const by = { id: "41", name: "ann" };
    const at = toMillis(talk.now());
    await talk.engine.putSubscriptions(drillSubscriptions("drill-1", [ops], by, at, PLATFORMS), "ann");
    const drill = async (state: "good" | "bad") => {
      const readings = [down(state, "drill-1", DRILL_NETWORK)];
      const watcher = { name: "sources", every: 5000 };
      const look = { network: DRILL_NETWORK, watcher, snapshot: {}, readings, events: [] };
      await talk.engine.processObservation({ ...look, at: talk.now() });
      talk.advance(5000);
    };
    for (const state of ["good", "bad", "bad", "bad", "bad"] as const) await drill(state);
    await send(talk);
    expect(await talk.ask("alerts told")).toMatch(/^• (?:Nothing happened|Not known[^\n]*); 1 test$/mu);
    await talk.ask("alerts add checkpoint.new events:each");
    for (const one of ["ab", "cd"]) await happen(talk, one.repeat(32), "1200");
    const said = await talk.ask("alerts told");
    expect(said).toMatch(/^• New checkpoint on mainnet [^;]*; 1 test$/mu);
    expect(said).toMatch(/New checkpoint[^]*DRILL · A made-up node/u);
  });

  test("of several days is one table, each moment with its day; an alert that lasts says so", async () => {
    const talk = await aNight();
    talk.advance(24 * HOUR);
    await see(talk, 1, [stalled("good"), down("good"), down("good", "b:1")]);
    await see(talk, 4, [stalled("good"), down("good"), down("bad", "b:1")]);
    await send(talk);
    const said = await talk.ask("alerts told since:2d");
    expect(tablesOf(talk.lastReply)).toHaveLength(1);
    expect(said).toMatch(
      /b:1 on mainnet does not answer, \w+\s+2026-01-16 12:01:10\s+.* so far[^]*a:1 on mainnet did not answer, \w+\s+2026-01-15 12:00:05/u,
    );
    expect(await talk.ask("alerts told yesterday")).toMatch(saying("a:1 on mainnet did not"));
    expect(await talk.ask("alerts told yesterday")).not.toContain("b:1");
    expect(await talk.ask("alerts told")).not.toContain("a:1");
  });

  test("has one line for what comes again and again, so that alerts are seen", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add checkpoint.new events:each");
    await talk.ask("alerts add checkpoint.new events:each to:me");
    // The first look tells nothing.
    for (const [at, hash] of ["seed", "aa", "bb", "cc"].entries()) await happen(talk, hash, `${100 + at}`);
    const said = await talk.ask("alerts told");
    expect(said).toMatch(/^• New checkpoint on mainnet at block 103, the last of 3$/mu);
    expect(said).not.toContain("block 102");
  });

  test("has that line by the day of the clock that it shows, and offers a longer time of the same network", async () => {
    const talk = await talkInOps();
    await talk.ask("my zone Europe/Zurich");
    await talk.ask("alerts add checkpoint.new events:each");
    await happen(talk, "seed", "100");
    talk.advance(12 * HOUR - 15_000);
    for (const [at, hash] of ["aa", "bb", "cc"].entries()) await happen(talk, hash, `${101 + at}`);
    expect(await talk.ask("alerts told")).toMatch(saying("•", "103", "the last of", 3));
    await talk.askFor("alerts told network:mainnet until:2d");
    expect(talk.lastReply.actions.map((one) => "invocation" in one && one.invocation.options)).toContainEqual({
      since: "7d",
      network: "mainnet",
    });
  });

  test("does not hold what was never posted, nor what people did themselves", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down style:plain");
    await send(talk);
    await see(talk, 1, [down("good")]);
    await see(talk, 4, [down("bad")]);
    expect(await talk.ask("alerts told")).toMatch(saying("a:1", "Fired, and told to nobody"));
    await send(talk);
    expect(await talk.ask("alerts told")).toMatch(/^! a:1 on mainnet does not answer, \d+ s so far$/mu);
  });

  test("is by the clock of the zone that somebody chose; JSON and files have the moment in UTC", async () => {
    const talk = await aNight();
    expect(await talk.ask("my zone europe/zurich")).toContain("Europe/Zurich");
    const said = await talk.ask("alerts told since 13:00");
    expect(said).toMatch(saying("2026-01-15 13:00", "Europe/Zurich", "a:1 on mainnet did not answer", "13:00"));
    const [table] = tablesOf(talk.lastReply);
    expect(tableToCsv(table!)).toMatch(/,\d{4}-\d{2}-\d{2} 12:00:\d{2} UTC,/u);
    expect(JSON.stringify(replyToJson(talk.lastReply))).toMatch(/"at":"\d{19}"/u);
    await talk.ask("my zone UTC");
    expect(await talk.ask("alerts told")).toContain(" UTC");
    const dora = { ...ann, id: "112233445566778899" };
    talk.become({ here: OPS, caller: dora });
    await talk.ask("my zone Asia/Tokyo");
    expect(await talk.ask("alerts told")).toContain("(Asia/Tokyo)");
    await talk.ask("my forget all");
    expect(await talk.ask("alerts told")).toContain(" UTC");
    expect(await talk.ask("my zone Europe/Zuric")).toMatch(saying("!", "Europe/Zuric", "Europe/Zurich"));
  });

  test("is by the platform's clock where nobody chose one, and by UTC where that is none", async () => {
    const talk = await aNight();
    talk.become({ here: OPS, caller: ann, zone: () => Promise.resolve("Asia/Tokyo") });
    expect(await talk.ask("alerts told")).toMatch(saying("Asia/Tokyo", "21:00"));
    talk.become({ here: OPS, caller: ann, zone: () => Promise.resolve("Nowhere/Else") });
    expect(await talk.ask("alerts told")).toContain(" UTC");
  });

  test.each([
    "alerts told mainet",
    "alerts told since:soon",
    "alerts told since:2026-01-15T11:00 until:2026-01-15T10:00",
    "alerts told tomorrow",
  ])("is refused for %s", async (line) => {
    const talk = await talkInOps();
    expect(await talk.ask(line)).toMatch(/^!/u);
  });

  test("names each alert of a message that says several, and an end that nobody saw", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down style:live");
    await see(talk, 1, [down("good"), down("good", "b:1")]);
    await see(talk, 4, [down("bad"), down("bad", "b:1")]);
    await send(talk);
    const said = await talk.ask("alerts told");
    expect(said).toMatch(saying("a:1", "so far", 1, "more alert"));
    expect(said).toMatch(saying("a:1 on mainnet"));
    expect(said).toMatch(saying("b:1 on mainnet"));
    await talk.engine.closeUnwatched([]);
    expect(await talk.ask("alerts told")).toContain("what it was about is gone");
  });

  test("has the message of a day where it grew last, once for all places", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add checkpoint.new");
    talk.become({ here: ELSEWHERE, caller: ann });
    await talk.ask("alerts add checkpoint.new");
    // What is seen first is told to nobody.
    await happen(talk, "0x99", "50");
    await happen(talk, "0xaa", "175186372");
    talk.advance(7 * HOUR);
    await happen(talk, "0xbb", "200");
    await happen(talk, "0xcc", "300");
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    const said = await talk.ask("alerts told since 18:00");
    expect(said).toMatch(/2 checkpoints on mainnet\s+19:00/u);
    expect(said).toMatch(/discord 1122334455667788990, discord\s+2222222222222222222/u);
    expect(await talk.ask("alerts told network:testnet")).toContain("Not known on testnet: nobody is subscribed");
    expect(await talk.ask("alerts told since:12:30 until:18:00")).toContain("Not known: nobody was watching");
    // The day has three.
    expect(await talk.ask("alerts told until:18:00")).toMatch(
      /New checkpoint on mainnet at block 175,186,372\s+2026-01-15 12:00/u,
    );
    expect(await talk.ask("alerts told")).toContain("3 checkpoints on mainnet");
  });

  test("says from when on it is kept, where more was asked for", async () => {
    const talk = await aNight();
    expect(await talk.ask("alerts told since:60d")).toMatch(/30\s+days/u);
    expect(await talk.ask("alerts told since:20d")).not.toContain("30 days");
  });
});

describe("where nothing was told", () => {
  test("nobody is subscribed, which is said and offered; an alert that fired all the same is named", async () => {
    const talk = await talkInOps();
    expect(await talk.ask("alerts told")).toMatch(saying("Not known: nothing is subscribed here", "Subscribe"));
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 40, [stalled("bad"), down("good")]);
    await send(talk);
    const said = await talk.ask("alerts told");
    expect(said).toMatch(saying("mainnet makes no block", "so far", "Fired, and told to nobody", "makes no block"));
    expect(said).toMatch(/12:\d\d\s+.* so far/u);
  });

  test("it is said since when anybody watched; what others were told is no news here", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add network.stalled style:plain");
    talk.become({ here: ELSEWHERE, caller: ann });
    await talk.ask("alerts add node.down");
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 40, [stalled("bad"), down("good")]);
    await send(talk);
    const said = await talk.ask("alerts told");
    expect(said).toMatch(saying("Not known: watching only since 12:00 UTC; nothing happened since"));
    expect(said).not.toContain("fired");
  });
});

describe("what a place was told is read", () => {
  test("by whoever asks in it, since they saw its posts, and by nobody in another channel", async () => {
    const talk = await aNight();
    talk.become({ here: OPS, caller: bob });
    expect(await talk.ask("alerts told")).toMatch(saying("a:1 on mainnet did not answer", "this channel"));
    talk.become({ here: ELSEWHERE, caller: bob });
    const said = await talk.ask("alerts told");
    expect(said).toMatch(saying("•", "Not known"));
    expect(said).not.toContain("a:1");
  });

  test("from another channel of its server by who manages all of them, not from another server", async () => {
    const talk = await aNight();
    talk.become({ here: ELSEWHERE, caller: ann });
    expect(await talk.ask("alerts told")).not.toContain("a:1");
    talk.become({ here: ELSEWHERE, caller: { ...ann, managesWorkspace: true } });
    expect(await talk.ask("alerts told")).toContain("a:1 on mainnet did not");
    talk.become({ here: ELSEWHERE, caller: bob, managed: () => Promise.resolve(new Set([OPS.channel ?? ""])) });
    expect(await talk.ask("alerts told")).toContain("a:1 on mainnet did");
    talk.become({
      here: ELSEWHERE,
      caller: bob,
      managed: () => Promise.resolve(new Set(["5", ELSEWHERE.channel ?? ""])),
    });
    expect(await talk.ask("alerts told")).not.toContain("a:1");
    talk.become({ here: OTHER_SERVER, caller: { ...ann, managesWorkspace: true } });
    expect(await talk.ask("alerts told")).not.toContain("a:1");
    talk.become({ here: DIRECT, caller: ann });
    expect(await talk.ask("alerts told")).not.toContain("a:1");
  });

  test("from the terminal and the console, with the place", async () => {
    const talk = await aNight();
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    expect(await talk.ask("alerts told")).toMatch(/a:1 on mainnet did not answer.*discord 1122334455667788990/u);
  });

  test("but a watch is its owner's alone, wherever they ask, also where somebody manages everything", async () => {
    const talk = await talkInOps(bob);
    talk.become({ here: DIRECT, caller: bob });
    await talk.ask("alerts add node.down style:plain");
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 4, [stalled("good"), down("bad")]);
    await send(talk);
    expect(await talk.ask("alerts told")).toMatch(saying("a:1 on mainnet", "direct messages"));
    talk.become({ here: OPS, caller: bob });
    expect(await talk.ask("alerts told")).toMatch(saying("a:1 on mainnet", "direct messages"));
    talk.become({ here: OPS, caller: { ...ann, managesWorkspace: true } });
    expect(await talk.ask("alerts told")).not.toContain("a:1");
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    expect(await talk.ask("alerts told")).not.toContain("a:1");
  });

  test("on Slack from elsewhere in the workspace by the full member who subscribed the channel, and by no other one", async () => {
    const talk = await talkInOps();
    const there = { platform: "slack", workspace: "T1", channel: "C0SAME", files: OPS.files };
    talk.become({ here: there, caller: ann });
    await talk.ask("alerts add node.down style:plain");
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 4, [stalled("good"), down("bad")]);
    await send(talk, "slack");
    const other = { ...there, channel: "C0OTHER" };
    const told = async (here: typeof there, caller: Caller): Promise<string> => {
      talk.become({ here, caller });
      return talk.ask("alerts told");
    };
    expect(await told(other, ann)).toContain("a:1 on mainnet");
    expect(await told({ ...there, channel: "D0ANN" }, ann)).toContain("a:1 on mainnet");
    expect(await told(other, { ...ann, id: "U0EVE" })).not.toContain("a:1");
    expect(await told(other, { ...ann, mayManageChannel: false })).not.toContain("a:1");
    expect(await told({ ...other, workspace: "T2" }, ann)).not.toContain("a:1");
  });

  test("in one workspace of Slack and no other", async () => {
    const talk = await talkInOps(ann, { platforms: MANY_WORKSPACES });
    const north = { platform: "slack", workspace: "TNORTH", channel: "C0SAME", files: OPS.files };
    const all = { ...ann, managesWorkspace: true } as const;
    talk.become({ here: north, caller: all });
    await talk.ask("alerts add node.down style:plain");
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 4, [stalled("good"), down("bad")]);
    await send(talk, "slack");
    talk.become({ here: { ...north, channel: "C0OTHER" }, caller: all });
    expect(await talk.ask("alerts told")).toContain("a:1 on mainnet");
    talk.become({ here: { ...north, workspace: "TSOUTH" }, caller: all });
    expect(await talk.ask("alerts told")).not.toContain("a:1");
  });
});

describe("the log", () => {
  test.each(["yesterday", "since:yesterday", "sent since yesterday", "sent yesterday", "since yesterday until today"])(
    "reads %s as a time, never as text",
    async (typed) => {
      const talk = await aNight();
      talk.advance(24 * HOUR);
      const said = await talk.ask(`alerts log ${typed}`);
      expect(said).toMatch(saying("alert sent"));
      expect(said).toMatch(/from 2026-01-15 00:00 to 2026-01-16 00:00 \(UTC\)|since 2026-01-15 00:00 \(UTC\)/u);
      expect(said.includes("fired")).toBe(!typed.startsWith("sent"));
    },
  );

  test.each(["last night", "last night sent", "until 2026-01-14", "sent last night", "until:2026-01-14"])(
    "finds nothing of %s, and says so",
    async (typed) => {
      const talk = await aNight();
      talk.advance(24 * HOUR);
      const said = await talk.ask(`alerts log ${typed}`);
      expect(said).toMatch(saying("•", "The log has", "none", "(UTC)"));
      expect(said).not.toContain("with last");
    },
  );

  test("shows times by the clock that it reads them by; the file has UTC", async () => {
    const talk = await aNight();
    await talk.ask("my zone Asia/Tokyo");
    const said = await talk.ask("alerts log sent since:20:00");
    expect(said).toMatch(/since 2026-01-15 20:00 \(Asia\/Tokyo\), the last 2026-01-15 21:\d\d:\d\d$/mu);
    expect(said).not.toContain("UTC");
    expect(await talk.ask("alerts log")).toMatch(/the last 2026-01-15 21:\d\d:\d\d \(Asia\/Tokyo\)$/mu);
    const [file] = (await talk.askFor("alerts log file:yes")).attachments;
    expect(await text(file!.open())).toMatch(/^2026-01-15 12:\d\d:\d\d UTC,/mu);
  });

  test("takes words for a beginning together with an end, and refuses two beginnings", async () => {
    const talk = await aNight();
    expect(await talk.ask("alerts log yesterday until:2026-01-14T12:00")).toContain(
      "from 2026-01-14 00:00 to 2026-01-14 12:00",
    );
    for (const line of ["alerts log yesterday since:2d", "alerts told yesterday since:2d"]) {
      expect(await talk.ask(line)).toContain("two beginnings");
    }
  });

  test("says that the filter leaves nothing, and offers the whole; an empty one says just that", async () => {
    const talk = await aNight();
    const said = await talk.ask("alerts log market.price");
    expect(said).toMatch(saying("•", "The log has", "none with market.price", "alerts log"));
    expect(await talk.ask('alerts log "after 11 s"')).toContain("with after 11 s");
    expect(await talk.ask("alerts log 1234567890123456789")).toContain("with 1234567890123456789");
    expect(await (await talkInOps()).ask("alerts log market.price")).toMatch(saying("•", "Nothing is in the log"));
  });
});
