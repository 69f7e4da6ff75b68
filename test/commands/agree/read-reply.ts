import { isDeepStrictEqual } from "node:util";

import { renderDiscord } from "../../../src/adapters/discord/render/render.ts";
import { COLORS } from "../../../src/adapters/discord/render/embed.ts";
import { renderSlack } from "../../../src/adapters/slack/render/render.ts";
import { renderTerminal } from "../../../src/adapters/terminal/render/render.ts";
import { renderReply } from "../../../src/adapters/web/public/reply/reply.js";
import { TONE_SIGNS } from "../../../src/adapters/chat/tone-signs.ts";
import { ReplyJson } from "../../../src/reply/document.ts";
import { shortText } from "../../../src/reply/fold.ts";
import { replyToJson } from "../../../src/reply/json.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import type { Reply } from "../../../src/reply/reply.ts";
import { type Nanoseconds, toMillis } from "../../../src/units/time.ts";

// The parts of a reply as words, and what holds of every reply.

/** Two things that must be the same. */
export type Pair = readonly [what: string, said: unknown, is: unknown];

export const titleOf = (reply: Reply): string => plainText(shortText(reply.title));

/** All facts with this name. */
export function factsNamed({ blocks }: Reply, name: string): string[] {
  const all = blocks.flatMap((block) => (block.kind === "fields" ? block.fields : []));
  return all.filter((one) => plainText(one.name) === name).map(({ value }) => plainText(value));
}

export const factOf = (reply: Reply, name: string): string | undefined => factsNamed(reply, name)[0];

/** The rows of the tables with this name, as cells by the titles of their columns. */
export function rowsNamed({ blocks }: Reply, name: string): Record<string, string>[] {
  return blocks.flatMap((block) =>
    block.kind === "table" && block.name === name
      ? block.rows.map((row) =>
          Object.fromEntries(block.columns.map(({ title }, index) => [title, plainText(row[index] ?? [])])),
        )
      : [],
  );
}

/** The cells of a column. */
export function columnOf(reply: Reply, name: string, title: string): string[] {
  return rowsNamed(reply, name).map((row) => row[title] ?? "");
}

/** The items of the lists with this title. */
export function itemsUnder({ blocks }: Reply, title: string): string[] {
  return blocks.flatMap((block) =>
    block.kind === "list" && plainText(block.title ?? []) === title ? block.items.map(plainText) : [],
  );
}

export function paragraphsOf({ blocks }: Reply): string[] {
  return blocks.flatMap((block) => (block.kind === "paragraph" ? [plainText(block.text)] : []));
}

/** The number that a pattern captures; 0 where nothing fits. */
export function numberIn(said: string, pattern: RegExp): number {
  return Number((pattern.exec(said)?.[1] ?? "0").replaceAll(",", ""));
}

/** The first figure in a text, however many of its digits are shown. */
export function figure(said = ""): number {
  return Number((/-?\d[\d,]*(?:\.\d+)?/u.exec(said)?.[0] ?? "0").replaceAll(",", ""));
}

const TERMINAL_SIGNS: Readonly<Record<Reply["tone"], string>> = { neutral: "•", good: "✓", warning: "!", bad: "✗" };

/** The title, the tone and the sign are the same in JSON and on every surface; a fact that stands twice has one value. */
export function everywhere(reply: Reply, now: Nanoseconds): Pair[] {
  const json = ReplyJson.parse(JSON.parse(JSON.stringify(replyToJson(reply))));
  const terminal = renderTerminal(reply, { width: 10_000, colour: false, links: false, now });
  const slack = renderSlack(reply);
  const page = renderReply(json, { now: toMillis(now), timeZone: "UTC" });
  const names = new Set(
    reply.blocks.flatMap((block) => (block.kind === "fields" ? block.fields.map(({ name }) => plainText(name)) : [])),
  );
  return [
    ["headline in JSON", json.headline, titleOf(reply)],
    ["tone in JSON", json.tone, reply.tone],
    ["blocks in JSON", isDeepStrictEqual(json.blocks, JSON.parse(JSON.stringify(reply.blocks))), true],
    ["sign in the terminal", terminal[0], TERMINAL_SIGNS[reply.tone]],
    ["sign on Slack", slack.text.startsWith(TONE_SIGNS[reply.tone]), true],
    ["colour on Discord", colourOf(renderDiscord(reply).components), COLORS[reply.tone]],
    ["tone on the page", page.attrs["data-tone"], reply.tone],
    ...[...names].map((name): Pair => [`one value of ${name}`, new Set(factsNamed(reply, name)).size, 1]),
  ];
}

function colourOf(components: readonly object[]): unknown {
  const [first] = components;
  return first !== undefined && "accent_color" in first ? first.accent_color : undefined;
}
