import { expect, test } from "vitest";

import type { AlertJson } from "../../../../../src/adapters/web/alerts/alert-json.ts";
import { replyOf, titleOf } from "../../../../../src/adapters/web/public/alerts/alert-title.js";
import { paragraph } from "../../../../../src/reply/block.ts";
import { replyToJson } from "../../../../../src/reply/json.ts";
import { reply } from "../../../../../src/reply/reply.ts";
import { clockTime, joinText, strong, text, time } from "../../../../../src/reply/text.ts";
import { timeFromText } from "../../../../../src/units/time.ts";
import { describe } from "../../../../../src/alerts/words/words.ts";
import { renderReply } from "../../../../../src/adapters/web/public/reply/reply.js";
import { alertMessages } from "../../../../support/gallery/alert-messages.ts";
import { PLATFORMS } from "../../../../support/platforms.ts";
import { textsOf } from "../../print-tree.ts";

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

test.each(alertMessages.map(([message, context]) => [message, context] as const))(
  "the console shows an alert by the reader's clock alone: %#",
  (message, context) => {
    const said = describe(message, context, PLATFORMS);
    const alert = { state: "firing", reply: replyToJson(said, () => undefined) } as unknown as AlertJson;
    const shown = `${titleOf(alert, 0, "Asia/Kolkata")}\n${textsOf(renderReply(replyOf(alert, "Asia/Kolkata"), { now: 0, timeZone: "Asia/Kolkata" })).join(" ")}`;
    expect(shown).not.toMatch(/\bUTC\b/u);
  },
);

test("a clock keeps its form in the reader's zone", () => {
  const at = timeFromText("1700000000000000000");
  const clocks = ["22:13 UTC", "22:13:20 UTC", "22:13:20", "2023-11-14 22:13:20", "later"];
  const said = reply({
    title: joinText(
      clocks.map((one) => clockTime(at, one)),
      " | ",
    ),
  });
  const alert = { state: "resolved", reply: replyToJson(said, () => undefined) } as unknown as AlertJson;
  expect(titleOf(alert, 0, "Asia/Kolkata")).toBe(
    "03:43 GMT+5:30 | 03:43:20 GMT+5:30 | 03:43:20 | 2023-11-15 03:43:20 | later",
  );
});

test("a time of day in the first line names its zone", () => {
  const said = reply({
    title: text`Ann silenced node outages until ${time(timeFromText("1700000000000000000"), "clock")}`,
  });
  const alert = { state: "event", reply: replyToJson(said, () => undefined) } as unknown as AlertJson;
  expect(titleOf(alert, 0, "Asia/Kolkata")).toBe("Ann silenced node outages until 03:43 GMT+5:30");
});
