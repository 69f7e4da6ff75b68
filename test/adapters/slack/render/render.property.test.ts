import { text as readText } from "node:stream/consumers";

import type { ActionsBlockElement, KnownBlock } from "@slack/types";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { LINK_VALUE } from "../../../../src/adapters/slack/render/buttons.ts";
import {
  type KeptPress,
  keptReply,
  parsePressPayload,
  pressPayload,
  type Show,
} from "../../../../src/adapters/chat/press.ts";
import { decodePress } from "../../../../src/adapters/slack/render/press.ts";
import { renderSlack, type SlackMessage } from "../../../../src/adapters/slack/render/render.ts";
import { answerModal } from "../../../../src/adapters/slack/respond/answer-view.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { aboveFold, asButtons, detailPages, unfolded } from "../../../../src/reply/fold.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { anyReply } from "../../../support/arbitrary-reply.ts";
import { charactersIn, judgeMessage, judgeView } from "../../../support/fake-slack/judge.ts";
import { buttonsOf } from "../../../support/fake-slack/person.ts";
import type { Block } from "../../../support/fake-slack/state.ts";
import { lostOnce } from "../../../support/lost-once.ts";
import { replyTexts, spellingsOf } from "../../../support/reply-texts.ts";
import { forgedIn, shownText } from "../shown.ts";
import { runs } from "../../../support/runs.ts";

const ask = { command: "market list", options: { network: "testnet" } };

describe("any reply on Slack", () => {
  test("passes the judge, below the limit of a whole message, folded and whole, and in a modal", () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), anyShow, (reply, asked, show) => {
        const message = renderSlack(reply, asked ? { asker: "U1", ask, shareable: true, form: ask, show } : {});
        for (const blocks of [message.blocks, message.unkept().blocks, message.alone().blocks]) {
          expect(judgeMessage({ ...message, blocks })).toEqual([]);
          expect(charactersIn(blocks)).toBeLessThan(10_000);
        }
        expect(message.text.length).toBeLessThanOrEqual(4000);
        const inView = renderSlack(reply, { asker: "U1", ask, form: ask, show, inView: true });
        expect(judgeView(answerModal(inView.blocks, "C1"))).toEqual([]);
      }),
      runs(100),
    );
  });

  test("has three buttons at most, or seven of its own, and each press has its meaning in its value or in the store", () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), anyShow, (reply, asked, show) => {
        const message = renderSlack(reply, asked ? { asker: "U1", ask, shareable: true, show } : {});
        for (const { blocks, unstored } of [message, message.alone()]) {
          const values = blocks.flatMap((block) => (block.type === "actions" ? block.elements : [])).flatMap(valuesOf);
          const presses = values.filter((value) => value !== LINK_VALUE).map(decodePress);
          expect(presses).not.toContain(undefined);
          const keys = presses.flatMap((press) => (press?.kind === "stored" ? [press.key] : []));
          expect(keys.filter((key) => !unstored.has(key))).toEqual([]);
          const own = reply.actions.reduce((sum, one) => sum + ("choices" in one ? 2 : 1), 0);
          // Where a page is shown that there is not, all that there are are offered.
          const pages = Math.max(detailPages(reply).length, show === 1 ? 2 : 1);
          const most = Math.max(3, Math.min(7, own + pages + 1));
          expect(buttonsOf(blocks as readonly Block[]).length).toBeLessThanOrEqual(most);
        }
      }),
      runs(100),
    );
  });

  test("says at most 1,200 characters before Details, kept or not, and nothing else is behind it than more", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const context = { asker: "U1", ask, shareable: true };
        const { blocks, files, unkept } = renderSlack(reply, context);
        const whole = renderSlack(reply, { ...context, show: "whole" });
        expect(files.map(({ name }) => name)).toEqual(whole.files.map(({ name }) => name));
        const shown = { fold: foldOf(blocks), blocks: JSON.stringify(blocks) };
        const open = { fold: foldOf(whole.blocks), blocks: JSON.stringify(whole.blocks) };
        const pages = detailPages(reply);
        expect([shown.fold, open.fold]).toEqual(
          shown.blocks === open.blocks ? [undefined, undefined] : ["whole", pages.length > 1 ? 1 : "folded"],
        );
        for (const said of [blocks, unkept().blocks]) {
          expect(shownText(said.filter(({ type }) => type !== "actions")).length).toBeLessThanOrEqual(1200);
        }
      }),
      runs(50),
    );
  });

  test("is kept as it is shown: from what is kept comes the same message, and the same after it", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const context = { asker: "U1", ask, shareable: true };
        const { blocks, unstored } = renderSlack(reply, context);
        const press = [...unstored.values()].find(({ kind }) => kind === "share");
        if (press?.kind !== "share") return;
        const again = keptReply(parsePressPayload(JSON.parse(JSON.stringify(pressPayload(press)))) as KeptPress);
        if (again === undefined) return;
        expect(renderSlack(again, context).blocks).toEqual(blocks);
        const whole = { ...context, show: "whole" } as const;
        expect(renderSlack(again, whole).blocks).toEqual(renderSlack(reply, whole).blocks);
      }),
      runs(50),
    );
  });

  test("drops nothing unsaid", async () => {
    await fc.assert(fc.asyncProperty(anyReply, fc.constantFrom(...WAYS), expectAllSaid), runs(100));
  });

  test.each(lostOnce.flatMap(([what, reply]) => WAYS.map((how) => [what, how, reply] as const)))(
    "drops nothing of %s, as %s",
    (_what, how, reply) => expectAllSaid(reply, how),
  );

  test("neither pings nor forges a link", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const { blocks, text } = renderSlack(reply);
        expect(forgedIn([blocks, text], [reply.url, reply.blocks, reply.actions, reply.footer, reply.title])).toEqual(
          [],
        );
      }),
      runs(100),
    );
  });
});

/** How a reply is shown, and whether its details can be kept. */
const WAYS = ["an alert", "kept", "not kept"] as const;

async function expectAllSaid(reply: Reply, how: (typeof WAYS)[number]): Promise<void> {
  const asked = how !== "an alert";
  const shows = detailPages(reply).map((_, at) => (at === 0 ? "whole" : at));
  const pages = shows.map((show) => renderSlack(reply, asked ? { asker: "U1", ask, show } : {}));
  const [first] = pages as [SlackMessage];
  const message = how === "not kept" ? { ...first, ...first.unkept() } : first;
  const files = await Promise.all(message.files.map(({ attachment }) => readText(attachment.open())));
  const blocks = how === "kept" ? pages.flatMap((page) => page.blocks) : message.blocks;
  const said = letters([shownText(blocks), ...files].join("\n"));
  const leaves = leavesOf(asked ? unfolded(reply) : aboveFold(reply));
  expect(leaves.filter((spellings) => !spellings.some((one) => said.includes(letters(one))))).toEqual([]);
  const given = new Set([...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])]);
  const added = message.files.filter(({ attachment }) => !given.has(attachment));
  expect(message.files.length - added.length).toBe(reply.attachments.length + (reply.picture === undefined ? 0 : 1));
  expect(shownText(message.blocks).includes("Send as file")).toBe(message.filesLater);
  // The message names each file that was created for it.
  for (const { name } of added) expectTold({ ...message, blocks }, name);
}

const anyShow = fc.constantFrom<Show>("folded", "whole", 1);

/** What the first button that shows more or less says in its value. */
function foldOf(blocks: readonly KnownBlock[]): Show | undefined {
  const presses = buttonsOf(blocks as readonly Block[]).map(({ value }) => decodePress(value));
  return presses.flatMap((press) => (press?.kind === "stored" && press.show !== undefined ? [press.show] : []))[0];
}

function valuesOf(element: ActionsBlockElement): (string | undefined)[] {
  if (element.type === "button") return element.url === undefined ? [element.value] : [];
  return "options" in element ? (element.options ?? []).map(({ value }) => value) : [];
}

/** Letters and digits alone: marks, blanks and what stands for the unshowable (or, in code, for a backtick) may differ. */
function letters(text: string): string {
  return text.toWellFormed().replaceAll(/[^\p{L}\p{N}]|\u02CB/gu, "");
}

function expectTold(message: SlackMessage, name: string): void {
  // A table that found no room at all is told of by the file that holds the whole reply.
  const shown = shownText(message.blocks).replaceAll("\u200B", "");
  expect(shown.includes(name) || shown.includes("whole-reply")).toBe(true);
}

/** Every text of a reply, as it may stand, except the files' own. */
function leavesOf(reply: Reply): string[][] {
  // A link's target may be written in another way; what it says must be there.
  const texts = replyTexts(reply).flatMap((inlines) =>
    inlines.map((inline) => spellingsOf(inline, inline.kind === "link" ? inline.text : plainText([inline]))),
  );
  return [...texts, ...asButtons(reply.actions).map(({ label }) => [label])];
}
