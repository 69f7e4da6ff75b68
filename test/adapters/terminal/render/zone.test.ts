import { expect, test } from "vitest";

import { localRunner } from "../../../../src/adapters/terminal/line-runner.ts";
import { renderTerminal } from "../../../../src/adapters/terminal/render/render.ts";
import { field, fields, paragraph, table } from "../../../../src/reply/block.ts";
import { reply, type Reply } from "../../../../src/reply/reply.ts";
import { text, time } from "../../../../src/reply/text.ts";
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

test("each time stands by the clock of the chosen zone and names it; in a table the head does", () => {
  const given = {
    title: text`Since ${time(at(1))}`,
    blocks: [fields([field("Ends", time(at(2), "both"))]), whenTable],
    footer: text`read ${time(at(3), "clock")}`,
  };
  const said = shown(given, "Europe/Zurich");
  expect(said).toContain("Since 2026-07-01 12:01:00 Europe/Zurich");
  expect(said).toContain("2026-07-01 12:02:00 Europe/Zurich (28 min ago)");
  expect(said).toMatch(/^N {2}When \(Europe\/Zurich\)$/mu);
  expect(said).toMatch(/^0 {2}2026-07-01 12:00:00$/mu);
  expect(said).toMatch(/read 12:03 Europe\/Zurich$/mu);
  expect(shown(given)).toContain("When (UTC)");
});

test("an age needs no zone", () => {
  expect(shown({ title: "x", blocks: [paragraph(time(at(0), "relative"))] }, "Asia/Tokyo")).not.toContain("Tokyo");
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
