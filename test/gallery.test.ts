import { parse } from "discord-markdown-parser";
import { expect, test } from "vitest";

import { commands } from "../commands/index.ts";
import { CommandMentions } from "../src/adapters/discord/command-mentions.ts";
import { renderDiscord } from "../src/adapters/discord/render/render.ts";
import { renderSlack } from "../src/adapters/slack/render/render.ts";
import { renderTerminal } from "../src/adapters/terminal/render/render.ts";
import { renderReply } from "../src/adapters/web/public/reply/reply.js";
import { describe } from "../src/alerts/words/words.ts";
import { judgeSources } from "../src/api/verdict/judge-sources.ts";
import { DEFAULT_THRESHOLDS } from "../src/api/verdict/verdict.ts";
import { replyToJson } from "../src/reply/json.ts";
import type { Reply } from "../src/reply/reply.ts";
import { fromMillis, toMillis } from "../src/units/time.ts";
import { refusals, textsIn } from "./adapters/discord/judge.ts";
import { textsOf } from "./adapters/web/print-tree.ts";
import { talkToSimulator } from "./commands/conversation.ts";
import { judgeMessage } from "./support/fake-slack/judge.ts";
import { gallery, GALLERY_NOW } from "./support/gallery.ts";
import { alertMessages } from "./support/gallery/alert-messages.ts";
import { fillIn, LINES, TRIALS } from "./support/gallery/lines.ts";
import { keepAMonth } from "./support/kept-looks.ts";
import { NOON } from "./support/talk.ts";
import { PLATFORMS } from "./support/platforms.ts";

// Each reply of the gallery as the four renderers show it, side by side in one file, so that a change of any of them is
// seen beside the others.

test.each(gallery)("$name: $shows", async ({ name, shows, reply }) => {
  const sides = { Terminal: terminal(reply), Web: web(reply), Discord: discord(reply), Slack: slack(reply) };
  const parts = Object.entries(sides).map(([title, shown]) => `## ${title}\n\n${fenced(shown)}`);
  await expect(`# ${name}: ${shows}\n\n${parts.join("\n\n")}\n`).toMatchFileSnapshot(`golden/${name}.md`);
});

test("every alert, as the terminal words it", async () => {
  const shown = alertMessages.map(([message, context]) => terminal(describe(message, context, PLATFORMS)));
  await expect(visible(shown.join(`\n${"─".repeat(80)}\n`))).toMatchFileSnapshot("golden/alerts.txt");
});

test.each(Object.entries(LINES))("what a network answers about %s", async (name, lines) => {
  const talk = await talkToSimulator();
  let said = "";
  for (const line of lines) said += `> ${line}\n${await talk.ask(await fillIn(line, talk))}\n`;
  await expect(visible(timeless(said))).toMatchFileSnapshot(`golden/answers-${name}.txt`);
});

test("what is answered of thresholds that are tried", async () => {
  const talk = await talkToSimulator();
  await keepAMonth(talk.store, toMillis(NOON));
  let said = "";
  for (const line of TRIALS) said += `> ${line}\n${await talk.ask(line)}\n`;
  await expect(visible(timeless(said))).toMatchFileSnapshot("golden/answers-trials.txt");
});

test("what is answered on a network that the watchers see stand still", async () => {
  const time = fromMillis(toMillis(NOON) - 40_000);
  const round = { witnesses: [{ node: "sim-1", reachable: true, time }], atMillis: performance.now(), wallClock: NOON };
  const verdict = judgeSources(round, undefined, DEFAULT_THRESHOLDS);
  const talk = await talkToSimulator({ verdict: () => verdict });
  talk.simulator.faults.set({ kind: "stall", network: "mainnet", from: time });
  let said = "";
  for (const line of [
    "market show BTC/USDT",
    "market show RICE/USDC",
    "market list",
    "checkpoints first:2",
    "stake <party>",
    "order <rejected>",
  ])
    said += `> ${line}\n${await talk.ask(await fillIn(line, talk))}\n`;
  await expect(visible(timeless(said))).toMatchFileSnapshot("golden/answers-stalled.txt");
});

/** Without what differs from run to run: round trips, the node asked, ports and ids made up for subscriptions. */
function timeless(said: string): string {
  const ids = [...said.matchAll(/(?: id:|^(?:Subscription|Silence) {2,})([a-z\d]{5})$/gmu)].map(([, id = ""]) => id);
  const named = ids.reduce((text, id) => text.replaceAll(id, "<id>"), said);
  return named.replaceAll(/127\.0\.0\.1:\d+/gu, "<address>").replaceAll(/ +\d+(?:\.\d+)? ms\b/gu, " <n> ms");
}

function terminal(reply: Reply): string {
  return renderTerminal(reply, { width: 80, colour: false, links: false, now: GALLERY_NOW });
}

/** What the page says, one text a line; how it is laid out stands in the golden files of its own renderer. */
function web(reply: Reply): string {
  const json = replyToJson(reply, (file) => `/api/files/${file.sha256.slice(0, 8)}`);
  return textsOf(renderReply(json, { now: toMillis(GALLERY_NOW), timeZone: "UTC" })).join("\n");
}

const mentions = new CommandMentions();
mentions.learn(
  commands.map(({ name }) => ({ name: name.split(" ", 1)[0] ?? name, id: "100000000000000000" })),
  commands,
  undefined,
);
const mention = mentions.in(undefined);

function discord(reply: Reply): string {
  const forms = (["folded", "whole"] as const).map((form) => {
    const message = renderDiscord(reply, { asker: "1", keeps: true, mention }, form);
    const files = names(message.files);
    expect(refusals({ ...message, files })).toEqual([]);
    // Read once by a parser that is not ours: what it cannot read would not be shown.
    for (const text of textsIn(message.components)) expect(Array.isArray(parse(text, "extended"))).toBe(true);
    return JSON.stringify({ components: message.components, files }, undefined, 1);
  });
  return [...new Set(forms)].join("\n");
}

function slack(reply: Reply): string {
  const { text, blocks, files } = renderSlack(reply, { asker: "U1" });
  expect(judgeMessage({ text, blocks })).toEqual([]);
  return JSON.stringify({ text, blocks, files: names(files) }, undefined, 1);
}

function names(files: readonly { readonly name: string }[]): string[] {
  return files.map(({ name }) => name);
}

/** A fence longer than any run of backticks inside. */
function fenced(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${visible(content)}\n${fence}`;
}

/** Characters that cannot be seen, by their number: golden files are read by people. */
function visible(content: string): string {
  return content
    .toWellFormed()
    .replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}
