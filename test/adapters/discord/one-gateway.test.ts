import { expect, test } from "vitest";

import type { SharedToken } from "../../../src/alerts/sender.ts";
import { until } from "../../support/fake-discord/until.ts";
import { stage } from "./stage.ts";

// Discord gives every connection every interaction. Of several processes, one has the gateway.

/** One of two processes: \`begin\` gives it the gateway, \`end\` takes it away. */
function process() {
  let [begin, end]: (undefined | (() => unknown))[] = [];
  const shared: SharedToken = {
    isAlive: () => true,
    live: 2,
    add: (_name, work) => {
      begin = () => (end = work());
    },
  };
  return { shared, begin: () => begin?.(), end: async () => end?.() };
}

test("one process answers, both are up and know the commands, and the other takes over", async () => {
  const [first, second] = [process(), process()];
  await using scene = await stage({ shared: first.shared, connect: false });
  const { fake, adapter } = scene;
  await until(() => fake.state.commands.size > 0, "the commands, registered without a gateway");
  expect(adapter.health.state).toBe("up");
  expect(fake.gateway.seen.identify).toBe(0);
  first.begin();
  await until(() => fake.gateway.seen.identify === 1, "the first gateway");
  const twin = await scene.twin(second.shared);
  expect(twin.health.state).toBe("up");
  const ann = fake.person("ann");
  // The fake complains where an interaction is answered twice.
  expect((await ann.run(scene.channel, "time")).last).toBeDefined();
  expect(fake.gateway.seen.identify).toBe(1);
  await first.end();
  second.begin();
  await until(() => fake.gateway.seen.resume === 1, "the session, resumed");
  await until(() => twin.health.state === "up", "the second gateway");
  expect(fake.gateway.seen.identify).toBe(1);
  expect((await ann.run(scene.channel, "time")).last).toBeDefined();
});

test("whoever takes the gateway over answers what nobody met, and nothing a second time", async () => {
  const [first, second] = [process(), process()];
  await using scene = await stage({ shared: first.shared, connect: false });
  const { fake, channel, store } = scene;
  await until(() => fake.state.commands.size > 0, "the commands");
  first.begin();
  await until(() => fake.gateway.connections === 1, "the first gateway");
  const ann = fake.person("Ann");
  await ann.run(channel, "time");
  await ann.writes(channel, "@bot time");
  const answered = ann.sees(channel).length;
  // It dies: its sessions are noted as they were when they began.
  store.legacies.put = async () => undefined;
  await first.end();
  const late = ann.start(channel, "help");
  // The fake complains of an answer that comes too late, as of a second one.
  late.interaction.acknowledged = true;
  fake.state.advance(4000);
  const early = ann.start(channel, "time");
  const question = ann.write(channel, "@bot time");
  const twin = await scene.twin(second.shared);
  second.begin();
  await until(() => fake.gateway.seen.resume > 0 && twin.health.state === "up", "the session, resumed");
  await early.answered();
  await until(() => ann.sees(channel).some(({ repliesTo }) => repliesTo === question), "the answer");
  await ann.run(channel, "time");
  expect(ann.sees(channel)).toHaveLength(answered + 3);
  expect(fake.gateway.seen.identify).toBe(1);
});

test.each([
  ["no notes", "{"],
  ["other intents", { intents: 1 }],
  ["an address that is not Discord's", { resumeURL: "ws://127.0.0.9:1/gateway" }],
])("%s in the database begin a session anew", async (_what, changed) => {
  const holder = process();
  await using scene = await stage({ shared: holder.shared, connect: false });
  const { fake, store } = scene;
  const { resumeURL, ...more } = {
    resumeURL: "ws://127.0.0.1:1/gateway",
    ...(typeof changed === "string" ? {} : changed),
  };
  const sessions = [{ sessionId: "session-0", resumeURL, sequence: 1, shardId: 0, shardCount: 1 }];
  const left = {
    intents: 4608,
    bot: fake.state.applicationId,
    application: fake.state.applicationId,
    sessions,
    ...more,
  };
  await store.legacies.put("discord connection", typeof changed === "string" ? changed : JSON.stringify(left));
  holder.begin();
  await until(() => scene.adapter.health.state === "up" && fake.gateway.connections === 1, "the gateway");
  expect(fake.gateway.seen).toMatchObject({ identify: 1, resume: 0 });
});

test("the holder is up once all of its connections are", async () => {
  const holder = process();
  await using scene = await stage({ shared: holder.shared, connect: false });
  const { fake, adapter } = scene;
  fake.gateway.shards = 12;
  fake.gateway.concurrency = 16;
  fake.gateway.admit(1);
  holder.begin();
  const why = "1 of 12 connections to the gateway are ready";
  await until(() => adapter.health.why === why, "the first of them");
  expect(adapter.health.state).toBe("starting");
  fake.gateway.admit(12);
  await until(() => adapter.health.state === "up", "all of them");
  expect(fake.gateway.connections).toBe(12);
});
