import { describe, expect, test, vi } from "vitest";

import { timeToText } from "../../src/alerts/judge/kinds/kind.ts";
import { KIND_GROUPS } from "../../src/alerts/judge/kinds/kinds.ts";
import type { NetworkStatus } from "../../src/alerts/judge/kinds/network-status.ts";
import { SendError } from "../../src/alerts/sender.ts";
import { auction, down, stalled } from "../alerts/readings.ts";
import { aboveFold } from "../../src/reply/fold.ts";
import { fullText } from "../../src/reply/full-text.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { fromMillis } from "../../src/units/time.ts";
import { delivering } from "../support/delivering.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { linesOf, saying } from "../support/said.ts";
import type { Talk } from "../support/talk.ts";
import {
  ann,
  bob,
  CONSOLE_PAGE,
  DIRECT,
  ELSEWHERE,
  idIn,
  OPS,
  ops,
  owed,
  owedMessages,
  owedReplies,
  see,
  shown,
  talkInOps,
  theConsole,
  toBob,
} from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

const senderOn = (platform: string): FakeSender => new FakeSender({ platform, now: () => Date.now() });

/** Two hours after the noon of the conversation. */
const UNTIL = timeToText(fromMillis(Date.UTC(2026, 0, 15, 14)));

/** The status in the last message that says what was subscribed. */
async function standingAt(talk: Talk): Promise<NetworkStatus | undefined> {
  return (await owedMessages(talk, ops))
    .flatMap((message) =>
      message.type === "change" && message.change.what === "added" ? [message.change.standing] : [],
    )
    .at(-1);
}

describe("a channel", () => {
  test("is offered what ops channels need, and shown by one message that it can be reached", async () => {
    const talk = await talkInOps(ann, { delivering: ["discord"] });
    const sender = senderOn("discord");
    await using _ = delivering(talk.store, sender);
    const said = await talk.ask("alerts add");
    expect(said).toMatch(saying("✓", "mainnet"));
    expect(said).toContain("network.stalled");
    expect(said).not.toContain("Nothing delivers");
    expect(sender.take()).toEqual([expect.stringMatching(new RegExp(`^${ops.channel}: added by ann: `, "u"))]);
    const [subscription] = await talk.engine.subscriptions();
    expect(subscription).toMatchObject({
      destination: ops,
      kinds: KIND_GROUPS.ops,
      groups: ["ops"],
      style: "live",
      state: "active",
    });
  });

  test.each(["alerts add", "alerts add node.down"])(
    "that is told something for the first time is told what to expect, once (%s)",
    async (line) => {
      const talk = await talkInOps();
      /** What it says of that, of each message. */
      const firstWords = async (destination: typeof ops): Promise<boolean[]> =>
        (await owedReplies(talk, destination)).map(({ blocks }) => {
          const items = blocks.flatMap((block) => (block.kind === "list" ? block.items : [])).map(plainText);
          return /alerts silence[\s\S]*alerts list[\s\S]*Manage Channels/u.test(items.join("\n"));
        });
      await talk.ask(line);
      expect(await firstWords(ops)).toEqual([true]);
      await talk.ask("alerts add markets");
      for (const { id } of await talk.engine.subscriptions()) await talk.ask(`alerts remove ${id}`);
      await talk.ask("alerts add nodes");
      expect(await firstWords(ops)).toEqual([true, false, false, false, false]);
      // Nobody has to be told that of one's own direct messages.
      talk.become({ here: DIRECT, caller: bob });
      await talk.ask("alerts add nodes");
      expect(await firstWords(toBob)).toEqual([false]);
    },
  );

  test("changes nothing by subscribing twice, by any user and in any notation", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add market.price BTC/USDT high:70000 low:1.50");
    const before = await talk.engine.subscriptions();
    const id = idIn(talk.lastReply);
    for (const line of [
      "alerts add market.price BTC/USDT high:70000 low:1.50",
      "alerts add kinds:MARKET.PRICE subjects:btc/usdt low:1.5 high:70000.00",
    ]) {
      expect(await talk.ask(line)).toMatch(saying("•", "mark prices", "BTC/USDT", "70,000", "1.5", "mainnet"));
      expect(idIn(talk.lastReply)).toBe(id);
    }
    expect(await talk.engine.subscriptions()).toEqual(before);
    expect(await owed(talk, ops)).toEqual([
      `added by ann: market.price of ${talk.samples.marketId} on mainnet {"market.price":{"high":"70000","low":"1.5"}}`,
    ]);
  });

  test("learns by subscribing twice what it is told already, and how", async () => {
    const talk = await talkInOps();
    const id = idIn(await talk.askFor("alerts add node.down,network.stalled"));
    for (const line of ["alerts add network.stalled,node.down", `alerts resume ${id}`]) {
      const said = fullText(aboveFold(await talk.askFor(line)));
      for (const part of ["node outages", "stalls", "every severity", "live", id]) expect(said).toContain(part);
    }
    await talk.ask(`alerts edit ${id} severity:critical style:thread`);
    await talk.ask(`alerts pause ${id}`);
    const again = await talk.askFor("alerts add node.down,network.stalled");
    const said = fullText(aboveFold(again));
    for (const part of ["critical", "thread", "paused", id]) expect(said).toContain(part);
    expect(linesOf(again)).toEqual(expect.arrayContaining([`alerts edit id:${id}`, `alerts resume id:${id}`]));
  });

  test.each([
    ["mark above 90000", "mark above 90000 once", "All of this is told there already"],
    ["mark above 90000 once", "mark above 90000", "Part of this is told there already"],
    ["mark above 90000 until 18:00", "mark above 90000", "Part of this is told there already"],
  ])("told %s learns how much of %s that is", async (first, second, share) => {
    const talk = await talkInOps();
    await talk.ask(`alerts add market.value BTC/USDT if:"${first}"`);
    expect(await talk.ask(`alerts add market.value BTC/USDT if:"${second}"`)).toContain(share);
  });

  test("is subscribed once where two people, or one twice, press at the same time", async () => {
    const talk = await talkInOps();
    const said = await Promise.all([1, 2, 3].map(() => talk.ask("alerts add")));
    expect(said.filter((one) => one.includes("Subscribed already"))).toHaveLength(2);
    expect(await talk.engine.subscriptions()).toHaveLength(1);
    expect(await owed(talk, ops)).toHaveLength(1);
    const watching = `alerts add stake.changed ${"a".repeat(64)}`;
    await Promise.all([talk.ask(watching), talk.ask(watching)]);
    expect(await talk.engine.subscriptions()).toHaveLength(2);
  });

  test("is offered an edit where only the notification settings differ", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down");
    const id = idIn(talk.lastReply);
    expect(await talk.ask("alerts add node.down style:thread severity:critical")).toMatch(saying("•", "node outages"));
    expect(linesOf(talk.lastReply)).toContain(`alerts edit id:${id} severity:critical style:thread`);
    expect(await talk.press("alerts edit")).toContain("critical only, thread style");
    expect(await talk.engine.subscriptions()).toMatchObject([{ style: "thread", floor: "critical" }]);
  });

  test("gets the current status at once, and what is firing already", async () => {
    const talk = await talkToSimulator();
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 8, [stalled("bad"), down("good")]);
    talk.become({ here: OPS, caller: ann });
    const said = await talk.ask("alerts add network");
    expect(said).toMatch(saying("✓", "mainnet", "no new block", "warning", 1, 2, "1,200"));
    const [change] = await owedReplies(talk, ops);
    expect(shown(change!)).toMatch(saying("•", "mainnet", 1, 2, "1,200"));
    expect(await owed(talk, ops)).toEqual([
      expect.stringMatching(/^added by ann: /u),
      "warning: network.stalled on mainnet",
    ]);
  });

  test("gets the alerts that it subscribed to, and a count of the others", async () => {
    const talk = await talkToSimulator();
    talk.become({ here: ELSEWHERE, caller: ann });
    await talk.ask("alerts add markets");
    await see(talk, 1, [stalled("good"), down("good"), auction("good")]);
    await see(talk, 4, [stalled("good"), down("bad"), auction("bad")]);
    talk.become({ here: OPS, caller: ann });
    const said = await talk.ask("alerts add network.stalled,node.down severity:warning");
    expect(said).toMatch(saying("✓", "node outages", "a node does not answer", "a:1", "warning", /[^;]*UTC/u, 1));
    expect(said).not.toContain("market.auction");
    const [change] = await owedReplies(talk, ops);
    expect(shown(change!)).toContain("a node does not answer");
    expect(shown(change!)).not.toContain("auction");
    expect(await talk.ask("alerts add markets BTC/USDT")).toMatch(saying(2));
    expect(
      await talk.ask("alerts add node.down style:plain severity:critical network:mainnet subjects:a:1"),
    ).not.toContain("a node does not answer");
  });

  test("that other subscriptions tell already learns which, and no alert counts as untold that one of them tells", async () => {
    const talk = await talkToSimulator();
    talk.become({ here: ELSEWHERE, caller: ann });
    await talk.ask("alerts add markets");
    talk.become({ here: OPS });
    await talk.ask("alerts add node.down,network.stalled");
    const known = idIn(talk.lastReply);
    await see(talk, 1, [stalled("good"), down("good"), auction("good")]);
    await see(talk, 4, [stalled("good"), down("bad"), auction("bad")]);
    expect(await talk.ask("alerts add network.stalled style:plain")).toMatch(
      saying("All of this", "with stalls, node outages on mainnet"),
    );
    expect(await standingAt(talk)).toMatchObject({ firing: [], toldAlready: 1, elsewhere: 1 });
    await talk.ask("alerts add checkpoint.new");
    expect(shown(talk.lastReply)).not.toContain("told there already");
    // Those of the new one are named, and no longer among the others.
    expect(await talk.ask("alerts add market.auction,node.down")).toContain(
      "already, with stalls, node outages on mainnet",
    );
    expect(await standingAt(talk)).toMatchObject({ firing: [{}, {}] });
    await talk.ask(`alerts pause ${known}`);
    expect(await talk.ask("alerts add network.stalled,node.lagging")).not.toContain("with stalls, node outages");
  });

  test.each<[string, string, NetworkStatus["silenced"]]>([
    ["all", "node.down,network.stalled", { until: UNTIL, all: true }],
    ["node.down", "node.down", { until: UNTIL, all: true }],
    ["node.down", "node.down,network.stalled", { until: UNTIL, all: false }],
    ["BTC/USDT", "market.auction BTC/USDT", { until: UNTIL, all: true }],
    ["BTC/USDT", "market.auction", { until: UNTIL, all: false }],
    ["BTC/USDT", "market.auction ETH/USDT", undefined],
    ["node.lagging", "node.down,network.stalled", undefined],
    ["all from:22:00", "node.down", undefined],
  ])("while %s is silenced is told until when that covers %s", async (silenced, added, expected) => {
    const talk = await talkInOps();
    await talk.ask(`alerts silence ${silenced} for:2h`);
    talk.become({ here: ELSEWHERE });
    await talk.ask("alerts silence all for:3h");
    talk.become({ here: OPS });
    await talk.ask(`alerts add ${added}`);
    expect((await standingAt(talk))?.silenced).toEqual(expected);
    expect(shown(talk.lastReply).includes("2026-01-15 14:00:00 UTC")).toBe(expected !== undefined);
  });

  test("is told until when a silence holds, also where nothing changes, on an edit and on resuming", async () => {
    const talk = await talkInOps();
    const until = /2026-01-15 14:00:00 UTC/u;
    expect(await talk.ask("alerts add node.down")).not.toMatch(until);
    const id = idIn(talk.lastReply);
    await talk.ask("alerts silence all for:2h");
    for (const line of [
      "alerts add node.down",
      `alerts edit ${id}`,
      `alerts edit ${id} style:live`,
      `alerts edit ${id} style:plain`,
      `alerts resume ${id}`,
    ])
      expect([line, await talk.ask(line)]).toEqual([line, expect.stringMatching(until)]);
    // What is paused tells nothing, silence or not.
    expect(await talk.ask(`alerts pause ${id}`)).not.toMatch(until);
    expect(await talk.ask("alerts add node.down")).not.toMatch(until);
    expect(await talk.ask(`alerts resume ${id}`)).toMatch(until);
  });

  test.each([
    ["high:1", saying("BTC/USDT", 1, 2)],
    ["low:9000000 high:9500000.5", saying("BTC/USDT", "9,000,000")],
    ["low:1 high:9000000 when:within", saying("BTC/USDT", 1, "9,000,000")],
  ])("is told at once that a price is beyond %s already, and that on changing it, too", async (typed, expected) => {
    const talk = await talkInOps();
    expect(await talk.ask(`alerts add market.price BTC/USDT ${typed}`)).toMatch(expected);
    const [one] = await talk.engine.subscriptions();
    const calm = "low:1 high:90000000.5 when:beyond";
    expect(await talk.ask(`alerts edit ${one!.id} ${calm}`)).not.toContain("already");
    expect(await talk.ask(`alerts edit ${one!.id} ${typed}${typed === "high:1" ? " low:off" : ""}`)).toMatch(expected);
  });

  test("keeps quiet hours, roles and thresholds exactly as they were typed", async () => {
    const talk = await talkInOps();
    await talk.ask(
      "alerts add market.price BTC/USDT high:70000.123456789012345678 quiet:22-7 zone:europe/berlin mention:<@&123456789012345678>",
    );
    expect(await talk.engine.subscriptions()).toMatchObject([
      {
        parameters: { "market.price": { high: "70000.123456789012345678" } },
        quietHours: { from: "22:00", to: "07:00", zone: "Europe/Berlin" },
        mention: "123456789012345678",
      },
    ]);
    expect(await talk.ask("alerts add node.lagging behind:2m blocks:50 for:1m style:plain")).toMatch(
      saying("✓", "node lags", "1 min", "2 min", 50, "mainnet"),
    );
  });

  test("is changed only by those who manage it; a message to oneself is everybody's", async () => {
    const talk = await talkInOps(bob);
    expect(await talk.ask("alerts add")).toMatch(/^! .*manage this channel/u);
    expect(talk.lastReply.failure).toBe("caller");
    expect(await talk.engine.subscriptions()).toEqual([]);
    talk.become({ here: DIRECT });
    expect(await talk.ask("alerts add")).toMatch(
      saying("✓", "ops", "mainnet", idIn(talk.lastReply), "network.stalled"),
    );
    expect(await owed(talk, toBob)).toEqual(["test by bob"]);
  });

  test("that the bot cannot post in says so at once, and not only when it matters", async () => {
    const talk = await talkToSimulator({ delivering: ["discord"] });
    const sender = senderOn("discord");
    sender.outcome = () => new SendError("gone", "Missing Access");
    await using _ = delivering(talk.store, sender);
    talk.become({ here: OPS, caller: ann });
    const said = await talk.ask("alerts add");
    expect(said).toMatch(saying("Missing", "Access"));
    expect(await talk.press("alerts resume")).toMatch(saying("Missing", "Access"));
    sender.outcome = () => "ok";
    expect(await talk.press("alerts resume")).toMatch(saying("✓", idIn(talk.lastReply), "mainnet"));
    expect(sender.take()).toHaveLength(2);
    talk.advance(1000);
    expect(await talk.ask("alerts add node.down")).toMatch(saying("✓", "node outages"));
    await vi.waitFor(() => expect(sender.posts.at(-1)?.gist).toBe("added by ann: node.down on mainnet"), 10_000);
  });

  test("has a limit of subscriptions", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add market.price BTC/USDT high:1");
    const [one] = await talk.engine.subscriptions();
    const others = Array.from({ length: 99 }, (_, index) => {
      return { ...one!, id: `x${index}`, parameters: { "market.price": { high: String(index + 2) } } };
    });
    await talk.engine.putSubscriptions(others, "ann");
    expect(await talk.ask("alerts add market.price BTC/USDT high:101")).toMatch(saying("!", 100));
  });
});

describe("operators", () => {
  test("subscribe the console, or a channel by its id", async () => {
    const talk = await talkToSimulator({ delivering: ["web", "slack"] });
    const [web, slack] = [senderOn("web"), senderOn("slack")];
    await using _ = delivering(talk.store, web, slack);
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    expect(await talk.ask("alerts add node.down")).toMatch(saying("✓", "node outages"));
    expect(web.posts.map(({ channel }) => channel)).toEqual([theConsole.channel]);
    expect(await talk.ask("alerts add node.down to:slack:C0123ABCD")).toMatch(saying("✓", "C0123ABCD", "Slack"));
    expect(slack.posts.map(({ channel }) => channel)).toEqual(["C0123ABCD"]);
    expect(await talk.ask("alerts add node.down to:discord:1122334455667788990")).toMatch(saying("!", "Discord"));
  });

  test("add nothing unasked where another one tells all of it already", async () => {
    const talk = await talkInOps();
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    await talk.ask("alerts add all");
    const [all] = await talk.engine.subscriptions();
    expect(await talk.ask("alerts add")).toMatch(saying("•", all!.id, `alerts edit id:${all!.id}`));
    expect(await talk.engine.subscriptions()).toHaveLength(1);
    // Kinds that are named are meant.
    await talk.ask("alerts add ops");
    expect(await talk.engine.subscriptions()).toHaveLength(2);
  });

  test("learn that the console has no threads", async () => {
    const talk = await talkToSimulator({ delivering: ["web"] });
    await using _ = delivering(talk.store, senderOn("web"));
    expect(await talk.ask("alerts add node.down style:thread")).toMatch(
      saying("✓", "node outages", "mainnet", "plain"),
    );
    expect(await talk.engine.subscriptions()).toMatchObject([{ style: "plain" }]);
    const id = idIn(talk.lastReply);
    expect(await talk.ask(`alerts edit ${id} style:live`)).not.toContain("threads");
    expect(await talk.ask(`alerts edit ${id} style:thread`)).toContain("threads");
    expect(await talk.ask(`alerts add order.final ${talk.samples.orderId}`)).toMatch(
      saying("✓", talk.samples.orderId, "active", 1, 20),
    );
  });

  test.each(["to:nowhere", "to:discord:12", "to:slack:general", "to:slack:"])("cannot subscribe %s", async (to) => {
    const talk = await talkToSimulator();
    expect(await talk.ask(`alerts add node.down ${to}`)).toMatch(saying("!", to.slice(3)));
    expect(await talk.engine.subscriptions()).toEqual([]);
  });

  test("are not alone in being told alone: whoever asks may be, and changes that anywhere", async () => {
    const talk = await talkInOps({ ...ann, id: "u2", name: "Bob", mayManageChannel: false });
    expect(await talk.ask("alerts add node.down")).toMatch(saying("!"));
    expect(await talk.ask("alerts add node.down to:me")).toMatch(saying("✓", "direct message"));
    const id = idIn(talk.lastReply);
    expect(await talk.engine.subscriptions()).toMatchObject([{ destination: { channel: "user:u2" } }]);
    expect(await talk.ask(`alerts edit ${id} severity:warning`)).toMatch(saying("✓", id));
    expect(await talk.ask("alerts list")).toContain("of your own");
    talk.become({ here: OPS, caller: ann });
    expect(await talk.ask(`alerts edit ${id} severity:info`)).toMatch(saying("!", id));
  });

  test("alone choose another destination", async () => {
    const talk = await talkInOps();
    expect(await talk.ask("alerts add node.down to:console")).toMatch(saying("!", "console"));
    expect(await talk.engine.subscriptions()).toEqual([]);
  });
});

test.each<[string, RegExp]>([
  ["alerts add node.dwon", saying("node.dwon", "node.down")],
  ["alerts add stalled", saying("network.stalled")],
  ["alerts add opps", saying("ops")],
  ["alerts add node.down,zzzzzz", saying("zzzzzz", "node.down", "help alerts add", "alerts", "add")],
  ["alerts add market.price BTC/USDT", saying("market.price")],
  ["alerts add market.price high:70000", saying("market.price")],
  ["alerts add market.price BTC/USDT high:5%", saying("high", "price", "5%", "70,000")],
  ["alerts add market.price BTC/USDT high:2m", saying("high", "number", "2M", "2,000,000")],
  ["alerts add market.price BTC/USDT high:lots", saying("high")],
  ["alerts add market.price BTC/USDT high:-1", saying("high", "-1")],
  ["alerts add market.price BTC/USDT high:70000 low:0", saying("low")],
  ["alerts add market.bound BTC/USDT percent:-0", saying("percent", "0.5")],
  ["alerts add network.stalled for:10s critical-for:1s", saying("critical-for", "for")],
  // Beside the defaults: fires after 30 s, critical after 3 min.
  ["alerts add network.stalled critical-for:10s", saying("critical-for", 10, 30)],
  ["alerts add ops for:5m", saying("for", 3, 5)],
  ["alerts add market.price BTC/USDT high:1 low:2", saying("low", "high")],
  ["alerts add market.price BTC/USDT high:1 when:within", saying("within", "low", "high")],
  ["alerts add market.price BTC/UDST high:1", saying("BTC/UDST", "BTC/USDT")],
  ["alerts add node.down high:70000", saying("high", "market.price")],
  ["alerts add node.sown", saying("node.down", "or", "node.slow", "help alerts add")],
  ["alerts add what:node.down", saying("help alerts add")],
  ["alerts add network.stalled for:abc", saying("for", "abc")],
  ["alerts add network.stalled for:10", /Is it 10m or 10h\?/u],
  ["alerts add node.down BTC/USDT", saying("BTC/USDT")],
  ["alerts add network.stalled BTC/USDT", saying("network.stalled", "BTC/USDT", "market.price")],
  ["alerts add node.down,market.state BTC/USDT", saying("node.down", "market.state")],
  ["alerts add node.down quiet:late", saying("late")],
  ["alerts add node.down quiet:22:00-07:00 zone:Berlin", saying("Europe/Berlin")],
  ["alerts add node.down zone:Europe/Berlin", saying("zone")],
  ["alerts add node.down severity:bad", /“bad” is no severity/u],
  ["alerts add node.down mention:@oncall", saying("oncall", "1122334455667788990")],
  ["alerts add checkpoint.overdue factor:0", saying("factor", "0.01", "1,000")],
  ["alerts add checkpoint.overdue factor:0.0000000001", saying("factor", "0.01", "1,000")],
  ["alerts add checkpoint.overdue at-least:9999999d", saying("at-least", "1 ms", "365 d", "9999999d")],
  ["alerts add node.lagging behind:400d", saying("behind", "1 ms", "365 d")],
])("%s is refused with what is right", async (line, expected) => {
  const talk = await talkInOps();
  expect(await talk.ask(line)).toMatch(expected);
  expect(talk.lastReply.failure).toBe("caller");
  expect(await talk.engine.subscriptions()).toEqual([]);
  expect(await owed(talk, ops)).toEqual([]);
});

test("chart:off is kept, listed and taken back", async () => {
  const talk = await talkInOps();
  expect(await talk.ask("alerts add node.down chart:off")).toContain("without pictures");
  const [added] = await talk.engine.subscriptions();
  expect(added).toMatchObject({ chart: "off" });
  await talk.ask(`alerts edit ${added!.id} chart:on`);
  expect((await talk.engine.subscriptions())[0]).not.toHaveProperty("chart");
});

describe("completion", () => {
  test.each<[string, string, string]>([
    ["kinds", "stal", "network.stalled"],
    ["kinds", "ops,node.d", "ops,node.down"],
    ["kinds", "protocol", "core.upgraded"],
    ["zone", "berl", "Europe/Berlin"],
    ["zone", "new y", "America/New_York"],
    ["subjects", "btc/usdt", "BTC/USDT"],
  ])("of %s offers for %s first %s", async (option, typed, first) => {
    const talk = await talkToSimulator();
    const [choice] = await talk.suggest("alerts add", option, typed);
    expect(choice?.value).toBe(first);
  });

  test("of an alert offers those of this channel and one's own", async () => {
    const talk = await talkToSimulator();
    talk.become({ here: ELSEWHERE, caller: ann });
    await talk.ask("alerts add node.down");
    talk.become({ here: OPS, caller: ann });
    await talk.ask("alerts add node.lagging");
    const id = idIn(talk.lastReply);
    expect((await talk.suggest("alerts edit", "id", "")).map(({ value }) => value)).toEqual([id]);
    expect((await talk.suggest("alerts edit", "id", "lagg"))[0]?.label).toContain("Node lags");
    await talk.ask("alerts add market.price BTC/USDT high:95000");
    expect((await talk.suggest("alerts edit", "id", "btc/usdt"))[0]?.label).toMatch(/BTC\/USDT, above 95,000/u);
  });
});
