import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { labelOf, pressable } from "../../../../../src/adapters/web/public/reply/render-actions.js";
import { announcement, renderReply } from "../../../../../src/adapters/web/public/reply/reply.js";
import { visible } from "../../../../../src/adapters/web/public/reply/render-text.js";
import { faultOf, safeTree, type VNode } from "../../../../../src/adapters/web/public/vnode/vnode.js";
import { asButtons } from "../../../../../src/reply/fold.ts";
import { replyToJson } from "../../../../../src/reply/json.ts";
import type { Reply } from "../../../../../src/reply/reply.ts";
import type { Text } from "../../../../../src/reply/text.ts";
import { anyReply, anyString } from "../../../../support/arbitrary-reply.ts";
import { nastyStrings } from "../../../../support/nasty-strings.ts";
import { replyTexts } from "../../../../support/reply-texts.ts";
import { elementsOf, textsOf } from "../../print-tree.ts";
import { runs } from "../../../../support/runs.ts";

const reader = { now: 1_772_443_800_000, timeZone: "UTC" };
const render = (reply: Reply): ReturnType<typeof renderReply> =>
  renderReply(
    replyToJson(reply, (file) => `/api/files/${file.sha256.slice(0, 32)}`),
    reader,
  );

/** What must not stand in text on a page: controls beside line end and tab, and what turns the reading direction. */
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u;

describe("any reply", () => {
  test("becomes a tree in which every element may be shown", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        for (const element of elementsOf(render(reply))) expect(faultOf(element)).toBeUndefined();
      }),
      runs(150),
    );
  });

  test("has no link but http, https and its own files, and no handler or style", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        for (const { attrs } of elementsOf(render(reply))) {
          const links = [attrs["href"], attrs["src"]].filter((url) => url !== undefined);
          expect(links.filter((url) => !/^(?:https?:\/\/|\/api\/files\/[0-9a-f]{32}$)/u.test(url))).toEqual([]);
          expect(Object.keys(attrs).filter((name) => /^(?:on|style|srcdoc|action|formaction)/iu.test(name))).toEqual(
            [],
          );
        }
      }),
      runs(150),
    );
  });

  test("shows text that can be seen, and all of it", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const tree = render(reply);
        const shown = textsOf(tree);
        for (const part of shown) {
          expect(part.isWellFormed()).toBe(true);
          expect(part).not.toMatch(UNSEEN);
        }
        const all = new Set(shown);
        // Lines are elements of their own; punctuation behind a button stands beside it, the rest of its text does not.
        const joined = [shown.join("\n"), shown.join("")];
        for (const said of wordsOf(reply).map(visible))
          expect(all.has(said) || joined.some((one) => one.includes(said))).toBe(true);
      }),
      runs(150),
    );
  });

  test("has a button for every action, choice and row that asks, which says its own label", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const buttons = elementsOf(render(reply)).filter((element) => "data-action" in element.attrs);
        const listed = pressable(replyToJson(reply));
        const said = new Map(buttons.map((one) => [Number(one.attrs["data-action"]), textsOf(one).join("")]));
        expect(said.size).toBe(buttons.length);
        const asking = listed.flatMap((action, index) => ("url" in action ? [] : [[index, labelOf(action.label)]]));
        expect([...said].toSorted(([a], [b]) => a - b)).toEqual(asking);
        expect(listed.slice(0, asButtons(reply.actions).length)).toEqual(asButtons(reply.actions));
      }),
      runs(100),
    );
  });

  test("keeps each page of its details in one disclosure, and nothing else", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const details = reply.blocks.filter((block) => "detail" in block);
        const shown = elementsOf(render(reply)).filter(
          ({ tag, attrs }) => tag === "details" && attrs["class"] === "details",
        );
        expect(shown.length).toBe(new Set(details.map(({ page }) => page)).size);
        const bodies = shown.flatMap(({ children }) => elementsOf(children.at(-1)!)[0] ?? []);
        expect(bodies.reduce((sum, { children }) => sum + children.length, 0)).toBe(details.length);
      }),
      runs(100),
    );
  });

  test("can be announced", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        expect(announcement(replyToJson(reply), reader)).not.toMatch(UNSEEN);
      }),
      runs(50),
    );
  });
});

test("text that can be seen stays as it is, and no text loses a character to another", () => {
  fc.assert(
    fc.property(anyString(), (value) => {
      const shown = visible(value);
      expect(visible(shown)).toBe(shown);
      expect(shown === value || !value.isWellFormed() || UNSEEN.test(value) || value.includes("\r")).toBe(true);
      expect(Array.from(shown)).toHaveLength(Array.from(value.replaceAll(/\r\n?/gu, "\n")).length);
    }),
    runs(100),
  );
});

test.each(nastyStrings.map((value) => [JSON.stringify(value).slice(0, 60), value]))(
  "%s is no more than text in any place",
  (_shown, value) => {
    const said: Text = [
      { kind: "text", text: value },
      { kind: "strong", text: value },
      { kind: "code", text: value },
      { kind: "code", text: value, id: true },
      { kind: "link", text: value, url: value },
    ];
    const tree = render({
      tone: "bad",
      title: said,
      url: value,
      blocks: [{ kind: "paragraph", text: said }],
      attachments: [],
      actions: [{ label: value, url: value }],
      footer: said,
    });
    for (const element of elementsOf(tree)) {
      expect(faultOf(element)).toBeUndefined();
      expect(element.attrs["href"] ?? "https://").toMatch(/^https?:\/\//iu);
    }
  },
);

describe("what no tree of ours contains is not shown, should one contain it", () => {
  test.each([
    [{ tag: "script", attrs: {}, children: ["alert(1)"] }, "the element script"],
    [{ tag: "iframe", attrs: { src: "https://evil.example" }, children: [] }, "the element iframe"],
    [
      { tag: "a", attrs: { href: "javascript:alert(1)" }, children: ["x"] },
      "a link that is neither http nor a path of this server",
    ],
    [
      { tag: "a", attrs: { href: "//evil.example" }, children: ["x"] },
      "a link that is neither http nor a path of this server",
    ],
    [
      { tag: "a", attrs: { href: "data:text/html,x" }, children: ["x"] },
      "a link that is neither http nor a path of this server",
    ],
    [{ tag: "img", attrs: { src: "https://evil.example/pixel" }, children: [] }, "a picture from elsewhere"],
    [{ tag: "img", attrs: { onerror: "alert(1)" }, children: [] }, "the attribute onerror"],
    [{ tag: "p", attrs: { style: "position:fixed" }, children: [] }, "the attribute style"],
    [{ tag: "a", attrs: { href: "https://a.example", target: "_top" }, children: [] }, "another target"],
  ])("%o", (node, fault) => {
    const tree = { tag: "div", attrs: {}, children: [node as VNode] } as const;
    expect(safeTree(tree)).toEqual({ ...tree, children: [`(not shown: ${fault})`] });
  });
});

/** Every text that a reply holds, but times, ids, file names and what stands in links to nowhere. */
function wordsOf(reply: Reply): string[] {
  const texts = replyTexts(reply.url === undefined ? reply : { ...reply, title: [] }).flat();
  return texts
    .filter((inline) => !("detail" in inline))
    .flatMap((inline) => (inline.kind === "text" || inline.kind === "strong" ? [inline.text] : []))
    .filter((word) => word !== "");
}
