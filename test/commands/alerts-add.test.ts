import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createDispatcher } from "../../src/alerts/dispatch/dispatch.ts";
import { KIND_GROUPS } from "../../src/alerts/kinds/kinds.ts";
import { SendError } from "../../src/alerts/sender.ts";
import { describe as describeAlert } from "../../src/alerts/wording/wording.ts";
import { systemClock } from "../../src/api/clock.ts";
import { silentLog } from "../../src/log.ts";
import { auction, down, stalled } from "../alerts/readings.ts";
import { FakeSender } from "../support/fake-sender.ts";
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
  owedReplies,
  see,
  shown,
  talkInOps,
  theConsole,
  toBob,
} from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

describe("a channel", () => {
  test("is offered what ops channels need, and shown by one test message that it can be reached", async () => {
    const talk = await talkInOps(ann, { delivering: ["discord"] });
    const said = await talk.ask("alerts add");
    expect(said).toContain("Subscribed this channel to the ops alerts on mainnet");
    expect(said).toContain("network.stalled");
    expect(said).not.toContain("Nothing delivers");
    expect(await owed(talk, ops)).toEqual(["TEST · Alerts arrive here"]);
    const [subscription] = await talk.engine.subscriptions();
    expect(subscription).toMatchObject({
      destination: ops,
      kinds: KIND_GROUPS.ops,
      groups: ["ops"],
      style: "live",
      state: "active",
    });
  });

  test("changes nothing by subscribing twice, by any user and in any notation", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add market.price BTC/USDT high:70000 low:1.50");
    const before = await talk.engine.subscriptions();
    for (const line of [
      "alerts add market.price BTC/USDT high:70000 low:1.50",
      "alerts add kinds:MARKET.PRICE subjects:btc/usdt low:1.5 high:70000.00",
    ]) {
      expect(await talk.ask(line)).toContain("Nothing changed: this channel was subscribed to that already");
    }
    expect(await talk.engine.subscriptions()).toEqual(before);
    expect(await owed(talk, ops)).toEqual([
      "CHANGE · ann subscribed this channel to market.price of BTC/USDT, above 70,000 or below 1.5 on mainnet",
    ]);
  });

  test("is subscribed once where two people, or one twice, press at the same time", async () => {
    const talk = await talkInOps();
    const said = await Promise.all([1, 2, 3].map(() => talk.ask("alerts add")));
    expect(said.filter((one) => one.includes("Nothing changed"))).toHaveLength(2);
    expect(await talk.engine.subscriptions()).toHaveLength(1);
    expect(await owed(talk, ops)).toHaveLength(1);
    const watching = `alerts add stake.changed ${"a".repeat(64)}`;
    await Promise.all([talk.ask(watching), talk.ask(watching)]);
    expect(await talk.engine.subscriptions()).toHaveLength(2);
  });

  test("is offered an edit where only the notification settings differ", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down");
    expect(await talk.ask("alerts add node.down style:thread severity:critical")).toContain("told in another way");
    expect(await talk.press("alerts edit")).toContain("critical only, thread style");
    expect(await talk.engine.subscriptions()).toMatchObject([{ style: "thread", floor: "critical" }]);
  });

  test("gets the current status at once, and what is firing already", async () => {
    const talk = await talkToSimulator();
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 8, [stalled("bad"), down("good")]);
    talk.become({ here: OPS, caller: ann });
    const said = await talk.ask("alerts add network");
    expect(said).toMatch(/Now: mainnet is stalled \(1 of 2 nodes answer, block 1200\)\. Firing now: network\.stalled/u);
    const [change, trigger] = await owedReplies(talk, ops);
    expect(shown(change!)).toContain("mainnet is stalled (1 of 2 nodes answer, block 1200)");
    expect(shown(trigger!)).toContain("told only now: the subscription is new");
    expect(await owed(talk, ops)).toHaveLength(2);
  });

  test("gets the alerts that it subscribed to, and a count of the others", async () => {
    const talk = await talkToSimulator();
    talk.become({ here: ELSEWHERE, caller: ann });
    await talk.ask("alerts add markets");
    await see(talk, 1, [stalled("good"), down("good"), auction("good")]);
    await see(talk, 4, [stalled("good"), down("bad"), auction("bad")]);
    talk.become({ here: OPS, caller: ann });
    const said = await talk.ask("alerts add network.stalled,node.down severity:warning");
    expect(said).toMatch(
      /Firing now: node\.down of a:1 \(warning\)\s+since [^;]*UTC\.\s+1 other alert is open there, not told here\./u,
    );
    expect(said).not.toContain("market.auction");
    const [change] = await owedReplies(talk, ops);
    expect(shown(change!)).not.toContain("market.auction");
    expect(await talk.ask("alerts add markets BTC/USDT")).toMatch(
      /Nothing of this is firing; 2 other alerts\s+are open there\./u,
    );
    expect(
      await talk.ask("alerts add node.down style:plain severity:critical network:mainnet subjects:a:1"),
    ).not.toContain("Firing now");
  });

  test.each([
    [
      "high:1",
      /BTC\/USDT is above 1 already: mark price [\d,]+\.\d{5}\. That is told once two looks have seen it,\swithin about 2 min\./u,
    ],
    ["low:9000000 high:9500000.5", /BTC\/USDT is below 9,000,000 already: mark price/u],
    ["low:1 high:9000000 when:within", /BTC\/USDT is between 1 and 9,000,000 already: mark price/u],
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
    expect(await talk.ask("alerts add node.lagging behind:2m blocks:50 for:1m style:plain")).toContain(
      "node.lagging, for 1 min, behind by 2 min, behind by 50 blocks on mainnet",
    );
  });

  test("is changed only by those who manage it; a message to oneself is everybody's", async () => {
    const talk = await talkInOps(bob);
    expect(await talk.ask("alerts add")).toContain("Only people who manage this channel can");
    expect(talk.lastReply.failure).toBe("caller");
    expect(await talk.engine.subscriptions()).toEqual([]);
    talk.become({ here: DIRECT });
    expect(await talk.ask("alerts add")).toContain("your direct messages");
    expect(await owed(talk, toBob)).toEqual(["TEST · Alerts arrive here"]);
  });

  test("that the bot cannot post in says so at once, and not only when it matters", async () => {
    const talk = await talkToSimulator({ delivering: ["discord"] });
    const sender = new FakeSender({ platform: "discord", now: () => Date.now() });
    sender.outcome = () => new SendError("gone", "Missing Access");
    const stop = new AbortController();
    const dispatcher = createDispatcher({
      store: talk.store,
      clock: systemClock,
      log: silentLog(),
      senders: [sender],
      describe: describeAlert,
    });
    const running = dispatcher.run(stop.signal);
    const bell = setInterval(() => dispatcher.wake(), 10);
    onTestFinished(async () => {
      clearInterval(bell);
      stop.abort();
      await running;
    });
    talk.become({ here: OPS, caller: ann });
    const said = await talk.ask("alerts add");
    expect(said).toMatch(
      /The bot cannot post in this channel[\s\S]*Missing Access[\s\S]*Let the bot into the channel/u,
    );
    expect(await talk.press("alerts resume")).toMatch(/The bot cannot post in this channel[\s\S]*Missing Access/u);
    sender.outcome = () => "ok";
    expect(await talk.press("alerts resume")).toContain("Alerts arrive again");
    expect(sender.take()).toHaveLength(2);
    talk.advance(1000);
    expect(await talk.ask("alerts add node.down")).toContain("Subscribed this channel to node.down");
    await vi.waitFor(
      () => expect(sender.posts.at(-1)?.gist).toContain("CHANGE · ann subscribed this channel to node.down"),
      10_000,
    );
  });

  test("has a limit of subscriptions", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add market.price BTC/USDT high:1");
    const [one] = await talk.engine.subscriptions();
    for (let index = 2; index <= 100; index += 1) {
      const parameters = { "market.price": { high: String(index) } };
      await talk.engine.putSubscription({ ...one!, id: `x${index}`, parameters }, "ann");
    }
    expect(await talk.ask("alerts add market.price BTC/USDT high:101")).toContain(
      "There are 100 subscriptions in this place",
    );
  });
});

describe("operators", () => {
  test("subscribe the console, or a channel by its id", async () => {
    const talk = await talkToSimulator({ delivering: ["web", "slack"] });
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    expect(await talk.ask("alerts add node.down")).toContain("Subscribed the console to node.down");
    expect(await owed(talk, theConsole)).toHaveLength(1);
    expect(await talk.ask("alerts add node.down to:slack:C0123ABCD")).toContain("channel C0123ABCD on Slack");
    expect(await owed(talk, { platform: "slack", channel: "C0123ABCD" })).toHaveLength(1);
    expect(await talk.ask("alerts add node.down to:discord:1122334455667788990")).toContain(
      "This bot does not run on Discord.",
    );
  });

  test("learn that the console has no threads", async () => {
    const talk = await talkToSimulator({ delivering: ["web"] });
    expect(await talk.ask("alerts add node.down style:thread")).toContain("The console has no threads");
    expect(await talk.engine.subscriptions()).toMatchObject([{ style: "plain" }]);
    const id = idIn(talk.lastReply);
    expect(await talk.ask(`alerts edit ${id} style:live`)).not.toContain("no threads");
    expect(await talk.ask(`alerts edit ${id} style:thread`)).toContain("The console has no threads");
    expect(await talk.ask(`alerts add order.final ${talk.samples.orderId}`)).toMatch(
      /You will be told in the console when order[\s\S]*The order is \w+/u,
    );
  });

  test.each(["to:nowhere", "to:discord:12", "to:slack:general", "to:slack:"])("cannot subscribe %s", async (to) => {
    const talk = await talkToSimulator();
    expect(await talk.ask(`alerts add node.down ${to}`)).toMatch(/no place that alerts can go to/u);
  });

  test("alone choose another destination", async () => {
    const talk = await talkInOps();
    expect(await talk.ask("alerts add node.down to:console")).toContain("Only the terminal and the console");
    expect(await talk.engine.subscriptions()).toEqual([]);
  });
});

test.each<[string, RegExp]>([
  ["alerts add node.dwon", /“node\.dwon” is no kind of alert[\s\S]*Did you mean node\.down\?/u],
  ["alerts add stalled", /Did you mean network\.stalled\?/u],
  ["alerts add opps", /Did you mean ops\?/u],
  ["alerts add node.down,zzzzzz", /“zzzzzz” is no kind of alert[\s\S]*market\.price[\s\S]*alerts add ops/u],
  ["alerts add market.price BTC/USDT", /market\.price needs a threshold/u],
  ["alerts add market.price high:70000", /market\.price needs a market/u],
  ["alerts add market.price BTC/USDT high:70,000", /high is a number, not “70,000”\.[\s\S]*Did you mean 70000\?/u],
  ["alerts add market.price BTC/USDT high:lots", /high is a number/u],
  ["alerts add market.price BTC/USDT high:-1", /high is above zero, not “-1”\./u],
  ["alerts add market.price BTC/USDT high:70000 low:0", /low is above zero/u],
  ["alerts add market.bound BTC/USDT percent:-0", /percent is above zero[\s\S]*0\.5/u],
  ["alerts add network.stalled for:10s critical-for:1s", /critical-for is shorter than for/u],
  // Beside the defaults: fires after 30 s, critical after 3 min.
  ["alerts add network.stalled critical-for:10s", /critical-for is shorter than for \(10 s, and 30 s\)/u],
  ["alerts add ops for:5m", /critical-for is shorter than for \(3 min, and 5 min\)/u],
  ["alerts add market.price BTC/USDT high:1 low:2", /low must be below high/u],
  ["alerts add market.price BTC/USDT high:1 when:within", /within needs both/u],
  ["alerts add market.price BTC/UDST high:1", /No market “BTC\/UDST”[\s\S]*Did you mean BTC\/USDT\?/u],
  ["alerts add node.down high:70000", /high is for market\.price, and this is node\.down/u],
  ["alerts add network.stalled for:abc", /“abc” is no span of time that for understands/u],
  ["alerts add network.stalled for:10", /Is it 10m or 10h\?/u],
  ["alerts add node.down BTC/USDT", /no data node “BTC\/USDT”/u],
  ["alerts add network.stalled BTC/USDT", /about the network, not about/u],
  ["alerts add node.down,market.state BTC/USDT", /Add them apart/u],
  ["alerts add node.down quiet:late", /“late” are no quiet hours/u],
  ["alerts add node.down quiet:22:00-07:00 zone:Berlin", /Did you mean Europe\/Berlin\?/u],
  ["alerts add node.down zone:Europe/Berlin", /A time zone goes with quiet hours/u],
  ["alerts add node.down severity:bad", /“bad” is no severity/u],
  ["alerts add node.down mention:@oncall", /no role or group that can be notified/u],
  ["alerts add checkpoint.overdue factor:0", /factor is above zero/u],
])("%s is refused with what is right", async (line, expected) => {
  const talk = await talkInOps();
  expect(await talk.ask(line)).toMatch(expected);
  expect(talk.lastReply.failure).toBe("caller");
  expect(await talk.engine.subscriptions()).toEqual([]);
  expect(await owed(talk, ops)).toEqual([]);
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
    expect((await talk.suggest("alerts edit", "id", "lagg"))[0]?.label).toContain("node.lagging");
  });
});
