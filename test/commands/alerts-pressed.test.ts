import { expect, test } from "vitest";

import { isRepeat } from "../support/gist.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { saying } from "../support/said.ts";
import { ann, deliver, ELSEWHERE, oneNodeDown, OPS, ops, shown } from "./alert-channel.ts";
import { destinationKey } from "../../src/alerts/destination.ts";

test.each(["Acknowledge", "Silence 1 h"])(
  "%s pressed on a copy that no receipt is known of takes the buttons of that copy",
  async (label) => {
    const talk = await oneNodeDown();
    const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
    sender.outcome = (what, tries) =>
      tries === 1 && "about" in what && what.about?.state === "firing" ? "posted-unknown" : "ok";
    await deliver(talk, sender);
    const [first, repeat] = sender.posts.filter(({ gist }) => gist.startsWith("warning"));
    expect([isRepeat(first!.reply), isRepeat(repeat!.reply)]).toEqual([false, true]);
    const action = first!.reply.actions.find((one) => one.label === label);
    if (action === undefined || !("invocation" in action)) throw new Error("no such button");
    const pressed = { platform: "discord", channel: repeat!.delivery.destination.channel, message: first!.message };
    const asked = { here: OPS, caller: ann, signal: AbortSignal.timeout(5000), ...action.invocation, pressed };
    expect(shown(await talk.bot.run(asked))).toMatch(saying("✓", "a:1"));
    await deliver(talk, sender);
    const tidied = sender.edits.filter(({ message }) => message === first!.message);
    expect(tidied.map(({ reply }) => reply.actions)).toEqual([[]]);
  },
);

test("in the thread of an alert its buttons concern the channel that was told, and in no other thread", async () => {
  const talk = await oneNodeDown();
  const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
  await deliver(talk, sender);
  const alert = sender.posts.find(({ gist }) => gist.startsWith("warning"))!;
  const [episode] = await talk.engine.openEpisodes();
  // On Discord a thread has the id of the message that it was begun at.
  const thread = { ...OPS, channel: alert.message };
  talk.become({ here: ELSEWHERE });
  expect(await talk.ask(`alerts ack "${episode!.id}"`)).toMatch(
    saying("!", "node outages", episode!.subject, "alerts add node.down"),
  );
  talk.become({ here: thread });
  expect(await talk.ask(`alerts silence "${episode!.id}" 1h`)).toMatch(saying("✓", "node outages", "until 13:00 UTC"));
  expect((await talk.engine.silences()).map(({ scope }) => scope.destination)).toEqual([destinationKey(ops)]);
  expect(await talk.ask(`alerts ack "${episode!.id}"`)).toMatch(saying("✓", "a:1", "mainnet"));
  expect((await talk.engine.openEpisodes())[0]?.acknowledged?.by).toBe(ann.name);
});
