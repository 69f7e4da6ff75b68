import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { withCommonOptions } from "../../../src/bot/command.ts";
import { completions, readBeginning } from "../../../src/bot/grammar/complete-line.ts";
import { parseLine } from "../../../src/bot/grammar/grammar.ts";
import type { SuggestContext } from "../../../src/bot/options/options.ts";
import { suggestValues } from "../../../src/bot/options/suggest-values.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { runs } from "../../support/runs.ts";
import { sampleCommands } from "../sample-commands.ts";

const now = nanoseconds(1_700_000_000_000_000_000n);
const context = { signal: new AbortController().signal } as SuggestContext;
const complete = async (line: string) => (await offer(line)).map((one) => one.line);
const offer = async (line: string) =>
  completions(line, sampleCommands, now, async (ask, option, typed) => {
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
    ["market show market:BTC/USD network t", ["market show market:BTC/USD network testnet"]],
    ['market show --market="E', ['market show --market="ETH USD"']],
    ['market show "ETH ', ['market show "ETH USD"']],
    ["/bell market show B", ["/bell market show BTC/USD"]],
    ["ledger export p a from last ", ["ledger export p a from last month", "ledger export p a from last year"]],
    ["ledger export p a last m", ["ledger export p a last month"]],
    ["zzz", []],
  ])("%j offers %j", async (line, lines) => {
    expect(await complete(line)).toEqual(lines);
  });

  test("keeps what is typed among the offers while another goes on from it", async () => {
    const offered = ["BTC/USDT", "BTC/USDT-R2"].map((value) => ({ label: value, value }));
    const lines = await completions("market show BTC/USDT", sampleCommands, now, async () => offered);
    expect(lines.map(({ line }) => line)).toEqual(["market show BTC/USDT", "market show BTC/USDT-R2"]);
  });

  test("says of a flag what the value on the line does", async () => {
    const labelOf = async (audience: "caller" | "channel", word: string) => {
      const market = sampleCommands.find(({ name }) => name === "market show");
      const declared = withCommonOptions({ ...market!, audience }, { all: [] } as never);
      const lines = await completions("market show B ", [declared], now, async () => []);
      return lines.find(({ line }) => line.endsWith(word))?.label;
    };
    const hides = await labelOf("channel", "private:yes");
    expect(hides).toMatch(/only you/u);
    expect(await labelOf("caller", "private:no")).toMatch(/everyone/u);
  });

  test("says what each stands for: a command its summary, a value its label, an option its description", async () => {
    expect(await offer("market sh")).toEqual([{ line: "market show ", label: expect.stringMatching(/\w/u) }]);
    const named = [{ label: "BTC/USDT · a future", value: "BTC/USDT" }];
    const lines = await completions("market show ", sampleCommands, now, async () => named);
    expect(lines[0]).toEqual({ line: "market show BTC/USDT", label: "BTC/USDT · a future" });
    expect(lines.find(({ line }) => line.endsWith("market:"))?.label).toBe(
      sampleCommands.find(({ name }) => name === "market show")?.options["market"]?.description,
    );
  });

  test("continues a value of several words, and offers no option's name in it", async () => {
    const offered = ["market list", "market show"].map((value) => ({ label: value, value }));
    const lines = await completions("help market s", sampleCommands, now, async (_ask, option, typed) =>
      option === "command" ? offered.filter(({ value }) => value.startsWith(typed)) : [],
    );
    expect(lines.map(({ line }) => line)).toEqual(["help market show"]);
  });

  describe("takes as finished what the parser reads", () => {
    const value = fc.constantFrom("BTC/USD", '"ETH USD"', "ab12", "it's", '"private"', "“to”", '"a \\" b"', "ETH:USD");
    const time = fc.constantFrom("2023-05-01", "2023-05-01 12:30", "7 days ago", "yesterday");
    const anyTime = fc.oneof(time, fc.constantFrom("7d", "last month", "this week"));
    const valueOf: Record<string, fc.Arbitrary<string>> = {
      text: value,
      time,
      integer: fc.constantFrom("3", "12"),
      choice: fc.constantFrom("warning", "Critical"),
      flag: fc.constantFrom("yes", "no"),
      network: fc.constantFrom("testnet", "mainnet"),
    };
    const named = (name: string, written: string, by: string): string =>
      by.startsWith("--") ? `--${name}${by === "--" ? " " : "="}${written}` : `${name}${by}${written}`;
    /** A command, bare values in the places of its first options, and named ones of the others in any order. */
    const line = fc.constantFrom(...sampleCommands).chain(({ name: command, options }) => {
      const entries = Object.entries(options);
      // Where bare words run on, an option's name is one of them.
      const lead = fc.constantFrom(":", "--", "--=", ...(command === "help" ? [] : [" "]));
      const words = entries.map(([name, { kind }]) => {
        const flag = kind === "flag" ? fc.constantFrom(name, `--${name}`, `--no-${name}`, `${name}:yes`) : undefined;
        return (
          flag ??
          fc.tuple(kind === "time" ? anyTime : valueOf[kind]!, lead).map(([written, by]) => named(name, written, by))
        );
      });
      const kinds = fc.tuple(...entries.map(([, { kind }]) => valueOf[kind]!));
      return fc
        .tuple(fc.nat(entries.length), kinds, fc.tuple(...words), fc.subarray([...entries.keys()]), fc.gen())
        .map(([count, bare, others, chosen, gen]) => {
          const rest = chosen.filter((at) => at >= count).map((at) => others[at] ?? "");
          const order = rest.length < 2 ? rest : gen(fc.shuffledSubarray, rest, { minLength: rest.length });
          return [command, ...bare.slice(0, count), ...order].join(" ");
        });
    });

    test("of every beginning of every valid line", () => {
      fc.assert(
        fc.property(line, fc.constantFrom("", "/", "/bell "), (typed, slash) => {
          const whole = `${slash}${typed}`;
          const said = parseLine(whole, sampleCommands, now);
          for (const end of Array(whole.length + 1).keys()) {
            const begun = readBeginning(whole.slice(0, end), sampleCommands, now);
            if (begun === undefined) continue;
            const finished = { command: begun.command.name, options: begun.values };
            expect(parseLine(whole.slice(0, begun.finished), sampleCommands, now)).toEqual(finished);
            for (const [name, read] of Object.entries(begun.values)) {
              // A time may go on: `7d ago`.
              expect(`${String(said.options[name])} `).toMatch(new RegExp(`^${RegExp.escape(String(read))} `, "u"));
            }
          }
          expect(readBeginning(`${whole} `, sampleCommands, now)?.values).toEqual(said.options);
        }),
        runs(1000),
      );
    });
  });

  test("never fails, and only ever adds to what stands before the cursor's word", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (typed) => {
        for (const line of await complete(`market show ${typed}`)) expect(line.startsWith("market ")).toBe(true);
      }),
    );
  });
});
