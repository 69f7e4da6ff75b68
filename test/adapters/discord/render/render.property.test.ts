import { text as readAll } from "node:stream/consumers";

import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";

import { type EmbedMessage, renderEmbed } from "../../../../src/adapters/discord/render/embed.ts";
import { inlineCode, typedOptions } from "../../../../src/adapters/discord/render/markdown.ts";
import { MAX_FILES } from "../../../../src/adapters/discord/limits.ts";
import { decodePress } from "../../../../src/adapters/discord/render/press.ts";
import {
  assemble,
  type DiscordMessage,
  renderAnswer,
  renderDiscord,
} from "../../../../src/adapters/discord/render/render.ts";
import { asButtons, detailPages } from "../../../../src/reply/fold.ts";
import { oneLine } from "../../../../src/reply/plain-text.ts";
import type { Ask, Reply } from "../../../../src/reply/reply.ts";
import type { Text } from "../../../../src/reply/text.ts";
import { anyReply } from "../../../support/arbitrary-reply.ts";
import { gallery } from "../../../support/gallery.ts";
import { lostOnce } from "../../../support/lost-once.ts";
import { replyTexts, spellingsOf } from "../../../support/reply-texts.ts";
import { type AnyComponent, codeLines, componentsIn, type Judged, markdownNodes, refusals, textsIn } from "../judge.ts";
import { runs } from "../../../support/runs.ts";

const COMMAND_ID = "100000000000000000";

const context = {
  // As long as a mention gets, whatever the line.
  mention: (what: string | Ask) =>
    `</alerts silence:${COMMAND_ID}> ${inlineCode(typeof what === "string" ? oneLine(what) : typedOptions(what.options))}`,
  asker: "123456789012345678",
  ask: { command: "market list", options: {} },
  shareable: true,
  keeps: true,
} as const;

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

/** Every message that a reply may become. */
const FORMS: readonly [name: string, render: (reply: Reply) => Shown][] = [
  ["folded", (reply) => shownOf(renderDiscord(reply, context, "folded"))],
  ["whole", (reply) => shownOf(renderDiscord(reply, context, "whole"))],
  ["the second page", (reply) => shownOf(renderDiscord(reply, context, 1))],
  ["not kept", (reply) => shownOf(unkept(reply))],
  ["an alert", (reply) => shownOf(renderEmbed(reply))],
];

interface Shown extends Judged {
  readonly texts: readonly string[];
  readonly parts: readonly AnyComponent[];
  readonly attached: DiscordMessage["files"];
  readonly unstored: DiscordMessage["unstored"];
  readonly allowed_mentions: unknown;
}

/** A reply that is too long to keep, or that the store does not take. */
function unkept(reply: Reply): DiscordMessage {
  const { picture, unkept: without } = renderAnswer(reply, context);
  const { form, files } = without();
  const names = files.slice(0, MAX_FILES).map(({ name }) => name);
  const components = assemble(form, { names, picture });
  return { ...renderDiscord(reply, context), components, files, unstored: form.unstored };
}

function shownOf({ files, ...message }: DiscordMessage | EmbedMessage): Shown {
  const embeds = "embeds" in message ? message.embeds : [];
  const parts = componentsIn(message.components);
  const texts = [
    ...("content" in message ? [message.content] : []),
    ...embeds.map(({ description = "" }) => description),
    ...textsIn(message.components),
  ];
  return { ...message, files: files.map(({ name }) => name), attached: files, parts, texts };
}

describe.each(FORMS)("any reply, %s", (name, render) => {
  test("renders within every limit of Discord", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const message = render(reply);
        expect(refusals(message)).toEqual([]);
        // Room for the line above a shared reply, and for one about files; an embed has no such limits.
        expect(message.texts.join("").length).toBeLessThanOrEqual(
          { folded: 1200, whole: 3900, "the second page": 3900, "not kept": 1200 }[name] ?? 6000,
        );
        expect(message.parts.length).toBeLessThanOrEqual(38);
      }),
      runs(50),
    );
  });

  test("has no line of code wider than a phone, but for a word", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const lines = render(reply).texts.flatMap(codeLines);
        expect(lines.filter((line) => stringWidth(line) > 32 && line.trim().includes(" "))).toEqual([]);
      }),
      runs(50),
    );
  });

  test("loses nothing: what the message does not show is in a file, or behind Details", async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, async (reply) => {
        expect(await lostIn(reply)).toEqual([]);
      }),
      runs(50),
    );
  });

  test.each(lostOnce)("loses nothing of %s", async (_what, reply) => {
    expect(await lostIn(reply)).toEqual([]);
  });

  async function lostIn(reply: Reply): Promise<string[][]> {
    const message = render(reply);
    if (name === "the second page" || (name === "folded" && labelsIn(message).includes("Details"))) return [];
    // A headline has its numbers as people read them, and no details.
    const given = { ...reply, title: reply.title.filter((one) => one.kind !== "number" && !("detail" in one)) };
    const others = name === "whole" ? [...detailPages(reply).keys()].slice(1) : [];
    const pages = [message, ...others.map((at) => shownOf(renderDiscord(reply, context, at)))];
    const said = await Promise.all(pages.map((page) => everythingIn(page, reply)));
    return missingIn(squeeze(said.join("\n")), given);
  }

  test("neither pings, nor breaks out of code, nor forges a link", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const message = render(reply);
        const nodes = message.texts.flatMap((one) => markdownNodes(one));
        expect(nodes.filter(({ type, id }) => FORGED.includes(type) && id !== COMMAND_ID)).toEqual([]);
        const targets = new Set(linksOf(reply));
        const forged = nodes.filter(
          (node) => (node.type === "link" || node.type === "url") && !targets.has(canonical(node.target ?? "")),
        );
        expect(forged).toEqual([]);
        expect(message.allowed_mentions).toEqual({ parse: [] });
      }),
      runs(50),
    );
  });
});

test("a long headline with a link, a long footer and many actions stay below the limit of what people read first", () => {
  const said = (sign: string): Text => [{ kind: "text", text: sign.repeat(280) }];
  const message = unkept({
    tone: "neutral",
    title: said("t"),
    url: `https://example.net/${"u".repeat(280)}`,
    blocks: [{ kind: "paragraph", text: said("p"), detail: true }],
    footer: said("f"),
    attachments: [],
    actions: Array.from({ length: 30 }, (_, at) => ({ label: `action ${at}`, url: `https://example.net/${at}` })),
  });
  expect(shownOf(message).texts.join("").length).toBeLessThanOrEqual(1200);
});

test.each(gallery.map((entry) => [entry.name, entry.reply] as const))(
  "the sample %s renders whole",
  async (_name, reply) => {
    const message = shownOf(renderDiscord(reply, context, "whole"));
    expect(refusals(message)).toEqual([]);
    const shown = squeeze(await everythingIn(message, reply));
    expect(missingIn(shown, { ...reply, title: [] })).toEqual([]);
  },
);

function labelsIn({ parts }: Shown): string[] {
  return (parts as Labelled[]).flatMap(({ label, options = [] }) => [
    ...(label === undefined ? [] : [label]),
    ...options.map((option) => option.label),
  ]);
}

interface Labelled extends AnyComponent {
  readonly label?: string;
  readonly placeholder?: string;
  readonly options?: readonly { readonly label: string }[];
}

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

async function everythingIn(message: Shown, reply: Reply): Promise<string> {
  const given = new Set([...reply.attachments, reply.picture]);
  const files = await Promise.all(
    message.attached.filter((file) => !given.has(file.attachment)).map((file) => readAll(file.attachment.open())),
  );
  const routed = message.parts.flatMap(({ custom_id: id }) => (id === undefined ? [] : [decodePress(id)]));
  const ids = [...message.unstored.values(), ...routed].flatMap((press) =>
    typeof press === "object" && press.kind === "ids" ? press.ids.map((one) => one.value) : [],
  );
  const placeholders = (message.parts as Labelled[]).flatMap(({ placeholder }) => placeholder ?? []);
  return [...message.texts, ...labelsIn(message), ...placeholders, ...ids, ...files].join("\n");
}

function missingIn(shown: string, reply: Reply): string[][] {
  return leaves(reply).filter((spellings) => !spellings.some((one) => shown.includes(squeeze(one))));
}

/** Every piece of text that a reply says, as it may stand; times and addresses are judged elsewhere. */
function leaves(reply: Reply): string[][] {
  // Tables of few columns are shown without their titles.
  const blocks = reply.blocks.map((one) => (one.kind === "table" ? { ...one, columns: [] } : one));
  const texts = replyTexts({ ...reply, blocks }).flatMap((inlines) =>
    inlines.flatMap((one) => {
      if (one.kind === "time") return [];
      // Discord shows the name behind an id itself.
      const isMention = one.kind === "person" && one.platform === "discord" && /^\d{17,20}$/u.test(one.id);
      return [spellingsOf(one, isMention ? one.id : one.text)];
    }),
  );
  return [...texts, ...asButtons(reply.actions).map((action) => [action.label])];
}

function linksOf(reply: Reply): string[] {
  // A table may have rows, and yet nothing to show.
  const empty = reply.blocks.flatMap((one) => (one.kind === "table" ? (one.empty ?? []) : []));
  const inlines = [...replyTexts(reply).flat(), ...empty];
  return [...inlines, ...reply.actions, reply].flatMap((one) =>
    "url" in one && one.url !== undefined ? [canonical(one.url)] : [],
  );
}

function canonical(url: string): string {
  return decodeURI(url.replaceAll(/%(?![0-9a-f]{2})/giu, "%25"))
    .replaceAll(/%28/gu, "(")
    .replaceAll(/%29/gu, ")");
}
