import { expect, test } from "vitest";

import { commands as declared } from "../../commands/index.ts";
import { withCommonOptions } from "../../src/bot/command.ts";
import { readBeginning } from "../../src/bot/grammar/complete-line.ts";
import { parseLine } from "../../src/bot/grammar/grammar.ts";
import { UserError } from "../../src/errors.ts";
import { glossaryWords } from "../support/glossary.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { PLATFORMS } from "../support/platforms.ts";

const commands = declared.map((command) => withCommonOptions(command, PLATFORMS));

/** The command that a line runs, or the line that it is answered with. */
function leadsTo(line: string): string {
  try {
    return parseLine(line, commands, nanoseconds(0n)).command;
  } catch (thrown) {
    return thrown instanceof UserError ? `say: ${thrown.suggestion}` : String(thrown);
  }
}

test.each([
  ["markets", "market list"],
  ["prices", "market list"],
  ["price BTC/USDT", "market show"],
  ["status", "time"],
  ["commands", "help"],
  ["verdict", "time"],
  ["network", "time"],
  ["healthy", "time"],
  ["open interest BTC/USDT", "market show"],
  ["quiet hours", "say: alerts edit"],
  ["versions network:testnet", "info"],
  ["markte lsit", "say: market list"],
  ["markte lsit network:testnet", "say: market list network:testnet"],
  ["markt shwo BTC/USDT", "say: market show BTC/USDT"],
  ["marke", "say: market list"],
  ["aler list", "say: alerts list"],
  ["ordr ab12", "say: order ab12"],
  ["alerts add market.price BTC/USDT hgh:70000", "say: alerts add market.price BTC/USDT high:70000"],
  ["hgh:70000", "say: alerts add high:70000"],
  ["market:BTC/USDT", "say: market show market:BTC/USDT"],
  ['alerts add node.down mentoin:"on call" zone:UTC', 'say: alerts add node.down mention:"on call" zone:UTC'],
  ["time netwrok:testnet", "say: time network:testnet"],
  ["show market BTC", "say: market show BTC"],
  ["list markets", "say: market list"],
  ["market BTCUSDT", "say: market show BTCUSDT"],
  ["market price BTC/USDT network:testnet", "say: market show BTC/USDT network:testnet"],
  ["export ledger ab12 USDT last month", "say: ledger export ab12 USDT last month"],
  ["export ab12 USDT last month", "say: ledger export ab12 USDT last month"],
  ["why order ab12", "ask"],
  ["why was order ab12 rejected", "ask"],
  ["status of the network", "ask"],
  ["order was rejected, why?", "ask"],
  ["order rejected ab12", "say: order ab12"],
  ["order ab12 rejected", "say: order ab12"],
  ["why network.stalled", "say: alerts why network.stalled"],
  ["alerts node.down", "say: alerts why node.down"],
  ["subscribe markets", "say: alerts add markets"],
  ["alerts mute all 8h", "say: alerts silence all 8h"],
  ['silence all 8h reason:"on call"', 'say: alerts silence all 8h reason:"on call"'],
  ["alerts add ops from:23:00 until:06:30 every:day", "say: alerts add ops quiet:23:00-06:30"],
  ["alerts edit ab12 from:22:00 until:07:00 every:day", "say: alerts edit ab12 quiet:22:00-07:00"],
  ["market show ETH:USD", "market show"],
  ["alerts silence all until 07:00", "alerts silence"],
  ["alerts silence all for 8 hours", "alerts silence"],
])("%s leads to %s", (line, command) => {
  expect(leadsTo(line)).toBe(command);
});

// The name of a platform is no command's word.
const glossary = glossaryWords().filter((word) => word !== "console");

test.each(glossary)("the glossary's word “%s” leads to a command", (word) => {
  const said = leadsTo(word);
  expect(["say: help", "say: undefined"]).not.toContain(said);
});

test("another word for a command is no other command, nor the first word of one", () => {
  const called = commands.flatMap(({ alsoCalled = [] }) => alsoCalled);
  expect(new Set(called).size).toBe(called.length);
  const names = commands.flatMap(({ name }) => [name, name.split(" ")[0]]);
  expect(called.filter((word) => names.includes(word))).toEqual([]);
});

test("another word for a command that changes something runs nothing, and is answered with the command", () => {
  const changing = commands.filter(({ changes }) => changes === true);
  const words = changing.flatMap(({ name, alsoCalled = [] }) => alsoCalled.map((word) => [word, name] as const));
  expect(words.length).toBeGreaterThan(0);
  for (const [word, name] of words) expect(leadsTo(`${word} ab12`)).toBe(`say: ${name} ab12`);
});

const read = (line: string) => parseLine(line, commands, nanoseconds(0n));
const begin = (line: string) => readBeginning(line, commands, nanoseconds(0n));

test("completion reads the values of a silence as the bot does", () => {
  const silence = "alerts silence node.down for 2h reason maintenance";
  expect(begin(`${silence} `)?.values).toEqual({ what: "node.down", for: "2h", reason: "maintenance" });
  expect(begin("alerts silence node.down for 2h reason mai")).toMatchObject({
    values: { what: "node.down", for: "2h" },
    open: { option: "reason", typed: "mai" },
  });
});

test.each(commands.flatMap(({ examples }) => examples))(
  "completion of %s goes on from what the bot reads",
  (example) => {
    for (const end of Array(example.length + 1).keys()) {
      const begun = begin(example.slice(0, end));
      if (begun === undefined) continue;
      expect(read(example.slice(0, begun.finished))).toEqual({ command: begun.command.name, options: begun.values });
    }
    expect(begin(`${example} `)?.values).toEqual(read(example).options);
  },
);
