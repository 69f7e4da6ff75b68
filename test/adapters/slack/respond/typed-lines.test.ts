import { expect, test } from "vitest";

import { paragraph } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { code, commandLine, text, toText } from "../../../../src/reply/text.ts";
import { choicesOf } from "../../../support/fake-slack/person.ts";
import { senderOn } from "../sending.ts";
import { probe } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

// A line to type begins with the slash command, wherever a reply says it; what merely looks like one does not.

const line = commandLine("market show BTC/USDT");
const everywhere = reply({
  title: text`Type ${line}`,
  blocks: [
    paragraph(text`First ${line}, not ${code("time")}`),
    { kind: "fields", fields: [{ name: toText("Next"), value: [line] }] },
    { kind: "list", items: [[line]] },
    { kind: "table", name: "t", columns: [{ title: "Line" }], rows: [[[line]]] },
    { kind: "table", name: "u", columns: [{ title: "Line" }], rows: [], empty: text`None; ${line}` },
    { kind: "code", text: "alerts add", command: true },
    { kind: "code", text: "stake" },
  ],
  footer: text`Also ${line}`,
});

test("an answer says the slash command in each place, and after Details once", async () => {
  await using scene = await stage({ extra: [probe("probe lines", () => Promise.resolve(everywhere))] });
  const ann = scene.fake.person("ann");
  const { last } = await ann.run(scene.channel, "probe lines");
  const shown = said(last);
  expect(shown.match(/\/bell market show BTC\/USDT/gu)).toHaveLength(7);
  expect(shown.match(/(?<!\/bell )market show/gu)).toBeNull();
  expect(shown).toContain("/bell alerts add");
  expect(shown).not.toMatch(/\/bell (?:time|stake|\/bell)/u);
  await ann.press(last, "Share");
  const shared = ann.sees(scene.channel).at(-1)!;
  expect(said(shared).match(/\/bell market show/gu)).toHaveLength(7);
  expect(said(shared)).not.toContain("/bell /bell");
});

test.each([undefined, true] as const)("an alert does, too (plain: %s)", async (plain) => {
  await using scene = await stage();
  const sender = senderOn(scene.fake.apiUrl, { command: "/vega" });
  const destination = { platform: "slack", channel: scene.channel };
  const delivery = { id: "1", destination, subject: "s", ...(plain === undefined ? {} : { plain }) };
  await sender.send(delivery, everywhere, AbortSignal.timeout(5000));
  const [message] = scene.fake.state.messages;
  const shown = `${message?.text ?? ""}\n${message === undefined ? "" : said(message)}`;
  expect(shown).toContain("/vega market show BTC/USDT");
  expect(shown).toContain("/vega alerts add");
  expect(shown).not.toMatch(/(?<!\/vega )market show/u);
});

test("help is a choice of topics", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { last } = await ann.run(scene.channel, "help");
  const topics = choicesOf(last.blocks).filter((choice) => choice.startsWith("Help about: "));
  expect(topics).toEqual(expect.arrayContaining(["market", "alerts", "ledger"].map((topic) => `Help about: ${topic}`)));
  expect(said((await ann.press(last, "Help about: alerts")).last)).toContain("/bell alerts silence");
});

test("help, a typing error and a field's error do", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  expect(said((await ann.run(scene.channel, "help")).last)).toContain("/bell time");
  expect(said((await ann.run(scene.channel, "help market show")).last)).toContain("/bell market show BTC/USDT");
  expect(said((await ann.run(scene.channel, "markt list")).last)).toContain("Did you mean market list?");
  expect(said((await ann.run(scene.channel, "network status")).last)).toContain("mainnet is healthy");
  ann.shortcut("Ask Bellwether");
  const errors = await ann.submit(await ann.form(), { "ask:line": "markt list" });
  expect(errors["ask:line"]).toContain("Did you mean market list?");
  await ann.submit(await ann.form(), { "ask:line": "network status" });
  expect(JSON.stringify(await ann.answerInView())).toContain("mainnet is healthy");
});
