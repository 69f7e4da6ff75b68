import { text as readAll } from "node:stream/consumers";

import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";

import { decodePress } from "../../../../src/adapters/discord/render/buttons.ts";
import { type DiscordMessage, renderDiscord } from "../../../../src/adapters/discord/render/render.ts";
import { asButtons } from "../../../../src/reply/fold.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { anyReply } from "../../../support/arbitrary-reply.ts";
import { gallery } from "../../../support/gallery.ts";
import { replyTexts } from "../../../support/reply-texts.ts";
import { codeLines, markdownNodes, refusals } from "../judge.ts";

const context = { asker: "123456789012345678", ask: { command: "market list", options: {} }, shareable: true };

/** Markup that would notify somebody, or look as if it came from Discord itself. */
const FORGED = [
  "user",
  "role",
  "channel",
  "everyone",
  "here",
  "emoji",
  "slashCommand",
  "guildNavigation",
  "spoiler",
  "autolink",
];

describe("any reply", () => {
  test("renders within every limit of Discord", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        expect(refusals(renderDiscord(reply, context))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test("has no line of code wider than a phone", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const lines = codeLines(renderDiscord(reply, context).embeds[0]?.description ?? "");
        expect(lines.filter((line) => stringWidth(line) > 32)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("loses nothing: what the message does not show is in a file that goes with it", async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, async (reply) => {
        const shown = squeeze(await everythingIn(renderDiscord(reply, context), reply));
        const missing = leaves(reply).filter((leaf) => !shown.includes(squeeze(leaf)));
        expect(missing).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("neither pings, nor breaks out of code, nor forges a link", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const message = renderDiscord(reply, context);
        const markdown = message.embeds.flatMap((embed) => [embed.title ?? "", embed.description ?? ""]);
        const nodes = markdown.flatMap((one) => markdownNodes(one));
        expect(nodes.filter((node) => FORGED.includes(node.type))).toEqual([]);
        const targets = new Set(linksOf(reply));
        const forged = nodes.filter(
          (node) => (node.type === "link" || node.type === "url") && !targets.has(canonical(node.target ?? "")),
        );
        expect(forged).toEqual([]);
        expect(message.allowed_mentions).toEqual({ parse: [] });
      }),
      { numRuns: 100 },
    );
  });
});

test.each(gallery.map((entry) => [entry.name, entry.reply] as const))(
  "the sample %s renders whole",
  async (_name, reply) => {
    const message = renderDiscord(reply, context);
    expect(refusals(message)).toEqual([]);
    const shown = squeeze(await everythingIn(message, reply));
    expect(leaves(reply).filter((leaf) => !shown.includes(squeeze(leaf)))).toEqual([]);
  },
);

/**
 * Only what carries meaning to a reader; markup, escapes and the signs that stand in for unprintable ones are none.
 * Taken apart, since a mark that begins one leaf joins the letter that ends the leaf before it.
 */
function squeeze(given: string): string {
  return given
    .toWellFormed()
    .normalize("NFD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .replaceAll("ㅤ", "");
}

async function everythingIn(message: DiscordMessage, reply: Reply): Promise<string> {
  const given = new Set([...reply.attachments, reply.picture]);
  const files = await Promise.all(
    message.files.filter((file) => !given.has(file.attachment)).map((file) => readAll(file.attachment.open())),
  );
  const buttons = message.components.flatMap((row) => row.components);
  const routed = buttons.flatMap((button) => ("custom_id" in button ? [decodePress(button.custom_id)] : []));
  const ids = [...message.unstored.values(), ...routed].flatMap((press) =>
    press?.kind === "ids" ? press.ids.map((one) => one.value) : [],
  );
  return [
    ...message.embeds.flatMap((embed) => [embed.title, embed.description]),
    ...buttons.map((button) => ("label" in button ? button.label : "")),
    ...ids,
    ...files,
  ].join("\n");
}

/** Every piece of text that a reply says; times and addresses are judged elsewhere. */
function leaves(reply: Reply): string[] {
  // Tables of few columns are shown without their titles.
  const blocks = reply.blocks.map((one) => (one.kind === "table" ? { ...one, columns: [] } : one));
  const texts = replyTexts({ ...reply, blocks }).flatMap((inlines) =>
    inlines.flatMap((one) => {
      if (one.kind === "time") return [];
      // Discord shows the name behind an id itself.
      const isMention = one.kind === "person" && one.platform === "discord" && /^\d{17,20}$/u.test(one.id);
      return [isMention ? one.id : one.text];
    }),
  );
  return [...texts, ...asButtons(reply.actions).map((action) => action.label)];
}

function linksOf(reply: Reply): string[] {
  // A table may have rows, and yet nothing to show.
  const empty = reply.blocks.flatMap((one) => (one.kind === "table" ? (one.empty ?? []) : []));
  const inlines = [...replyTexts({ ...reply, title: [] }).flat(), ...empty];
  return [...inlines, ...reply.actions].flatMap((one) => ("url" in one ? [canonical(one.url)] : []));
}

function canonical(url: string): string {
  return decodeURI(url.replaceAll(/%(?![0-9a-f]{2})/giu, "%25"))
    .replaceAll(/%28/gu, "(")
    .replaceAll(/%29/gu, ")");
}
