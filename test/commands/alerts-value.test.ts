import { describe, expect, test } from "vitest";

import { plainText } from "../../src/reply/plain-text.ts";
import { values } from "../alerts/readings.ts";
import { saying } from "../support/said.ts";
import { ops, owed, owedReplies, see, talkInOps } from "./alert-channel.ts";

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
    const { talk, looks, told } = await asking("last below 50,000 or above 70,000");
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
    await looks({ mark: "80000" }, { bid: "70001" });
    expect(await told()).toHaveLength(1);
  });

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
  ['alerts add node.down if:"rounds none at all"', saying("whole number")],
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
