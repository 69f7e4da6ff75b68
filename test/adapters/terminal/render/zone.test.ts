import { expect, test } from "vitest";

import { localRunner } from "../../../../src/adapters/terminal/line-runner.ts";
import { renderTerminal } from "../../../../src/adapters/terminal/render/render.ts";
import { field, fields, paragraph, table } from "../../../../src/reply/block.ts";
import { reply, type Reply } from "../../../../src/reply/reply.ts";
import { clockTime, text, time } from "../../../../src/reply/text.ts";
import { fromMillis } from "../../../../src/units/time.ts";
import { NOON } from "../../../support/talk.ts";
import { talkToSimulator } from "../../../commands/conversation.ts";

const at = (minutes: number) => fromMillis(Date.UTC(2026, 6, 1, 10, minutes));
const now = at(30);
const shown = (given: Parameters<typeof reply>[0], zone?: string): string =>
  render({ ...reply(given), ...(zone === undefined ? {} : { zone }) });
const render = (given: Reply): string => renderTerminal(given, { width: 100, colour: false, links: false, now });
const rows = [0, 1];
const whenTable = table<number>({
  name: "t",
  rows,
  columns: [
    ["N", (n) => `${n}`],
    ["When", (n) => time(at(n))],
  ],
});

test("all times stand by the clock of the chosen zone, which is named once", () => {
  const given = {
    title: text`Since ${time(at(1))}`,
    blocks: [fields([field("Ends", time(at(2), "both"))]), whenTable],
    footer: text`read ${time(at(3))}`,
  };
  const said = shown(given, "Europe/Zurich");
  expect(said).toContain("Since 2026-07-01 12:01:00 Europe/Zurich");
  expect(said).toContain("2026-07-01 12:02:00 (28 min ago)");
  expect(said).toMatch(/^0 {2}2026-07-01 12:00:00$/mu);
  expect(said).toContain("read 2026-07-01 12:03:00");
  expect(said.split("Europe/Zurich")).toHaveLength(2);
  expect(shown(given).split("UTC")).toHaveLength(2);
});

test("a field names the zone before the footer does, and before words below it; a table never does", () => {
  const blocks = [fields([field("Ends", time(at(2)))]), paragraph("Open since 09:12 UTC.")];
  const said = shown({ title: "x", blocks: [whenTable, ...blocks], footer: text`read ${time(at(3))}` });
  expect(said).toContain("Ends  2026-07-01 10:02:00 UTC\n");
  expect(said).toMatch(/read 2026-07-01 10:03:00$/mu);
  expect(shown({ title: "x", blocks })).toContain("2026-07-01 10:02:00 UTC");
  expect(shown({ title: "x", blocks: [whenTable], footer: "mainnet" }, "Asia/Tokyo")).toContain(
    "mainnet · times in Asia/Tokyo",
  );
  expect(shown({ title: "x", blocks: [paragraph(time(at(0), "relative"))] }, "Asia/Tokyo")).not.toContain("Tokyo");
});

test("behind a time of day the first one with its day names the zone too", () => {
  const when = paragraph(text`From ${time(at(0))} to ${time(at(2))}.`);
  const said = shown({ title: text`Known since ${time(at(1), "clock")}`, blocks: [when] });
  expect(said).toContain("Known since 10:01 UTC\n");
  expect(said).toContain("From 2026-07-01 10:00:00 UTC to 2026-07-01 10:02:00.");
});

test("what names its zone is not named again", () => {
  const named = text`Told since ${clockTime(at(0), "12:00")} (Europe/Zurich)`;
  expect(shown({ title: named, blocks: [whenTable] }, "Europe/Zurich").split("Zurich")).toHaveLength(2);
});

test("a line in the terminal is answered by the clock of the zone that was chosen there", async () => {
  const talk = await talkToSimulator();
  const runner = localRunner(talk.bot);
  const ask = async (line: string): Promise<string> =>
    renderTerminal(await runner.run(line, { signal: AbortSignal.timeout(10_000) }), {
      width: 100,
      colour: false,
      links: false,
      now: NOON,
    });
  expect(await ask("time")).toContain("2026-01-15 11:59:59 UTC");
  await ask("my zone europe/zurich");
  const said = await ask("time");
  expect(said).toContain("2026-01-15 12:59:59 Europe/Zurich");
  expect(said).not.toMatch(/UTC|11:59/u);
});
