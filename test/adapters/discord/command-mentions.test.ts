import { expect, test } from "vitest";

import { commands } from "../../../commands/index.ts";
import { CommandMentions } from "../../../src/adapters/discord/command-mentions.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { reply } from "../../../src/reply/reply.ts";
import { code, commandLine, text } from "../../../src/reply/text.ts";
import { textOf } from "../../support/fake-discord/person.ts";
import { renderDiscord } from "../../../src/adapters/discord/render/render.ts";
import { textsIn } from "./judge.ts";
import { stage } from "./stage.ts";

const REGISTERED = [
  { name: "alerts", id: "71" },
  { name: "help", id: "72" },
  { name: "order", id: "73" },
];

function known(guild?: string): CommandMentions {
  const mentions = new CommandMentions();
  mentions.learn(REGISTERED, commands, guild);
  return mentions;
}

test.each([
  ["alerts add", "</alerts add:71>"],
  ["alerts add markets BTC/USDT", "</alerts add:71> `kinds:markets subjects:BTC/USDT`"],
  ["alerts silence all 1h", "</alerts silence:71> `what:all for:1h`"],
  ["alerts edit <id> quiet:22:00-07:00", "</alerts edit:71> `<id> quiet:22:00-07:00`"],
  ["help market show", "</help:72> `command:market show`"],
  ["order <id> [version] …", "</order:73> `<id> [version] …`"],
  // What the grammar refuses stays as it was written.
  ["help --nothing", "</help:72> `--nothing`"],
  ["alerts add `kinds`", "</alerts add:71> ``kinds:`kinds` ``"],
  // Not registered, and no command at all.
  ["market show BTC/USDT", undefined],
  ["helpful", undefined],
  ["alerts", undefined],
  ["", undefined],
])("the line %j is mentioned as %s", (line, mention) => {
  expect(known().in(undefined)(line)).toBe(mention);
});

test("what is registered in one server is mentioned there alone", () => {
  expect([undefined, "1", "2"].map((guild) => known("1").in(guild)("help"))).toEqual([
    undefined,
    "</help:72>",
    undefined,
  ]);
});

test("an alert in a channel mentions what is registered in one server alone; a direct message has the line to type", () => {
  expect([false, true].map((isDirect) => known("1").inAlert(isDirect)("help"))).toEqual(["</help:72>", undefined]);
  expect([false, true].map((isDirect) => known().inAlert(isDirect)("help"))).toEqual(["</help:72>", "</help:72>"]);
});

test("a line to type is a mention, in text and by itself; what only looks like one stays as it is", () => {
  const said = reply({
    title: "Said",
    blocks: [
      paragraph(text`${commandLine("alerts add")} not ${code("help")}, nor ${commandLine("time")}`),
      { kind: "code", text: "alerts log", command: true },
      { kind: "code", text: "help" },
    ],
  });
  const shown = (mention?: ReturnType<CommandMentions["in"]>): string =>
    textsIn(renderDiscord(said, { mention }).components).join("\n");
  expect(shown(known().in(undefined))).toContain(
    "</alerts add:71> not `help`, nor `/time`\n\n</alerts log:71>\n```\nhelp",
  );
  expect(shown()).toContain("`/alerts add` not `help`, nor `/time`\n```\n/alerts log\n```\n```\nhelp");
});

test("replies and mistakes mention what to run, by the ids that Discord gave", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  const ids = new Map([...on.fake.state.commands.values()].flat().map(({ name, id }) => [name, id]));
  const empty = await ann.run(on.channel, "alerts list");
  expect(textOf(empty.last)).toContain(`</alerts add:${ids.get("alerts")}>`);
  const wrong = await ann.run(on.channel, "help", { command: "marktes" });
  expect(textOf(wrong.last)).toContain(`</help:${ids.get("help")}>`);
  // A process that finds everything registered learns the ids from Discord's list.
  await on.restart();
  const again = await ann.run(on.channel, "alerts list");
  expect(textOf(again.last)).toContain(`</alerts add:${ids.get("alerts")}>`);
});

test("an alert mentions commands where they are registered in one server alone", async () => {
  await using on = await stage({ guildId: "700000000000000001" });
  const ids = new Map([...on.fake.state.commands.values()].flat().map(({ name, id }) => [name, id]));
  const alert = reply({ title: "Stalled", blocks: [paragraph(text`${commandLine("alerts log")} has each.`)] });
  const { signal } = new AbortController();
  const said = async (channel: string, id: string): Promise<string> => {
    const sent = await on.adapter.send({ id, destination: { platform: "discord", channel } }, alert, signal);
    await on.adapter.update(sent, alert, signal);
    return JSON.stringify(on.fake.state.messages.get(sent.message)?.embeds);
  };
  expect(await said(on.channel, "d1")).toContain(`</alerts log:${ids.get("alerts")}> has each`);
  expect(await said(`user:${on.fake.person("Ann").id}`, "d2")).toContain("`/alerts log` has each");
});
