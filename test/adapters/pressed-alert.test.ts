import { expect, test } from "vitest";

import { encodePress as encodeDiscord } from "../../src/adapters/discord/render/press.ts";
import { encodePress as encodeSlack } from "../../src/adapters/slack/render/press.ts";
import type { Receipt } from "../../src/alerts/sender.ts";
import { reply } from "../../src/reply/reply.ts";
import { stage as onDiscord } from "./discord/stage.ts";
import { until } from "../support/fake-discord/until.ts";
import { probe } from "./slack/probe-commands.ts";
import { stage as onSlack } from "./slack/stage.ts";

const ask = { command: "probe press", options: {} };

/** A command that notes the message whose button asked for it. */
function noting() {
  const pressed: (Receipt | undefined)[] = [];
  const command = probe(ask.command, (context) => {
    pressed.push(context.pressed);
    return Promise.resolve(reply({ title: "Noted", actions: [{ label: "Again", invocation: ask, effect: "reply" }] }));
  });
  return { pressed, command };
}

test("on Discord a command learns the message of an alert's button, and none of an answer's", async () => {
  const { pressed, command } = noting();
  await using scene = await onDiscord({ extra: [command] });
  const ann = scene.fake.person("ann");
  const { last } = await ann.run(scene.channel, ask.command);
  await ann.press(last, "Again");
  const custom_id = encodeDiscord({ kind: "ask", ask, effect: "reply" }, 0)!;
  Object.assign(last, { components: [{ type: 1, components: [{ type: 2, style: 2, label: "Alert", custom_id }] }] });
  await ann.press(last, "Alert");
  expect(pressed).toEqual([undefined, undefined, { platform: "discord", channel: scene.channel, message: last.id }]);
});

test("on Slack a command learns the message of an alert's button, and none of an answer's", async () => {
  const { pressed, command } = noting();
  await using scene = await onSlack({ extra: [command] });
  const ann = scene.fake.person("ann");
  const { last } = await ann.run(scene.channel, ask.command);
  await ann.press(last, "Again");
  const value = encodeSlack({ kind: "ask", ask, effect: "reply" })!;
  const button = { type: "button", action_id: "press:0", text: { type: "plain_text", text: "Alert" }, value };
  Object.assign(last, { blocks: [{ type: "actions", elements: [button] }] });
  ann.startPress(last, "Alert");
  await until(() => pressed.length === 3, "the command");
  expect(pressed).toEqual([undefined, undefined, { platform: "slack", channel: scene.channel, message: last.ts }]);
});
