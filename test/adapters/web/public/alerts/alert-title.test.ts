import { expect, test } from "vitest";

import type { AlertJson } from "../../../../../src/adapters/web/alerts/alert-json.ts";
import { replyOf, titleOf } from "../../../../../src/adapters/web/public/alerts/alert-title.js";
import { paragraph } from "../../../../../src/reply/block.ts";
import { replyToJson } from "../../../../../src/reply/json.ts";
import { reply } from "../../../../../src/reply/reply.ts";
import { strong, text } from "../../../../../src/reply/text.ts";

test("an open alert says its severity in its badge alone", () => {
  const said = reply({
    tone: "bad",
    title: text`${strong("SIMULATED")} · mainnet has made no block`,
    blocks: [paragraph(text`${strong("Critical")} · 3 of 3 nodes agree`), paragraph("What to do")],
  });
  const alert = { state: "escalated", reply: replyToJson(said, () => undefined) } as unknown as AlertJson;
  expect(titleOf(alert, 0)).toBe("mainnet has made no block");
  const { tone, blocks } = replyOf(alert);
  expect(JSON.stringify({ tone, blocks })).not.toMatch(/critical|"bad"/iu);
  expect(JSON.stringify(blocks)).toMatch(/"3 of 3 nodes agree.*What to do/u);
});
