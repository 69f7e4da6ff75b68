import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { withCommonOptions } from "../../../src/bot/command.ts";
import { completions } from "../../../src/bot/grammar/complete-line.ts";
import type { SuggestContext } from "../../../src/bot/options/options.ts";
import { suggestValues } from "../../../src/bot/options/suggest-values.ts";
import { sampleCommands } from "../sample-commands.ts";

const context = { signal: new AbortController().signal } as SuggestContext;
const complete = async (line: string) => (await offer(line)).map((one) => one.line);
const offer = async (line: string) =>
  completions(line, sampleCommands, async (ask, option, typed) => {
    const declared = sampleCommands.find((command) => command.name === ask.command)?.options[option];
    return declared === undefined ? [] : suggestValues(declared, typed, ["mainnet", "testnet"], context);
  });

describe("completion of a line", () => {
  test.each<[string, string[]]>([
    ["ma", ["market list ", "market show "]],
    ["market ", ["market list ", "market show "]],
    ["market sh", ["market show "]],
    [
      "market show ",
      [
        "market show BTC/USD",
        'market show "ETH USD"',
        "market show market:",
        "market show network:",
        "market show private:yes",
      ],
    ],
    ["market show B", ["market show BTC/USD"]],
    ["market show market:E", ['market show market:"ETH USD"']],
    ["market show BTC/USD n", ["market show BTC/USD network:"]],
    ["market show BTC/USD network:t", ["market show BTC/USD network:testnet"]],
    ["market show BTC/USD --n", ["market show BTC/USD --network "]],
    [
      "market show BTC/USD --network ",
      ["market show BTC/USD --network mainnet", "market show BTC/USD --network testnet"],
    ],
    ["alerts add severity:c", ["alerts add severity:critical"]],
    ["market show BTC/USD", []],
    ["market show BTC", ["market show BTC/USD"]],
    ["market show market:BTC/USD", []],
    ["zzz", []],
  ])("%j offers %j", async (line, lines) => {
    expect(await complete(line)).toEqual(lines);
  });

  test("keeps what is typed among the offers while another goes on from it", async () => {
    const offered = ["BTC/USDT", "BTC/USDT-R2"].map((value) => ({ label: value, value }));
    const lines = await completions("market show BTC/USDT", sampleCommands, async () => offered);
    expect(lines.map(({ line }) => line)).toEqual(["market show BTC/USDT", "market show BTC/USDT-R2"]);
  });

  test("says of a flag what the value on the line does", async () => {
    const labelOf = async (audience: "caller" | "channel", word: string) => {
      const market = sampleCommands.find(({ name }) => name === "market show");
      const declared = withCommonOptions({ ...market!, audience }, { all: [] } as never);
      const lines = await completions("market show B ", [declared], async () => []);
      return lines.find(({ line }) => line.endsWith(word))?.label;
    };
    const hides = await labelOf("channel", "private:yes");
    expect(hides).toMatch(/only you/u);
    expect(await labelOf("caller", "private:no")).toMatch(/everyone/u);
  });

  test("says what each stands for: a command its summary, a value its label, an option its description", async () => {
    expect(await offer("market sh")).toEqual([{ line: "market show ", label: expect.stringMatching(/\w/u) }]);
    const named = [{ label: "BTC/USDT · a future", value: "BTC/USDT" }];
    const lines = await completions("market show ", sampleCommands, async () => named);
    expect(lines[0]).toEqual({ line: "market show BTC/USDT", label: "BTC/USDT · a future" });
    expect(lines.find(({ line }) => line.endsWith("market:"))?.label).toBe(
      sampleCommands.find(({ name }) => name === "market show")?.options["market"]?.description,
    );
  });

  test("never fails, and only ever adds to what stands before the cursor's word", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (typed) => {
        for (const line of await complete(`market show ${typed}`)) expect(line.startsWith("market ")).toBe(true);
      }),
    );
  });
});
