import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { AnswerAudience } from "../../../src/adapters/adapter.ts";
import { createSlackPreview } from "../../../src/adapters/slack/preview.ts";
import { draw } from "../../../src/adapters/slack/page/page.js";
import { faultOf, type VElement } from "../../../src/adapters/web/public/vnode/vnode.js";
import { asButtons } from "../../../src/reply/fold.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { reply, type Reply } from "../../../src/reply/reply.ts";
import { code, link, strong, text, time } from "../../../src/reply/text.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { anyReply } from "../../support/arbitrary-reply.ts";
import { buttonsOf, choicesOf, labelsOf } from "../../support/fake-slack/person.ts";
import type { Block } from "../../support/fake-slack/state.ts";
import { gallery } from "../../support/gallery.ts";
import { elementsOf, textsOf } from "../web/print-tree.ts";
import { runs } from "../../support/runs.ts";

const SENT = Date.UTC(2026, 2, 2, 9, 30);
const PRIVATE: AnswerAudience = { visibility: "caller", isDefault: true };

function drawn(given: Reply, as: AnswerAudience | "alert" = PRIVATE): VElement {
  // Through JSON, as the page gets it.
  return draw(JSON.parse(JSON.stringify(createSlackPreview().render(given, as))), SENT);
}

describe("the console's view of Slack", () => {
  test("shows any reply with nothing that the page refuses, and no mention", () => {
    fc.assert(
      fc.property(anyReply, (given) => {
        const all = elementsOf(drawn(given));
        expect(all.flatMap((element) => faultOf(element) ?? [])).toEqual([]);
        expect(all.filter((element) => element.attrs["class"] === "mention")).toEqual([]);
      }),
      runs(60),
    );
  });

  test.each(gallery.map((entry) => [entry.name, entry.reply] as const))(
    "shows %s with its title and buttons",
    (_name, given) => {
      const tree = drawn(given);
      const buttons = elementsOf(tree)
        .filter(({ attrs }) => attrs["class"]?.startsWith("press") === true)
        .map((button) => textsOf(button).join("").replace(" ↗", ""));
      const { message } = createSlackPreview().render(given, PRIVATE) as { message: { blocks: readonly Block[] } };
      const inMenus = [
        ...labelsOf(message.blocks),
        ...choicesOf(message.blocks).map((one) => one.replace(/^.*: /u, "")),
      ];
      const labels = asButtons(given.actions).map((action) => action.label);
      expect([...buttons, ...inMenus]).toEqual(expect.arrayContaining(labels));
      expect(buttons).toEqual(expect.arrayContaining(buttonsOf(message.blocks).map(({ text }) => text?.text)));
      expect(textsOf(tree).join(" ").replaceAll("\u200B", "").replaceAll(/\s+/gu, " ")).toContain(
        plainText(given.title).slice(0, 20).replaceAll("*", "∗"),
      );
    },
  );

  test("reads Slack's markup as Slack does, and signs from the data as signs", () => {
    const content = text`${strong("bold")} ${code("a*b*c")} ${link("here", "https://example.net/")} ${"*not bold* _x_ `y` <@U1>"}`;
    const tree = drawn(reply({ title: "x", blocks: [paragraph(content)] }));
    const [, section] = elementsOf(tree).filter(({ attrs }) => attrs["class"] === "section");
    expect(textsOf(section!).join("")).toBe("bold a*b*c here ∗not bold∗ ＿x＿ ˋyˋ <@U1>");
    expect(elementsOf(section!).map(({ tag }) => tag)).toEqual(["div", "div", "strong", "code", "a"]);
  });

  test.each<[AnswerAudience | "alert", boolean]>([
    [{ visibility: "caller", isDefault: true }, true],
    [{ visibility: "caller", isDefault: false }, true],
    // Slack's custom is that answers are private, whatever a command's own default is.
    [{ visibility: "channel", isDefault: true }, true],
    [{ visibility: "channel", isDefault: false }, false],
    ["alert", false],
  ])("says of %j whether the asker alone sees it: %j", (as, isPrivate) => {
    const tree = drawn(reply({ title: "Time" }), as);
    expect(elementsOf(tree).some(({ attrs }) => attrs["class"] === "only")).toBe(isPrivate);
    expect(textsOf(tree).includes("Share")).toBe(isPrivate);
  });

  test("writes when it was sent, and marks an age to be kept true", () => {
    const at = fromMillis(SENT);
    const tree = drawn(reply({ title: "x", blocks: [paragraph(text`seen ${time(at, "relative")}`)] }), "alert");
    const times = elementsOf(tree).filter(({ tag }) => tag === "time");
    expect(times.map(({ attrs }) => attrs["datetime"])).toEqual([
      "2026-03-02T09:30:00.000Z",
      "2026-03-02T09:30:00.000Z",
    ]);
    expect(times.map(({ attrs }) => attrs["data-age"])).toEqual([undefined, String(SENT)]);
  });

  const plain = (words: string) => ({ type: "plain_text", text: words });
  const option = (words: string, value = words) => ({ text: plain(words), value });
  test.each<[string, object, readonly string[]]>([
    ["the text of a message without blocks", { text: "*stalled*" }, ["stalled"]],
    ["an attachment", { attachments: [{ blocks: [{ type: "header", text: plain("inside") }] }] }, ["inside"]],
    [
      "a section with an overflow menu",
      {
        blocks: [
          {
            type: "section",
            text: { type: "mrkdwn", text: "*row*" },
            accessory: { type: "overflow", options: [option("Edit"), option("Remove")] },
          },
        ],
      },
      ["row", "⋯EditRemove"],
    ],
    [
      "selects, pickers and boxes",
      {
        blocks: [
          {
            type: "actions",
            elements: [
              {
                type: "static_select",
                placeholder: plain("Which"),
                options: [option("a")],
                initial_option: option("b"),
              },
              { type: "multi_static_select", initial_options: [option("c"), option("d")] },
              { type: "channels_select", placeholder: plain("Where") },
              { type: "datepicker", initial_date: "2026-01-15" },
              {
                type: "checkboxes",
                options: [option("on", "1"), option("off", "2")],
                initial_options: [option("on", "1")],
              },
            ],
          },
        ],
      },
      ["b", "c, d", "Where", "2026-01-15", "☑ on", "☐ off"],
    ],
    [
      "a form's field",
      {
        blocks: [
          {
            type: "input",
            label: plain("Name"),
            hint: plain("as people know it"),
            element: { type: "plain_text_input", initial_value: "treasury" },
          },
        ],
      },
      ["Name", "treasury", "as people know it"],
    ],
    [
      "a table of all its cells",
      {
        blocks: [
          {
            type: "table",
            rows: [
              [{ type: "raw_text", text: "Market" }],
              [{ type: "raw_number", value: 42 }],
              [
                {
                  type: "rich_text",
                  elements: [
                    {
                      type: "rich_text_section",
                      elements: [
                        { type: "text", text: "bold", style: { bold: true } },
                        { type: "emoji", name: "green", unicode: "1f7e2" },
                        { type: "link", url: "https://x.example/", text: "here" },
                      ],
                    },
                  ],
                },
              ],
            ],
          },
        ],
      },
      ["Market", "42", "bold", "🟢", "here"],
    ],
    [
      "a picture's words",
      { blocks: [{ type: "image", alt_text: "a line that rises" }, { type: "divider" }] },
      ["rises"],
    ],
    [
      "blocks and elements that are not known yet",
      {
        blocks: [
          { type: "carousel", words: "kept" },
          { type: "actions", elements: [{ type: "lever", at: "up" }] },
        ],
      },
      ['"words": "kept"', '"at": "up"'],
    ],
  ])("draws %s", (_what, message, said) => {
    const payload = { message, files: [], filesLater: false, onlyAsker: false };
    const tree = draw(JSON.parse(JSON.stringify(payload)), SENT);
    expect(elementsOf(tree).flatMap((element) => faultOf(element) ?? [])).toEqual([]);
    const shown = textsOf(tree).join("");
    for (const words of said) expect(shown).toContain(words);
  });
});
