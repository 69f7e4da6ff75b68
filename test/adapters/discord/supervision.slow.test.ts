import { expect, test } from "vitest";

import { reply } from "../../../src/reply/reply.ts";
import { textOf } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";
import { probes } from "./probe-commands.ts";
import { stage } from "./stage.ts";
import { watchForRejections } from "./watch-for-rejections.ts";

// Cases that take seconds: discord.js waits 5 s between two Identifies, as Discord demands.

watchForRejections();

const begin = (stuckMillis: number): ReturnType<typeof stage> =>
  stage({ simulated: false, extra: probes, timing: { backoffMillis: 20, stuckMillis } });

test("a session that Discord forgot is begun anew", async () => {
  await using on = await begin(60_000);
  on.fake.gateway.close(4000, { forget: true });
  await until(() => on.fake.gateway.seen.identify === 2 && on.adapter.health.state === "up", "the new session", 15_000);
});

test("Discord gone for long, then back: healthy again, and nothing else was touched", async () => {
  await using on = await begin(400);
  on.fake.offline = true;
  on.fake.gateway.refuse = true;
  on.fake.gateway.cut();
  await until(() => on.adapter.health.state === "down", "the loss");
  const sending = on.adapter.send(
    { id: "d1", destination: { platform: "discord", channel: on.channel } },
    reply({ title: "x" }),
    AbortSignal.timeout(5000),
  );
  await expect(sending).rejects.toMatchObject({ name: "SendError" });
  // Longer than the watchdog's time limit.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(on.adapter.health.state).toBe("down");
  on.fake.offline = false;
  on.fake.gateway.refuse = false;
  await until(() => on.adapter.health.state === "up", "the recovery", 15_000);
  const ann = on.fake.person("Ann");
  expect(textOf((await ann.run(on.channel, "probe buttons")).last)).toContain("Page 1");
}, 30_000);

test.each([1000, 4003, 4005, 4007, 4008])(
  "a gateway closed with %i, which ends the session, comes back by itself",
  async (code) => {
    await using on = await begin(60_000);
    on.fake.gateway.close(code);
    await until(() => on.adapter.health.state === "down", "the loss to be noticed");
    await until(() => on.adapter.health.state === "up", "the recovery", 15_000);
    expect(on.fake.gateway.seen).toMatchObject({ identify: 2, resume: 0 });
  },
);

test("where Discord asks for more connections than there are, as many as it recommends are made at once", async () => {
  await using on = await begin(60_000);
  on.fake.gateway.shards = 2;
  on.fake.gateway.close(4011, { forget: true });
  await until(() => on.fake.gateway.connections === 2 && on.adapter.health.state === "up", "both connections", 15_000);
});
