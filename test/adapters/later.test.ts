import { afterAll, beforeAll, expect, test } from "vitest";

import { command } from "../../src/bot/command.ts";
import { amended, commandAction, invalidatingAction, reply, type Reply } from "../../src/reply/reply.ts";
import { text } from "../../src/reply/text.ts";
import { labelsOf as labelsOnDiscord, textOf } from "../support/fake-discord/person.ts";
import { until } from "../support/fake-discord/until.ts";
import { labelsOf } from "../support/fake-slack/person.ts";
import { stage as discordStage, type Stage as DiscordStage } from "./discord/stage.ts";
import { said } from "./slack/shown.ts";
import { stage as slackStage, type Stage as SlackStage } from "./slack/stage.ts";

// What is added to an answer comes by editing it, or by a message of its own to whoever asked.

const given = reply({
  title: "Subscribed",
  actions: [commandAction("Add more", "probe later"), invalidatingAction("Change it", "probe later", {})],
});
const whole = amended(given, text`It would have told you twice.`, [commandAction("Undo", "probe later")]);
const SENTENCE = "It would have told you twice.";
let coming: PromiseWithResolvers<Reply | undefined>;
const stops: AbortSignal[] = [];

const later = command({
  name: "probe later",
  summary: "For tests",
  changes: true,
  access: "everyone",
  shownBy: "time",
  run: async () => ({
    ...given,
    later: (signal) => {
      stops.push(signal);
      return coming.promise;
    },
  }),
});

let discord: DiscordStage;
let slack: SlackStage;

beforeAll(async () => {
  const options = { extra: [later], simulated: false };
  [discord, slack] = await Promise.all([
    discordStage({ ...options, timing: { deferAfterMillis: 2500 } }),
    slackStage(options),
  ]);
});
afterAll(async () => {
  await Promise.all([discord, slack].map((one) => one[Symbol.asyncDispose]()));
});

test.each(["yes", "no"] as const)("on Discord the answer is edited (private:%s)", async (hidden) => {
  coming = Promise.withResolvers();
  const ann = discord.fake.person("Ann");
  const dialog = await ann.run(discord.channel, "probe later", { private: hidden === "yes" });
  expect([textOf(dialog.last).includes(SENTENCE), dialog.last.edits]).toEqual([false, 0]);
  coming.resolve(whole);
  await until(() => dialog.last.edits === 1, "the edit");
  expect(textOf(dialog.last)).toContain(SENTENCE);
  expect(textOf(dialog.last)).toContain("Subscribed");
  expect(dialog.messages).toHaveLength(1);
  expect(labelsOnDiscord(dialog.last)).toEqual(expect.arrayContaining(["Add more", "Undo"]));
});

test("on Discord an answer that takes the place of the message is edited, too", async () => {
  coming = Promise.withResolvers();
  coming.resolve(undefined);
  stops.length = 0;
  const ann = discord.fake.person("Ann");
  const dialog = await ann.run(discord.channel, "probe later", { private: true });
  await until(() => stops.length === 1, "the wait");
  coming = Promise.withResolvers();
  const pressed = ann.press(dialog.last, "Change it");
  await until(() => dialog.last.edits === 1, "the answer");
  expect(textOf(dialog.last)).not.toContain(SENTENCE);
  coming.resolve(whole);
  await pressed;
  await until(() => textOf(dialog.last).includes(SENTENCE), "the sentence");
  expect(labelsOnDiscord(dialog.last)).toEqual(expect.arrayContaining(["Change it", "Undo"]));
});

test("on Discord an answer that nothing is added to is left alone", async () => {
  coming = Promise.withResolvers();
  const dialog = await discord.fake.person("Ann").run(discord.channel, "probe later");
  coming.resolve(undefined);
  const next = await discord.fake.person("Ann").run(discord.channel, "time");
  expect([next.messages.length, dialog.last.edits]).toEqual([1, 0]);
});

test("on Slack the answer to a command is replaced, for the asker alone", async () => {
  coming = Promise.withResolvers();
  const dialog = await slack.fake.person("ann").run(slack.channel, "probe later");
  expect(said(dialog.last)).not.toContain(SENTENCE);
  coming.resolve(whole);
  await until(() => said(dialog.last).includes(SENTENCE), "the edit");
  expect(said(dialog.last)).toContain("Subscribed");
  expect(labelsOf(dialog.last.blocks)).toContain("Undo");
  expect(dialog.messages).toHaveLength(1);
});

test("on Slack what stands below a button cannot be edited: what is added comes by itself", async () => {
  coming = Promise.withResolvers();
  const bea = slack.fake.person("bea");
  const first = await bea.run(slack.channel, "probe later");
  const below = await bea.press(first.last, "Add more");
  const before = below.messages.length;
  coming.resolve(whole);
  await until(() => below.messages.length > before, "the sentence");
  expect(said(below.last)).toContain(SENTENCE);
  expect(said(below.last)).not.toContain("Subscribed");
  expect(labelsOf(below.last.blocks)).toEqual(["Undo"]);
});

test("nothing is waited for once the bot stops", async () => {
  coming = Promise.withResolvers();
  stops.length = 0;
  const other = await slackStage({ extra: [later] });
  await other.fake.person("ann").run(other.channel, "probe later");
  await until(() => stops.length === 1, "the wait");
  expect(stops[0]?.aborted).toBe(false);
  await other[Symbol.asyncDispose]();
  expect(stops[0]?.aborted).toBe(true);
});
