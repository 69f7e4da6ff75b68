import { execFileSync } from "node:child_process";

import { describe, expect, test } from "vitest";

import { shellLine } from "../../../../src/adapters/terminal/render/actions.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { commandAction, reply, type Reply } from "../../../../src/reply/reply.ts";
import { commandLine, text } from "../../../../src/reply/text.ts";
import { saying } from "../../../support/said.ts";
import { talk } from "../fake-terminal.ts";

const PARTY = "ab".repeat(32);
const offer = reply({
  title: text`Did you mean ${commandLine("time")}?`,
  blocks: [
    paragraph(text`${commandLine("my zone <zone>")} sets your clock.`),
    { kind: "list", items: [text`${commandLine("market list")} · All markets`, [commandLine("alerts add")]] },
    { kind: "code", text: `stake party:${PARTY}`, command: true },
  ],
  actions: [
    { ...commandAction("Check", "ledger verify"), form: true },
    { label: "Refresh", invocation: { command: "time", options: { network: "mainnet" } }, effect: "replace" },
    {
      label: "Remove",
      invocation: { command: "alerts silence", options: { for: "two hours" } },
      effect: "reply",
      confirm: "?",
    },
  ],
});

describe("what may be typed next", () => {
  test("is a line for the shell after one question, where no number presses a button", async () => {
    const terminal = talk(["time"], { answers: { time: offer }, preferences: { noColor: "1", columns: "80" } });
    expect(await terminal.exit).toBe(0);
    const shown = terminal.out();
    expect(shown).toMatch(
      saying(
        'npm run -s ask -- "my zone <zone>" sets your clock.',
        "• market list · All markets",
        '• npm run -s ask -- "alerts add"',
        '  npm run -s ask -- "stake party:abababab…abab"',
        'Check    npm run -s ask -- "ledger verify" (edit it first)',
        'Refresh  npm run -s ask -- "time network:mainnet"',
        `Remove   npm run -s ask -- 'alerts silence for:"two hours"'`,
      ),
    );
    expect(shown).not.toMatch(/\[1\]|asks first/u);
    for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("is a line for the bot and a number at the prompt", async () => {
    const terminal = talk([], { answers: { time: offer } });
    terminal.type("time\n");
    terminal.end();
    expect(await terminal.exit).toBe(0);
    expect(terminal.out()).toMatch(
      saying("my zone <zone> sets your clock.", "[1] Check", "[2] Refresh  time", "(asks first)"),
    );
    expect(terminal.out()).not.toContain("npm run");
  });

  test("names the network of the question, where the line has none", async () => {
    const failed: Reply = reply({
      title: "There is no command",
      blocks: [{ kind: "code", text: "market list", command: true }],
      failure: "caller",
    });
    const terminal = talk(["markt list", "--network", "testnet"], { answers: { "markt list": failed } });
    expect(await terminal.exit).toBe(1);
    expect(terminal.err()).toContain('npm run -s ask -- --network testnet "market list"');
    expect(shellLine("market list network:mainnet", "testnet")).not.toContain("--network");
    for (const [out, word] of [
      [undefined, "ledgers"],
      ["/tmp/led", "/tmp/led"],
      ["my $files", "'my $files'"],
    ])
      expect(shellLine("ledger fetch abc", undefined, "mainnet", out)).toMatch(
        new RegExp(`--out ${RegExp.escape(word!)}$`, "u"),
      );
  });
});

test("a shell reads the very line, whatever names are in it", () => {
  const lines = ['a "b c"', "it's", "$HOME `id` \\ !!", `'"$(id)"'`, "plain", "<zone> | x; y & z", "5f4f…0309"];
  const script = lines.map((line) => `printf '%s\\0' ${shellLine(line, undefined).slice("npm run -s ask -- ".length)}`);
  expect(
    execFileSync("sh", ["-c", script.join("\n")], { encoding: "utf8" })
      .split("\0")
      .slice(0, -1),
  ).toEqual(lines);
});
