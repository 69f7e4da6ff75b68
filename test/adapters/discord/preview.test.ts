import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { discordPreview } from "../../../src/adapters/discord/preview.ts";
import { draw } from "../../../src/adapters/web/public/preview-discord.js";
import { faultOf, type VElement, type VNode } from "../../../src/adapters/web/public/vnode.js";
import { anyReply } from "../../support/arbitrary-reply.ts";
import { gallery } from "../../support/gallery.ts";

function drawn(reply: Parameters<typeof discordPreview.render>[0]): VElement {
  // Through JSON, as the page gets it.
  return draw(JSON.parse(JSON.stringify(discordPreview.render(reply))));
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
        expect.arrayContaining(reply.actions.map((action) => action.label)),
      );
      expect(textIn(tree)).toContain("Bellwether");
    },
  );
});
