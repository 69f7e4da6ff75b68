import { expect, test } from "vitest";

import { ChannelQueue, QueueFull } from "../../../../src/adapters/slack/send/channel-queue.ts";

test("a channel takes a thousand waiting messages and no more, another goes on, and this one again later", async () => {
  const queue = new ChannelQueue(0);
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
  const queue = new ChannelQueue(0);
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
  const queue = new ChannelQueue(20);
  const { signal } = new AbortController();
  const went: string[] = [];
  const say = (name: string, urgent: boolean): Promise<void> =>
    queue.run("C1", signal, () => Promise.resolve(void went.push(name)), { urgent });
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
