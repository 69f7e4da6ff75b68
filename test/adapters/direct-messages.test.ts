import { expect, test } from "vitest";

import { delivering } from "../support/delivering.ts";
import { textOf as textOfDiscord } from "../support/fake-discord/person.ts";
import { textOf as textOfSlack } from "../support/fake-slack/person.ts";
import { stage as onDiscord } from "./discord/stage.ts";
import { stage as onSlack } from "./slack/stage.ts";
import { PLATFORMS } from "../support/platforms.ts";

// A direct message is promised once one has arrived.

const PROMISE = /You will be told/u;
const WATCH = { kinds: "stake.changed", subjects: "ab".repeat(32) };

test("on Discord: to who takes none, none is promised, with what to do", async () => {
  await using scene = await onDiscord({ delivers: true });
  await using _ = delivering(scene.store, scene.adapter);
  const { fake } = scene;
  fake.expected.add(50_007);
  const ann = fake.person("ann");
  const direct = fake.direct(ann);
  const sent = () => [...fake.state.messages.values()].filter(({ channel }) => channel === direct).map(textOfDiscord);
  fake.state.channels.get(direct)!.gone = "no-access";
  const refused = textOfDiscord((await ann.run(scene.channel, "alerts add", WATCH)).last);
  expect(refused).not.toMatch(PROMISE);
  expect(refused).toContain(PLATFORMS.chat("discord")!.directMessagesRemedy);
  // Once the cause is mended:
  fake.state.channels.get(direct)!.gone = undefined;
  const again = await ann.run(scene.channel, "alerts add", { ...WATCH, subjects: "cd".repeat(32) });
  expect(textOfDiscord(again.last)).toMatch(PROMISE);
  expect(sent().join()).toContain("Alerts arrive here");
  // In direct messages, for other kinds, the same holds.
  const bob = fake.person("bob");
  fake.state.channels.get(fake.direct(bob))!.gone = "no-access";
  const other = textOfDiscord((await bob.run(fake.direct(bob), "alerts add", { kinds: "node.down" })).last);
  expect(other).toContain(PLATFORMS.chat("discord")!.directMessagesRemedy);
});

test("on Slack: without the scope for them, none is promised, with what to do", async () => {
  await using scene = await onSlack({ delivers: true });
  await using _ = delivering(scene.store, scene.adapter);
  const { channel, fake } = scene;
  const line = `alerts add stake.changed ${WATCH.subjects}`;
  fake.expected.add("missing_scope");
  fake.state.scopes.delete("im:write");
  const refused = textOfSlack((await fake.person("ann").run(channel, line)).last);
  expect(refused).not.toMatch(PROMISE);
  expect(refused).toContain(PLATFORMS.chat("slack")!.directMessagesRemedy);
  fake.state.scopes.add("im:write");
  const bob = fake.person("bob");
  expect(textOfSlack((await bob.run(channel, line)).last)).toMatch(PROMISE);
  expect(bob.sees(fake.state.direct(bob.id).id).map(textOfSlack).join()).toContain("Alerts arrive here");
});
