import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { AnswerAudience } from "../../../src/adapters/adapter.ts";
import { discordPreview } from "../../../src/adapters/discord/preview.ts";
import { draw } from "../../../src/adapters/web/public/preview/preview-discord.js";
import { faultOf, type VElement, type VNode } from "../../../src/adapters/web/public/vnode/vnode.js";
import { asButtons } from "../../../src/reply/fold.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { reply, type Reply } from "../../../src/reply/reply.ts";
import { text, time } from "../../../src/reply/text.ts";
import { fromMillis } from "../../../src/units/nanoseconds.ts";
import { anyReply } from "../../support/arbitrary-reply.ts";
import { gallery } from "../../support/gallery.ts";

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

describe("the console's view of Discord", () => {
  test("shows any reply with nothing that the page refuses", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        expect(all(drawn(reply)).flatMap((element) => faultOf(element) ?? [])).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test.each(gallery.map((entry) => [entry.name, entry.reply] as const))(
    "shows %s with its title and buttons",
    (_name, reply) => {
      const tree = drawn(reply);
      const buttons = all(tree).filter((element) => element.attrs["class"]?.startsWith("press") === true);
      expect(buttons.map((button) => textIn(button).replace(" ↗", ""))).toEqual(
        expect.arrayContaining(asButtons(reply.actions).map((action) => action.label)),
      );
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
});
