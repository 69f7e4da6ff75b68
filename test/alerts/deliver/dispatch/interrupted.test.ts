import { expect, it } from "vitest";

import { NONCE_LIFETIME_MILLIS } from "../../../../src/adapters/discord/limits.ts";
import { interruptionPause } from "../../../../src/alerts/deliver/outbox/retry-policy.ts";
import { settled } from "../../../api/virtual-clock.ts";
import { isRepeat } from "../../../support/gist.ts";
import { message, owedWithout, ops } from "./killed.ts";

it.each([
  [1, 10],
  [2, 60],
  [3, 120],
  [4, 240],
  [5, 480],
  [6, 900],
  [7, 900],
  [100, 900],
])("after its death number %i in the midst of sending a process waits for %i s", (interruptions, seconds) => {
  expect(interruptionPause(interruptions)).toBe(seconds * 1000);
});

it("a process that is killed before each receipt and restarted every 5 s sends one message 8 times within an hour", async () => {
  const { stage, sender, start } = await owedWithout();
  const began = stage.now();
  const times: number[] = [];
  for (let restart = 0; restart < 720; restart += 1) {
    const process = await start();
    await stage.clock.advance(4900);
    process.kill();
    await stage.clock.advance(100);
    while (times.length < sender.posts.length) times.push(Math.floor((stage.now() - began) / 5000) * 5);
  }
  expect(times).toEqual([5, 15, 75, 195, 435, 915, 1815, 2715]);
  expect(sender.posts.map(({ reply }) => isRepeat(reply))).toEqual([false, ...Array.from({ length: 7 }, () => true)]);
  sender.take();
}, 60_000);

it("a platform that drops repeats for some minutes is told of a possible repeat from then on, and shows the first one once", async () => {
  const { stage, sender, start } = await owedWithout({ dropsRepeatsForMillis: NONCE_LIFETIME_MILLIS });
  const began = stage.now();
  const times: number[] = [];
  for (let restart = 0; restart < 120; restart += 1) {
    const process = await start();
    await stage.clock.advance(4900);
    process.kill();
    await stage.clock.advance(100);
    while (times.length < sender.posts.length) times.push(Math.floor((stage.now() - began) / 5000) * 5);
  }
  // Those after 15 and 75 s are dropped.
  expect(times).toEqual([5, 195, 435]);
  expect(sender.posts.map(({ reply }) => isRepeat(reply))).toEqual([false, true, true]);
  sender.take();
}, 60_000);

it("the pause counts from the attempt: after a longer absence the message goes at once, and what waits behind it after it", async () => {
  const { stage, id, sender, start, row } = await owedWithout();
  (await start()).kill();
  const next = await stage.owe(ops, message);
  await stage.clock.advance(10_000);
  await start("ok");
  expect(sender.posts.map(({ delivery }) => delivery.id)).toEqual([id, id, next]);
  expect(await row()).toMatchObject({ state: "sent", interruptions: 0 });
  sender.take();
});

it("what waits behind it keeps its place, and what may be critical overtakes it", async () => {
  const { stage, id, sender, start } = await owedWithout();
  (await start()).kill();
  const [behind, critical] = [await stage.owe(ops, message), await stage.owe(ops, message)];
  await stage.store.transaction(({ alerts: { outbox } }) => outbox.update(critical, { urgency: 2 }));
  await start("ok");
  await stage.clock.advance(9999);
  expect(sender.posts.map(({ delivery }) => delivery.id)).toEqual([id, critical]);
  await stage.clock.advance(1);
  expect(sender.posts.map(({ delivery }) => delivery.id)).toEqual([id, critical, id, behind]);
  sender.take();
});

it("a process that stops in order leaves what it could not finish to the next one, without a pause", async () => {
  const { sender, start, row } = await owedWithout();
  await (await start()).stop();
  expect(await row()).toMatchObject({ state: "owed", interruptions: 0 });
  await start("ok");
  expect(sender.posts.map(({ reply }) => isRepeat(reply))).toEqual([false, true]);
  sender.take();
});

it("a clock that was set back while no process ran does not lengthen the pause", async () => {
  const { stage, sender, start, row } = await owedWithout();
  (await start()).kill();
  stage.clock.setWall(-3_600_000);
  await start("ok");
  await stage.clock.advance(9999);
  expect(await row()).toMatchObject({ state: "owed", attempts: 1 });
  await stage.clock.advance(1);
  expect(await row()).toMatchObject({ state: "sent", attempts: 2 });
  sender.take();
});

it("a clock that is set back in the midst of a pause moves its end back with it", async () => {
  const { stage, sender, start, row } = await owedWithout();
  (await start()).kill();
  const process = await start("ok");
  await stage.clock.advance(5000);
  stage.clock.setWall(-3_600_000);
  process.wake();
  await stage.clock.advance(4999);
  expect(await row()).toMatchObject({ state: "owed", attempts: 1 });
  await stage.clock.advance(1);
  expect(await row()).toMatchObject({ state: "sent", attempts: 2 });
  sender.take();
});

it("an edit waits as well, and holds up no message", async () => {
  const { stage, id, sender, start, row } = await owedWithout();
  const first = await start("ok");
  await stage.store.transaction(({ alerts: { outbox } }) => outbox.revise([id], {}, stage.now(), stage.now()));
  sender.update = () => new Promise(() => undefined);
  first.wake();
  await settled();
  first.kill();
  const next = await stage.owe(ops, message);
  await start("ok");
  expect(await row()).toMatchObject({ state: "owed", interruptions: 1, uncertain_since: null });
  expect(sender.posts.map(({ delivery }) => delivery.id)).toEqual([id, next]);
  sender.take();
});
