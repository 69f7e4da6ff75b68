import { expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { CommandMentions } from "../../src/adapters/discord/command-mentions.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { renderDiscord } from "../../src/adapters/discord/render/render.ts";
import { parseLine } from "../../src/bot/grammar/grammar.ts";
import { saying } from "../support/said.ts";
import { NOON } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

test("help lists every command with its summary", async () => {
  const { ask } = await talkToSimulator();
  const screen = (await ask("help")).replaceAll(/\s+/gu, " ");
  for (const { name, summary } of commands) {
    expect(screen).toContain(name);
    expect(screen).toContain(summary);
  }
  const lines = (await ask("")).split("\n").filter((line) => /^ *• .* · /u.test(line));
  expect(lines).toHaveLength(commands.length);
});

test("all of help has room on Discord, each command as a mention", async () => {
  const { askFor } = await talkToSimulator();
  const mentions = new CommandMentions();
  const roots = new Set(commands.map(({ name }) => name.split(" ", 1)[0] ?? name));
  mentions.learn(
    [...roots].map((name) => ({ name, id: "1".repeat(19) })),
    commands,
    undefined,
  );
  const { files } = renderDiscord(await askFor("help"), { asker: "1", keeps: true, mention: mentions.in(undefined) });
  expect(files.map(({ name }) => name)).toEqual([]);
});

test("help of one command lists its options with types, defaults, order and examples", async () => {
  const { ask } = await talkToSimulator();
  const screen = await ask("help ledger export");
  expect(screen).toContain("ledger export [party] <asset> [from] …");
  expect(screen).toMatch(saying("party", "asset", "required", "columns", "raw", "check", "network", "private"));
  expect(screen).toContain("ledger export <party> USDT from:2023-05");
});

test("the options are read at once where they are typed, a screen of them; on a phone they are details", async () => {
  const talk = await talkToSimulator();
  const inTerminal = await talk.askFor("help alerts add");
  const view = { width: 120, colour: false, links: false, now: talk.now(), fold: { hint: "more" } };
  const screen = renderTerminal(inTerminal, view);
  expect(screen).toMatch(/high +market\.price: tell when the mark is above this\n[^]*16 of 27 rows/u);
  expect(screen.split("\n").length).toBeLessThanOrEqual(31);
  talk.become({ here: { platform: "slack", workspace: "T1", channel: "C1", files: { maxBytes: 1e7, maxCount: 10 } } });
  expect(renderTerminal(await talk.askFor("help alerts add"), view)).not.toContain("Options");
});

test("no example pretends to be an id that somebody has", async () => {
  for (const { examples } of commands) {
    for (const example of examples) expect(example).not.toMatch(/(?<=\s)(?=[a-f\d]*\d)[a-f\d]{4,}(?![\w:-])/u);
  }
  const { ask } = await talkToSimulator();
  expect(await ask("help order")).toContain("order <id>");
  expect(await ask("alerts add order.final")).toContain("alerts add order.final <id>");
});

test("a group lists its commands; a slip is met with the nearest one", async () => {
  const { ask, suggest } = await talkToSimulator();
  expect(await ask("help bundle")).toMatch(saying("bundle asset-limits", "bundle list-asset"));
  expect(await ask("help snpashots")).toMatch(saying("!", "snapshots"));
  expect(await ask("help zzzzzz")).toMatch(saying("!", "zzzzzz"));
  expect((await suggest("help", "command", "mar")).map(({ value }) => value)).toEqual(["market list", "market show"]);
});

test("every command has examples that the grammar takes, and summaries that fit a menu", async () => {
  const { bot } = await talkToSimulator();
  const here = { platform: "terminal", files: { maxBytes: 0, maxCount: 0 } } as const;
  for (const command of commands) {
    expect(command.examples).not.toEqual([]);
    const words = [command.summary, ...Object.values(command.options).map((option) => option.description)];
    expect(words.filter((line) => line.length > 100 || line === "")).toEqual([]);
    for (const example of command.examples) {
      const reply = await bot.runLine(example, {
        here,
        caller: { id: "1", name: "ann", mayManageChannel: true },
        signal: AbortSignal.timeout(10_000),
      });
      // Ids in examples are made up: what is refused may only be the thing itself, not the line.
      expect([undefined, "caller"]).toContain(reply.failure);
      expect(parseLine(example, bot.commands, NOON)).toMatchObject({ command: command.name });
    }
  }
});
