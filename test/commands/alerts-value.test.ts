import { describe, expect, test } from "vitest";

import { plainText } from "../../src/reply/plain-text.ts";
import { values } from "../alerts/readings.ts";
import { tellAtActions } from "../../src/alerts/words/subscription-words.ts";
import { toMillis } from "../../src/units/time.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { saying } from "../support/said.ts";
import { deliver, ops, owed, owedReplies, see, talkInOps } from "./alert-channel.ts";

type Facts = Parameters<typeof values>[0];

/** A channel that asks to be told of values of a market, and a way to let it see some, one a look. */
async function asking(condition: string) {
  const talk = await talkInOps();
  const answer = await talk.ask(`alerts add market.value BTC/USDT if:"${condition}" style:plain`);
  const market = talk.samples.marketId;
  const announced = (await owed(talk, ops)).length;
  const looks = async (...all: readonly Facts[]): Promise<void> => {
    for (const facts of all) await see(talk, 1, [values(facts, market)]);
  };
  await looks({ mark: "60000", last: "60000", "spread%": "0.1" });
  const told = async (): Promise<string[]> =>
    (await owed(talk, ops)).slice(announced).map((gist) => gist.split(" ")[0] ?? "");
  return { talk, answer, looks, told };
}

describe("a value of a market", () => {
  test("is told beyond its limit at once, and over once it is back by half of one per cent", async () => {
    const { answer, looks, told } = await asking("mark above 70k");
    expect(answer).toMatch(saying("✓", "mark price above 70,000", "BTC/USDT", "mainnet"));
    expect(answer).toMatch(saying(/every (?:5|15|60) s|every 1 min/u, "not seen"));
    expect(answer).not.toMatch(saying("price now"));
    await looks({ mark: "70000" });
    expect(await told()).toEqual([]);
    await looks({ mark: "70000.000000000000000001" });
    expect(await told()).toEqual(["warning:"]);
    await looks({ mark: "69651" }, { mark: "69651" }, { mark: "69651" }, { mark: "69651" }, { mark: "69651" });
    expect(await told()).toHaveLength(1);
    await looks({ mark: "69650" }, { mark: "69700" }, { mark: "69650" }, { mark: "69650" });
    expect((await told()).at(-1)).toBe("resolved:");
  });

  test("is told at once where it jumps across both of its limits, as what it is", async () => {
    const { talk, answer, looks, told } = await asking("last below 50,000 or above 70,000");
    // No node sends one.
    expect(answer).toMatch(/no last traded price now: nothing is told of it until there is one\.(?!.*price now)/u);
    await looks({ last: "49999" });
    expect(await told()).toHaveLength(1);
    await looks({ last: "70001" });
    const said = (await owedReplies(talk, ops)).map(({ title }) => plainText(title));
    expect(said.at(-1)).toMatch(saying("BTC/USD", "70,001", "above 70,000"));
  });

  test("is critical where that is asked for, and in its own unit", async () => {
    const { looks, told } = await asking("spread above 0.5% as critical");
    await looks({ "spread%": "0.5", spread: "400" });
    expect(await told()).toEqual([]);
    await looks({ "spread%": "0.500001" });
    expect(await told()).toEqual(["critical:"]);
  });

  test("without a figure is neither beyond its limit nor back", async () => {
    const { looks, told } = await asking("bid above 70000");
    await looks({ mark: "80000" }, { bid: "70000" }, { bid: "70001" });
    expect(await told()).toHaveLength(1);
    await looks(...Array.from({ length: 9 }, () => ({ mark: "60000" })));
    expect(await told()).toHaveLength(1);
  });

  const change = (mark: string, low: string, high: string): Facts => ({
    mark,
    "mark low 10m": low,
    "mark high 10m": high,
  });

  test("is told of a change as large as the limit, exactly and by its way", async () => {
    const { talk, looks, told } = await asking("mark changes 5% within 10min");
    await looks(change("104.999999999999999999", "100", "105"), change("95.000000000000000001", "95", "100"));
    expect(await told()).toEqual([]);
    await looks(change("105", "100", "105"));
    const said = (await owedReplies(talk, ops)).map(({ title }) => plainText(title));
    expect(said.at(-1)).toMatch(saying("BTC/USD", "up by 5 %", "10 min"));
  });

  test("is not told of a change the other way", async () => {
    const { looks, told } = await asking("mark falls 5% within 10min");
    await looks(change("200", "100", "200"), change("190", "100", "199.999"));
    expect(await told()).toEqual([]);
    await looks(change("190", "100", "200"));
    expect(await told()).toHaveLength(1);
  });

  const calm = [{ mark: "60000" }, { mark: "60000" }, { mark: "60000" }, { mark: "60000" }];

  test("is told once where that is asked for, with its end", async () => {
    const { talk, looks, told } = await asking("mark above 70000 once");
    await looks({ mark: "70001" });
    expect((await talk.engine.subscriptions())[0]?.state).toBe("active");
    await looks(...calm, { mark: "70001" }, { mark: "70001" });
    expect(await told()).toEqual(["warning:", "resolved:"]);
    expect((await talk.engine.subscriptions())[0]).toMatchObject({ state: "ended", why: "it was told once" });
  });

  test("is told until a moment by the clock of whoever asks", async () => {
    const { talk, looks, told } = await asking("mark above 70000 until in 1h");
    const [subscription] = await talk.engine.subscriptions();
    expect(subscription?.parameters["market.value"]?.["if"]).toMatch(/until \d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/u);
    await talk.ask(`alerts edit ${subscription!.id} note:hello`);
    talk.advance(3_600_000);
    await looks(calm[0]!, { mark: "70001" });
    expect(await told()).not.toContain("warning:");
    expect((await talk.engine.subscriptions())[0]).toMatchObject({ state: "ended", why: "its time is over" });
  });

  test.each(["mark above 70000", "last above 70000"])(
    "%s that comes and goes is told again where it goes three times as far",
    async (condition) => {
      const { talk, looks } = await asking(condition);
      const sender = new FakeSender({ platform: "discord", now: () => toMillis(talk.now()) });
      const visit = async (...values: readonly string[]): Promise<number> => {
        const before = sender.posts.length;
        await looks(...[...values, ...calm.map(({ mark }) => mark)].map((value) => ({ mark: value, last: value })));
        await deliver(talk, sender);
        return sender.posts.length - before;
      };
      await visit();
      const counts: number[] = [];
      const story = [
        ["70010"],
        ["70005"],
        ["70020"],
        ["70060"],
        ["70060.000000000000000001"],
        ["70180"],
        ["70100", "70181"],
      ];
      for (const values of story) counts.push(await visit(...values));
      // Each is told together with its end; of the fourth, that they come and go.
      expect(counts).toEqual([1, 1, 1, 1, 1, 0, 1]);
    },
  );

  test("is changed, listed and named by its condition", async () => {
    const { talk, looks } = await asking("mark above 70000 back 1%");
    await looks({ mark: "70001" });
    expect(await talk.ask("alerts list")).toMatch(saying("mark price above 70,000", "1 %"));
    expect(await talk.ask("alerts why market.value")).toMatch(saying("BTC/USD", "mark price above 70,000"));
    const [subscription] = await talk.engine.subscriptions();
    await talk.ask(`alerts edit ${subscription!.id} if:"mark below 65k"`);
    expect((await talk.engine.subscriptions())[0]?.parameters).toEqual({ "market.value": { if: "mark below 65000" } });
  });
});

test.each([
  ["alerts add market.value BTC/USDT", saying("market.value", "if", "mark above 70,000")],
  ['alerts add market.value if:"mark above 5"', saying("market.value", "market")],
  ['alerts add market.value BTC/USDT if:"mark above 5%"', saying("mark", "percentage")],
  ['alerts add node.down if:"mark above 5"', saying("if", "market.value")],
  ['alerts add market.value BTC/USDT if:"rounds 5"', saying("rounds", "node.down")],
  ['alerts add market.value BTC/USDT if:"mark above 5 until yesterday"', saying("past", "yesterday")],
  ['alerts add market.value BTC/USDT if:"mark above 5 until soon"', saying("soon")],
  ['alerts add market.value,market.state BTC/USDT if:"mark above 5 once"', saying("once", "alone")],
  ['alerts add node.down if:"rounds none at all"', saying("whole number")],
  ['alerts add market.value BTC/USDT if:"mark below 0 back 10"', saying("below 0")],
  ['alerts add market.value BTC/USDT if:"mark below 0"', saying("below 0")],
  ['alerts add market.value BTC/USDT if:"stake-ratio above 0%"', saying("stake-ratio above 0% back 0")],
  ['alerts add market.value BTC/USDT if:"mark above 0"', saying("mark price", "above 0")],
  ['alerts add market.value BTC/USDT if:"open-interest above 0 back 10"', saying("never ends", "Write back 0")],
  ['alerts add market.value BTC/USDT if:"mark below 80,000 or above 70,000"', saying("always", "70,000", "80,000")],
  ['alerts add market.value BTC/USDT if:"funding above 5"', saying("begins with", "open-interest", "funding above 5")],
  ['alerts add market.value BTC/USDT if:"mark changes 5% within 1h back 6"', saying("5 %", "never ends")],
  ['alerts add market.value BTC/USDT if:"spread above 0.5% back 1"', saying("0.5 %", "never ends", "Leave out back")],
  ["alerts edit 1 once", saying("once", "behind a whole condition")],
  ['alerts add market.value BTC/USDT if:"mark above 5 and last below 3"', saying("joined by or")],
  ['alerts add market.value BTC/USDT if:"mark above 5 as warning"', saying("as warning", "as critical")],
  ["alerts add BTC/USDT mark above", saying(/needs a number: /u)],
  ["alerts add BTC/USDT mark above 95,5", saying("95,5", "95.5")],
  ["alerts add BTC/USDT mark above 2m", saying("2M (2,000,000)")],
  ["alerts add BTC/USDT crosses 95k", saying("“BTC/USDT”", "alerts add BTC/USDT mark above 70,000")],
  ['alerts add node.down if:"rounds 1001"', saying("whole number", "1,000")],
])("%s is refused with what is right", async (line, expected) => {
  const talk = await talkInOps();
  expect(await talk.ask(line)).toMatch(expected);
});

test.each([
  ["rounds 5", { "node.down": { rounds: 5 } }],
  ["drift 1m", { "network.clock": { drift: 60_000 } }],
  ["factor 2.5", { "checkpoint.overdue": { factor: 2.5 } }],
  ["at-least 10m", { "checkpoint.overdue": { atLeast: 600_000 } }],
])("if takes %s, too", async (typed, parameters) => {
  const talk = await talkInOps();
  await talk.ask(`alerts add node.down,network.clock,checkpoint.overdue if:"${typed}"`);
  expect((await talk.engine.subscriptions())[0]?.parameters).toEqual(parameters);
});

test.each([
  ["alerts add BTC/USDT mark above 95k once", "mark above 95000 once"],
  ["alerts add BTC/USDT if mark is above 95k style:plain", "mark above 95000"],
  ["alerts add BTC/USDT above 95k once", "mark above 95000 once"],
  ["alerts add BTC/USDT market.value mark above 95k", "mark above 95000"],
  ["alerts add BTC/USDT > 95k or < 70k", "mark above 95000 or mark below 70000"],
  ["alerts add market.value BTC/USDT last below 50,000 or above 70,000 until tomorrow to:me", "until"],
  ["alerts add BTC/USDT if:spread > 0.5%", "spread above 0.5%"],
  ["alerts add BTC/USDT price rises 5% within 10 min as critical", "mark changes 5% within 10m up as critical"],
])("%s is understood without quotes", async (line, condition) => {
  const talk = await talkInOps();
  expect(await talk.ask(line)).toMatch(/^✓/u);
  const [subscription] = await talk.engine.subscriptions();
  expect(subscription).toMatchObject({ kinds: ["market.value"], subjects: [talk.samples.marketId] });
  expect(subscription?.parameters["market.value"]?.["if"]).toContain(condition);
});

test.each([
  ["alerts add BTC/USDT mark above 95k severity:critical", "Nothing will be told"],
  ["alerts add BTC/USDT mark above 95k mention:<@&1122334455667788990>", "Nobody will be mentioned"],
])("%s says that a value is critical only where its condition is", async (line, note) => {
  const talk = await talkInOps();
  expect(await talk.ask(line)).toMatch(saying(note, "as critical"));
  expect(await talk.ask(line.replace("95k", "96k as critical"))).not.toContain(note);
});

test("a market that is over is said to be so, not to be beyond a limit already", async () => {
  const talk = await talkInOps();
  const said = await talk.ask("alerts add BTC/USDT,BTC/USDT-230331 mark above 5");
  expect(said).toMatch(saying("BTC/USDT on mainnet", "above 5, already"));
  expect(said).toMatch(saying("BTC/USDT-230331 is over (settled)"));
});

test("a button never offers a limit of nothing, which would be refused", () => {
  const offered = (spread: string) =>
    tellAtActions({ rule: "market.value{if=spread_below_5}", last: values({ spread }), network: "mainnet" });
  expect(offered("0")).toEqual([]);
  expect(offered("0.5")).toMatchObject([
    { invocation: { options: { if: "spread below 0.495" } }, hints: { if: "Now spread 0.5" } },
  ]);
});

test("a condition without quotes is changed, and refused, as one in quotes", async () => {
  const talk = await talkInOps();
  await talk.ask("alerts add BTC/USDT mark above 95k");
  const [{ id } = { id: "" }] = await talk.engine.subscriptions();
  await talk.ask(`alerts edit ${id} mark below 65k back 1%`);
  expect((await talk.engine.subscriptions())[0]?.parameters).toEqual({
    "market.value": { if: "mark below 65000 back 1%" },
  });
  expect(await talk.ask("alerts add BTC/USDT mark above the moon")).toMatch(saying("mark needs a number", "the"));
});
