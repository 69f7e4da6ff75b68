import { expect, test } from "vitest";

import { compose } from "../../../src/adapters/slack/compose.ts";
import { renderSlack } from "../../../src/adapters/slack/render.ts";
import { silentLog } from "../../../src/log.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { reply } from "../../../src/reply/reply.ts";
import { toText } from "../../../src/reply/text.ts";
import { shownText } from "./shown.ts";

test("buttons whose meaning the store does not take are counted", async () => {
  const invocation = { command: "time", options: { note: "x".repeat(900) } };
  const actions = ["One", "Two"].map((label) => ({ label, invocation, effect: "reply" as const }));
  const payloads = { put: () => Promise.reject(new Error("full")), get: () => Promise.resolve(undefined) };
  const { body } = await compose(
    reply({ title: "x", actions: [...actions, { label: "Docs", url: "https://example.net/" }] }),
    {},
    { payloads, log: silentLog(), keepMillis: 1 },
  );
  const shown = shownText(body.blocks);
  expect(shown).toContain("Buttons missing here, since what they mean could not be kept: 2.");
  expect(shown).toContain("Docs");
  expect(shown).not.toContain("One");
});

test("what fits beside everything else is shown whole", () => {
  const words = [2900, 2900, 2200].map((length) => paragraph("x".repeat(length)));
  const table = { kind: "table" as const, columns: [{ title: "A" }], rows: [[toText("1")]], name: "t" };
  expect(renderSlack(reply({ title: "x", blocks: [...words, table] })).files).toEqual([]);
});
