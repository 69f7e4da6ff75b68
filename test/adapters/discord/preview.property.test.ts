import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { commands } from "../../../commands/index.ts";
import type { AnswerAudience } from "../../../src/adapters/adapter.ts";
import { createDiscordPreview, markdownOf } from "../../../src/adapters/discord/preview.ts";
import { draw } from "../../../src/adapters/discord/page/page.js";
import { faultOf, type VElement, type VNode } from "../../../src/adapters/web/public/vnode/vnode.js";
import { paragraph } from "../../../src/reply/block.ts";
import { type Action, reply, type Reply } from "../../../src/reply/reply.ts";
import { text, time } from "../../../src/reply/text.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { anyReply } from "../../support/arbitrary-reply.ts";
import { gallery } from "../../support/gallery.ts";
import { runs } from "../../support/runs.ts";

const discordPreview = createDiscordPreview(commands);
const SENT = Date.UTC(2026, 2, 2, 9, 30);
const PRIVATE: AnswerAudience = { visibility: "caller", isDefault: true };

function drawn(reply: Reply, as: AnswerAudience | "alert" = PRIVATE): VElement {
  // Through JSON, as the page gets it.
  return draw(JSON.parse(JSON.stringify(discordPreview.render(reply, as))), SENT);
}

function all(node: VNode): VElement[] {
  return typeof node === "string" ? [] : [node, ...node.children.flatMap(all)];
}

function textIn(node: VNode): string {
  return typeof node === "string" ? node : node.children.map(textIn).join("");
}

const isSelect = (action: Action): boolean => "choices" in action && action.choices.length > 1;

describe("the console's view of Discord", () => {
  test("shows any reply with nothing that the page refuses", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        expect(all(drawn(reply)).flatMap((element) => faultOf(element) ?? [])).toEqual([]);
      }),
      runs(60),
    );
  });

  test.each(gallery.map((entry) => [entry.name, entry.reply] as const))(
    "shows %s with its title and buttons",
    (_name, reply) => {
      const tree = drawn(reply);
      const buttons = all(tree).filter((element) => element.attrs["class"]?.startsWith("press") === true);
      expect(buttons.map((button) => textIn(button).replace(" ↗", ""))).toEqual(
        expect.arrayContaining(reply.actions.filter((one) => !isSelect(one)).map((action) => action.label)),
      );
      for (const { label } of reply.actions.filter(isSelect)) expect(textIn(tree)).toContain(label);
      expect(textIn(tree)).toContain("Bellwether");
    },
  );

  test.each<[AnswerAudience | "alert", boolean]>([
    [{ visibility: "caller", isDefault: true }, true],
    [{ visibility: "caller", isDefault: false }, true],
    [{ visibility: "channel", isDefault: true }, false],
    [{ visibility: "channel", isDefault: false }, false],
    ["alert", false],
  ])("says of %j whether the asker alone sees it: %j", (as, isPrivate) => {
    const tree = drawn(reply({ title: "Time" }), as);
    expect(all(tree).some(({ attrs }) => attrs["class"] === "only")).toBe(isPrivate);
    expect(textIn(tree).includes("Share")).toBe(isPrivate);
  });

  test("shows a mention by the id that is sent", () => {
    const person = { kind: "person", text: "ann", platform: "discord", id: "998877665544332211" } as const;
    const tree = drawn(reply({ title: "x", blocks: [paragraph(text`by ${person}`)] }), "alert");
    expect(textIn(tree)).toContain("by @998877665544332211");
  });

  test("writes when it was sent, and marks an age to be kept true", () => {
    const at = fromMillis(SENT);
    const tree = drawn(reply({ title: "x", blocks: [paragraph(text`seen ${time(at, "relative")}`)] }), "alert");
    const times = all(tree).filter(({ tag }) => tag === "time");
    expect(times.map(({ attrs }) => attrs["datetime"])).toEqual([
      "2026-03-02T09:30:00.000Z",
      "2026-03-02T09:30:00.000Z",
    ]);
    expect(times.map(({ attrs }) => attrs["data-age"])).toEqual([undefined, String(SENT)]);
  });

  test.each<[string, object, readonly string[]]>([
    ["content", { content: "**bold** <@&112233445566778899>" }, ["bold", "@112233445566778899"]],
    ["a text display", { components: [{ type: 10, content: "## Head\nline 🟢\n> quoted" }] }, ["Head", "🟢", "quoted"]],
    ["the mention of a command", { content: "</market show:1122334455667788990>" }, ["/market show"]],
    [
      "a section with a button beside it",
      {
        components: [
          {
            type: 17,
            accent_color: 0x2e9e5b,
            components: [
              { type: 9, components: [{ type: 10, content: "row" }], accessory: { type: 2, style: 1, label: "Open" } },
              { type: 14, divider: true, spacing: 2 },
              { type: 1, components: [{ type: 2, style: 2, emoji: { name: "🔔" }, label: "Tell me" }] },
            ],
          },
        ],
      },
      ["row", "Open", "🔔 Tell me"],
    ],
    [
      "a select with its choice",
      {
        components: [
          { type: 1, components: [{ type: 3, options: [{ label: "Page 1" }, { label: "Page 2", default: true }] }] },
          { type: 1, components: [{ type: 8, placeholder: "Which channel" }] },
        ],
      },
      ["Page 2⌄Page 1Page 2", "Which channel"],
    ],
    ["a file", { components: [{ type: 13, file: { url: "attachment://a.csv" } }] }, ["a.csv", "12 B"]],
    [
      "pictures",
      {
        components: [
          { type: 12, items: [{ media: { url: "attachment://b.png" } }] },
          { type: 11, media: { url: "https://x.example/c.png" } },
        ],
      },
      ["b.png", "a line that rises", "https://x.example/c.png"],
    ],
    ["a part that is not known yet", { components: [{ type: 99, words: "kept" }] }, ['"type": 99', '"words": "kept"']],
  ])("draws %s", (_what, message, said) => {
    const files = [
      { name: "a.csv", sizeBytes: 12 },
      { name: "b.png", sizeBytes: 34, alt: "a line that rises" },
    ];
    const payload = { message, embeds: [], texts: markdownOf(message), files, onlyAsker: false };
    const tree = draw(JSON.parse(JSON.stringify(payload)), SENT);
    expect(all(tree).flatMap((element) => faultOf(element) ?? [])).toEqual([]);
    for (const words of said) expect(textIn(tree).split(words)).toHaveLength(2);
  });
});
