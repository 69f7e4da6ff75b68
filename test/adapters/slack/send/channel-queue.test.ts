import { expect, test } from "vitest";

import { ChannelQueue, QueueFull } from "../../../../src/adapters/slack/send/channel-queue.ts";

test("a channel takes a thousand waiting messages and no more, another goes on, and this one again later", async () => {
  const queue = new ChannelQueue();
  const { signal } = new AbortController();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 1000 }, (_, index) => queue.run("C1", signal, () => gate.then(() => index)));
  await expect(queue.run("C1", signal, () => Promise.resolve(1000))).rejects.toThrow(QueueFull);
  expect(await queue.run("C2", signal, () => Promise.resolve("other"))).toBe("other");
  open();
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  expect(await queue.run("C1", signal, () => Promise.resolve("again"))).toBe("again");
});

test("work that fails or is aborted holds up nothing behind it", async () => {
  const queue = new ChannelQueue();
  const { signal } = new AbortController();
  const given = new AbortController();
  const failed = queue.run("C1", signal, () => Promise.reject(new Error("no")));
  const aborted = queue.run("C1", given.signal, () => Promise.resolve("never"));
  const behind = queue.run("C1", signal, () => Promise.resolve("done"));
  given.abort(new Error("given up"));
  await expect(failed).rejects.toThrow("no");
  await expect(aborted).rejects.toThrow("given up");
  expect(await behind).toBe("done");
});

test("urgent work goes ahead of all that waits, during the pause too, and stays in order", async () => {
  const queue = new ChannelQueue();
  const { signal } = new AbortController();
  const went: string[] = [];
  const say = (name: string, urgent: boolean): Promise<void> => {
    const work = async (): Promise<void> => {
      went.push(name);
      queue.hold("C1", 20);
    };
    return queue.run("C1", signal, work, { urgent });
  };
  await say("first", false);
  const all = ["a", "b"].map((name) => say(name, false));
  // The pause after the first has begun, and it is for "a".
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(queue.hasUrgent("C1")).toBe(false);
  all.push(say("stall", true), say("its end", true));
  expect(queue.hasUrgent("C1")).toBe(true);
  await Promise.all(all);
  expect(went).toEqual(["first", "stall", "its end", "a", "b"]);
});

test("a pause counts from the request, however long its answer takes", async () => {
  const queue = new ChannelQueue();
  const { signal } = new AbortController();
  const went: string[] = [];
  const answer = Promise.withResolvers<void>();
  const request = (channel: string, name: string, answered: Promise<void>): Promise<void> => {
    const work = (): Promise<void> => {
      went.push(name);
      queue.hold(channel, 100);
      return answered;
    };
    return queue.run(channel, signal, work);
  };
  const slow = [request("C1", "slow", answer.promise), request("C1", "behind the slow one", Promise.resolve())];
  // Another channel shows how time passes: its second turn comes once the pause of the first channel is over, too.
  await request("C2", "first", Promise.resolve());
  await request("C2", "second", Promise.resolve());
  answer.resolve();
  await request("C2", "third", Promise.resolve());
  await Promise.all(slow);
  expect(went).toEqual(["slow", "first", "second", "behind the slow one", "third"]);
});
