import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";

import { renderTerminal } from "../../../../src/adapters/terminal/render/render.ts";
import { visibleText } from "../../../../src/adapters/terminal/render/visible-text.ts";
import { formatLine } from "../../../../src/bot/grammar/grammar.ts";
import { asButtons, unfolded } from "../../../../src/reply/fold.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import type { Text } from "../../../../src/reply/text.ts";
import { anyReply } from "../../../support/arbitrary-reply.ts";
import { replyTexts } from "../../../support/reply-texts.ts";
import { GALLERY_NOW } from "../../../support/gallery.ts";
import { runs } from "../../../support/runs.ts";

const plain = { colour: false, links: false, now: GALLERY_NOW };
const width = fc.integer({ min: 20, max: 200 });

/** What this renderer itself sends to a terminal: SGR and OSC 8. */
const OWN_ESCAPES = new RegExp(String.raw`\x1B\[[\d;]+m|\x1B\]8;;[\x21-\x7E]*\x1B\\`, "gu");

describe("any reply at any width", () => {
  test("sends nothing to the terminal but text, line breaks and its own escapes", () => {
    fc.assert(
      fc.property(anyReply, width, fc.boolean(), fc.boolean(), (reply, width, colour, links) => {
        const shown = renderTerminal(reply, { width, colour, links, now: GALLERY_NOW }).replaceAll(OWN_ESCAPES, "");
        expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(shown.isWellFormed()).toBe(true);
      }),
      runs(30),
    );
  });

  test("sends no escape at all when neither colours nor links are asked for", () => {
    fc.assert(
      fc.property(anyReply, width, (reply, width) => {
        expect(renderTerminal(reply, { ...plain, width })).not.toContain("\u001B");
      }),
      runs(30),
    );
  });

  test("looks the same with colours as without", () => {
    fc.assert(
      fc.property(anyReply, width, (reply, width) => {
        const coloured = renderTerminal(reply, { ...plain, width, colour: true });
        expect(coloured.replaceAll(OWN_ESCAPES, "")).toBe(renderTerminal(reply, { ...plain, width }));
      }),
      runs(30),
    );
  });

  test("fits, but for what is copied whole and is itself wider", () => {
    fc.assert(
      fc.property(anyReply, width, (reply, width) => {
        const whole = wholes(reply);
        for (const line of renderTerminal(reply, { ...plain, width }).split("\n")) {
          const columns = stringWidth(line);
          if (columns <= width) continue;
          const cause = whole.find((one) => line.includes(one) && columns <= stringWidth(one) + 8);
          expect(cause, `${columns} columns at ${width}: ${line}`).toBeDefined();
        }
      }),
      runs(30),
    );
  });

  test("shows every character of every text, or names the omissions", () => {
    fc.assert(
      fc.property(anyReply, fc.oneof(width, fc.constant(100_000)), (reply, width) => {
        const shown = renderTerminal(reply, { ...plain, width });
        const cut = /do(es)?\s+not\s+fit\s+here|Ids\s+are\s+shortened/u.test(shown);
        const left = tally(shown);
        const blocks = reply.blocks.map((one) => {
          if (one.kind !== "table") return one;
          if (cut) return { ...one, columns: [], rows: [[]] };
          // Rows that are listed leave out a column where they have nothing.
          const isBlank = (index: number): boolean => one.rows.every((row) => visible(row[index] ?? []).trim() === "");
          return { ...one, columns: one.columns.filter((_, index) => one.rows.length === 0 || !isBlank(index)) };
        });
        for (const [character, count] of tally(
          replyTexts(unfolded({ ...reply, blocks }))
            .map(visible)
            .join(""),
        )) {
          expect(left.get(character) ?? 0, `${character} in ${shown}`).toBeGreaterThanOrEqual(count);
        }
        expect(cut && width === 100_000).toBe(false);
      }),
      runs(30),
    );
  });
});

/** Times are put in words by the renderer; the golden files show them. */
function visible(text: Text): string {
  return text.map((inline) => (inline.kind === "time" ? "" : visibleText(inline.text, "keep"))).join("");
}

/** How often each character but white space occurs. `␤` stands where a line break was data. */
function tally(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const character of text.replaceAll(/[\s␤◌]/gu, "")) counts.set(character, (counts.get(character) ?? 0) + 1);
  return counts;
}

function wholes(reply: Reply): string[] {
  return [
    ...replyTexts(reply)
      .flat()
      .flatMap((inline) =>
        inline.kind === "code" ? [visibleText(inline.text)] : inline.kind === "link" ? [inline.url] : [],
      ),
    // A command is one line to copy.
    ...reply.blocks.flatMap((block) => {
      if (block.kind !== "code") return [];
      return block.command === true ? [visibleText(block.text)] : visibleText(block.text, "keep").split("\n");
    }),
    ...asButtons(reply.actions).map((action) =>
      "url" in action ? action.url : visibleText(formatLine(action.invocation)),
    ),
    ...[...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])].flatMap((file) => [
      file.name,
      file.sha256,
    ]),
    ...(reply.url === undefined ? [] : [reply.url]),
  ];
}
