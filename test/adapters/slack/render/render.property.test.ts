import { text as readText } from "node:stream/consumers";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { renderSlack, type SlackMessage } from "../../../../src/adapters/slack/render/render.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { asButtons } from "../../../../src/reply/fold.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { anyReply } from "../../../support/arbitrary-reply.ts";
import { charactersIn, judgeMessage } from "../../../support/fake-slack/judge.ts";
import { replyTexts } from "../../../support/reply-texts.ts";
import { forgedIn, shownText } from "../shown.ts";

const ask = { command: "market list", options: { network: "testnet" } };

describe("any reply on Slack", () => {
  test("passes the judge, below the limit of a whole message", () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), (reply, asked) => {
        const message = renderSlack(reply, asked ? { asker: "U1", ask, shareable: true, form: ask } : {});
        expect(judgeMessage(message)).toEqual([]);
        expect(charactersIn(message.blocks)).toBeLessThan(10_000);
        expect(message.text.length).toBeLessThanOrEqual(4000);
      }),
    );
  });

  test("drops nothing unsaid", async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, fc.boolean(), async (reply, asked) => {
        const message = renderSlack(reply, asked ? { asker: "U1", ask } : {});
        const files = await Promise.all(message.files.map(({ attachment }) => readText(attachment.open())));
        const said = letters([shownText(message.blocks), ...files].join("\n"));
        for (const leaf of leavesOf(reply)) expect(said).toContain(letters(leaf));
        const given = new Set([...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])]);
        const added = message.files.filter(({ attachment }) => !given.has(attachment));
        expect(message.files.length - added.length).toBe(
          reply.attachments.length + (reply.picture === undefined ? 0 : 1),
        );
        expect(shownText(message.blocks).includes("Send as file")).toBe(message.filesLater);
        // The message names each file that was created for it.
        for (const { name } of added) expectTold(message, name);
      }),
    );
  });

  test("neither pings nor forges a link", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const { blocks, text } = renderSlack(reply);
        expect(forgedIn([blocks, text], [reply.url, reply.blocks, reply.actions, reply.footer, reply.title])).toEqual(
          [],
        );
      }),
    );
  });
});

/** Letters and digits alone: marks, blanks and what stands for the unshowable (or, in code, for a backtick) may differ. */
function letters(text: string): string {
  return text.toWellFormed().replaceAll(/[^\p{L}\p{N}]|\u02CB/gu, "");
}

function expectTold(message: SlackMessage, name: string): void {
  // A table that found no room at all is told of by the file that holds the whole reply.
  const shown = shownText(message.blocks).replaceAll("\u200B", "");
  expect(shown.includes(name) || shown.includes("whole-reply")).toBe(true);
}

/** Every text of a reply, except the files' own. */
function leavesOf(reply: Reply): string[] {
  // A link's target may be written in another way; what it says must be there.
  const texts = replyTexts(reply).flatMap((inlines) =>
    inlines.map((inline) => (inline.kind === "link" ? inline.text : plainText([inline]))),
  );
  return [...texts, ...asButtons(reply.actions).map(({ label }) => label)];
}
