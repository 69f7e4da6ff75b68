import { expect, it, onTestFinished } from "vitest";

import { createDispatcher } from "../../../../src/alerts/deliver/dispatch/dispatch.ts";
import { type Receipt, SendError } from "../../../../src/alerts/sender.ts";
import { silentLog } from "../../../../src/log.ts";
import { settled } from "../../../api/virtual-clock.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { describeAlert, isRepeat } from "../../../support/gist.ts";
import { oneOfSome, openStage } from "../../stage.ts";
import { PLATFORMS } from "../../../support/platforms.ts";

const ops = { platform: "fake", channel: "ops" };
const message = { type: "test", by: "ada", at: "1" } as const;

/** A process that others take for dead in the middle of a send, and the one that takes its delivery over. */
async function takenOver() {
  const stage = await openStage({ isShared: true });
  const answer = Promise.withResolvers<Receipt>();
  const [first] = stage.senders;
  first!.send = () => answer.promise;
  const id = await stage.owe(ops, message);
  await settled();
  expect((await stage.delivery(id))?.row.state).toBe("sending");
  const sender = new FakeSender({ now: () => stage.now() });
  const stop = new AbortController();
  const other = createDispatcher({
    random: Math.random,
    store: { ...stage.store, processes: oneOfSome() },
    clock: stage.clock,
    log: silentLog(),
    senders: [sender],
    describe: describeAlert,
    platforms: PLATFORMS,
  });
  const running = other.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await settled();
  /** Only the other one notices that the pause is over: the first one is frozen. */
  const afterPause = async (): Promise<void> => {
    stage.clock.setWall(10_000);
    other.wake();
    await settled();
  };
  return { stage, id, sender, answer, wake: () => other.wake(), afterPause };
}

it("a delivery of a process that lives no more is sent again, and says that it may be a repeat", async () => {
  const { stage, id, sender, answer, afterPause } = await takenOver();
  expect(sender.posts).toEqual([]);
  await afterPause();
  expect(sender.posts.map(({ delivery, reply }) => [delivery.id, isRepeat(reply)])).toEqual([[id, true]]);
  expect((await stage.delivery(id))?.row).toMatchObject({ state: "sent", attempts: 2 });
  answer.reject(new SendError("retry", "the token is refused"));
  await settled();
  sender.take();
});

it("a process that was taken for dead changes nothing when its send fails", async () => {
  const { stage, id, sender, answer } = await takenOver();
  const before = await stage.delivery(id);
  answer.reject(new SendError("permanent", "no such channel"));
  await settled();
  expect(await stage.delivery(id)).toEqual(before);
  expect(await stage.engine.decisions({ destination: "fake//ops/", limit: 9 })).toMatchObject([
    { what: "outcome unknown" },
  ]);
  sender.take();
});

it("a process that was taken for dead tells where its message arrived, before it is sent again", async () => {
  const { stage, id, sender, answer, afterPause } = await takenOver();
  answer.resolve({ platform: "fake", channel: "ops", message: "first" });
  await settled();
  await afterPause();
  expect(sender.posts).toEqual([]);
  expect(await stage.delivery(id)).toMatchObject({ row: { state: "sent" }, receipt: { message: "first" } });
});

it("a process that was taken for dead tells where its message arrived, which is edited to say that there are two", async () => {
  const { stage, id, sender, answer, wake, afterPause } = await takenOver();
  await afterPause();
  const [sent] = sender.posts;
  answer.resolve({ platform: "fake", channel: "ops", message: "first" });
  await settled();
  wake();
  await settled();
  expect((await stage.delivery(id))?.receipt).toMatchObject({ message: sent!.message });
  expect((await stage.engine.decisions({ destination: "fake//ops/", limit: 9 })).map(({ what }) => what)).toContain(
    "sent twice",
  );
  sender.take();
  sender.takeEdits();
  stage.sender.takeEdits();
});
