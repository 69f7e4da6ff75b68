import { expect, test } from "vitest";

import { reply } from "../../../../src/reply/reply.ts";
import { textOf } from "../../../support/fake-discord/person.ts";
import { stage } from "../stage.ts";

// Discord's limits in real time: 50 requests in any second over all, 5 messages in 5 s per channel.

const { signal } = new AbortController();

test("many messages to many channels meet no refusal, and keep each channel's order", async () => {
  await using on = await stage({ simulated: false });
  on.fake.enforceLimits = true;
  const channels = Array.from({ length: 50 }, () => on.fake.channel());
  const send = (index: number): Promise<unknown> =>
    on.adapter.send(
      { id: `slow-${index}`, destination: { platform: "discord", channel: channels[index % 50] ?? "" } },
      reply({ title: String(index).padStart(4, "0") }),
      signal,
    );
  await Promise.all(Array.from({ length: 400 }, (_, index) => send(index)));
  expect(on.fake.limits.refusals).toBe(0);
  for (const channel of channels) {
    const titles = [...on.fake.state.messages.values()].filter((one) => one.channel === channel).map(textOf);
    expect([titles.length, titles]).toEqual([8, titles.toSorted()]);
  }
});

test("a global 429 holds everything back for as long as it says, and nothing is lost", async () => {
  await using on = await stage({ simulated: false });
  const body = { message: "You are being rate limited.", retry_after: 1, global: true };
  const headers = { "retry-after": "1", "x-ratelimit-global": "true", "x-ratelimit-scope": "global" };
  on.fake.fail({ path: /messages$/u, answer: { status: 429, headers, body } });
  const channels = Array.from({ length: 5 }, () => on.fake.channel());
  await Promise.all(
    channels.map((channel, index) =>
      on.adapter.send(
        { id: `g-${index}`, destination: { platform: "discord", channel } },
        reply({ title: "x" }),
        signal,
      ),
    ),
  );
  const posts = on.fake.requests.filter((one) => one.path.endsWith("/messages"));
  const refused = posts.find((one) => one.status === 429)!;
  const after = posts.filter((one) => one.at > refused.at && one.status === 200);
  expect(posts.filter((one) => one.status === 429)).toHaveLength(1);
  expect(after.filter((one) => one.at - refused.at > 900).length).toBeGreaterThan(0);
});

test("channels that give no answer keep no other waiting", async () => {
  await using on = await stage({ simulated: false });
  const hanging = Array.from({ length: 120 }, () => on.fake.channel());
  const channel = on.fake.channel();
  const hangs = (path: string): boolean => hanging.some((one) => path === `/channels/${one}/messages`);
  on.fake.misbehave = ({ path }) => (hangs(path) ? "hang-before" : undefined);
  const leave = new AbortController();
  let ended = 0;
  const all = [...hanging, channel].map(async (one, index) => {
    const delivery = { id: `h-${index}`, destination: { platform: "discord", channel: one } };
    try {
      return await on.adapter.send(delivery, reply({ title: "Stalled" }), leave.signal);
    } finally {
      ended += 1;
    }
  });
  await all.at(-1);
  expect(ended).toBe(1);
  leave.abort();
  await Promise.allSettled(all);
});
