import { expect, test } from "vitest";

import { renderDiscord } from "../../../../src/adapters/discord/render/render.ts";
import type { Block } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { codeLines, textsIn } from "../judge.ts";

test("a table with nothing to see takes no fence, which would swallow what follows it", () => {
  const blocks: Block[] = [
    { kind: "table", name: "rows", columns: [{ title: " " }], rows: [[[{ kind: "text", text: " " }]], [[]]] },
    { kind: "paragraph", text: [{ kind: "text", text: "What follows" }] },
    { kind: "code", text: "code" },
  ];
  const { components } = renderDiscord(reply({ title: "Title", blocks }));
  expect(textsIn(components).flatMap(codeLines)).toEqual(["code"]);
});
