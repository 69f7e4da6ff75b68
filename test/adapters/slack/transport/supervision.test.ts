import { describe, expect, test } from "vitest";

import { until } from "../../../support/fake-discord/until.ts";
import { type Dialog, textOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { stage } from "../stage.ts";

describe("the connection", () => {
  test("loses no command over 20 refreshes, and acknowledges each in time", async () => {
    await using scene = await stage();
    const { fake } = scene;
    const ann = fake.person("ann");
    const dialogs: Dialog[] = [];
    for (let round = 0; round < 20; round += 1) {
      fake.sockets.refresh();
      // At the worst moment, right behind the request, and while the new socket is being made.
      dialogs.push(ann.type(scene.channel, "time"), ann.type(scene.channel, "help"));
      await until(() => fake.sockets.listening === 2, "the new socket");
      dialogs.push(ann.type(scene.channel, "info"));
    }
    await Promise.all(dialogs.map((dialog) => dialog.answered()));
    expect(fake.sockets.lost).toBe(0);
    expect(fake.sockets.opened).toBe(22);
    expect(scene.adapter.health).toEqual({ state: "up" });
  });

  test("handles a redelivered envelope once", async () => {
    await using scene = await stage();
    const { fake } = scene;
    const ann = fake.person("ann");
    const envelope = ann.mention(scene.channel, "time private:yes");
    await until(() => ann.sees(scene.channel).length === 2, "the answer");
    fake.sockets.deliver(envelope);
    const dialog = await ann.run(scene.channel, "time");
    fake.sockets.deliver(dialog.envelope);
    await ann.run(scene.channel, "help");
    expect(dialog.messages).toHaveLength(1);
    expect(dialog.uses).toBe(1);
    expect(
      ann.sees(scene.channel).filter(({ thread, onlyFor }) => onlyFor !== undefined && thread === undefined),
    ).toHaveLength(3);
  });

  test("handles an envelope once that comes over the sockets of several processes", async () => {
    await using scene = await stage({ live: () => 2 });
    const { fake } = scene;
    await scene.twin();
    await until(() => fake.sockets.listening === 4, "the sockets of both");
    const ann = fake.person("ann");
    const mention = ann.mention(scene.channel, "time private:yes");
    await until(() => ann.sees(scene.channel).length === 2, "the answer");
    const dialog = await ann.run(scene.channel, "time");
    // By turns: at least once over a socket of each.
    for (let time = 0; time < 4; time += 1) {
      fake.sockets.deliver(mention);
      fake.sockets.deliver(dialog.envelope);
    }
    await Promise.all(Array.from({ length: 4 }, () => ann.run(scene.channel, "help")));
    expect([dialog.messages.length, dialog.uses]).toEqual([1, 1]);
    expect(
      ann.sees(scene.channel).filter(({ thread, onlyFor }) => onlyFor !== undefined && thread === undefined),
    ).toHaveLength(6);
  });

  test("answers all the same where the database does not say whether another process did", async () => {
    await using scene = await stage({ live: () => 2 });
    scene.store.payloads.useOnce = async () => {
      throw new Error("the database does not answer");
    };
    expect(textOf((await scene.fake.person("ann").run(scene.channel, "help")).last)).toContain("market list");
  });

  test("has two sockets in each of five processes, and one in each of more", async () => {
    let live = 5;
    await using scene = await stage({ live: () => live });
    const { fake } = scene;
    await scene.twin();
    await until(() => fake.sockets.listening === 4, "two sockets each");
    live = 6;
    await until(() => fake.sockets.listening === 2, "one socket each");
    const ann = fake.person("ann");
    for (let time = 0; time < 3; time += 1) await ann.run(scene.channel, "help");
    expect([scene.adapter.health, fake.sockets.lost]).toEqual([{ state: "up" }, 0]);
    live = 5;
    await until(() => fake.sockets.listening === 4, "two sockets each again");
  });

  test("an event whose acknowledgement was lost comes again, also to a process that starts later, and is answered once", async () => {
    await using scene = await stage();
    const { fake } = scene;
    const ann = fake.person("ann");
    const envelope = ann.mention(scene.channel, "help");
    fake.sockets.cut();
    await until(() => envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    await until(() => ann.sees(scene.channel).length === 2, "the answer");
    expect(envelope.deliveries).toBeGreaterThan(1);
    await scene.restart();
    fake.sockets.deliver(envelope);
    await ann.run(scene.channel, "help");
    expect(ann.sees(scene.channel)).toHaveLength(3);
  });

  test("cut sockets are made anew", async () => {
    await using scene = await stage();
    const { adapter, fake } = scene;
    fake.sockets.cut();
    await until(() => fake.sockets.listening === 2 && fake.sockets.opened === 4, "new sockets");
    await until(() => adapter.health.state === "up", "health");
    expect(textOf((await fake.person("ann").run(scene.channel, "help")).last)).toContain("market list");
  });

  test("an hour without Slack: said, harmless, healed", async () => {
    await using scene = await stage();
    const { adapter, fake } = scene;
    fake.goOffline();
    await until(() => adapter.health.state === "down", "the outage");
    expect(adapter.health.why).toBeDefined();
    fake.state.advanceMillis = 3_600_000;
    fake.offline = false;
    await until(() => adapter.health.state === "up", "healing");
    await fake.person("ann").run(scene.channel, "help");
  });

  test.each([
    ["sockets that end as soon as they stand are not made anew at once", {}, "down"],
    ["a token that is refused is not offered again at once", { connect: false, appToken: "xapp-wrong" }, "failed"],
  ] as const)("%s", async (_name, more, state) => {
    const hour = 3_600_000;
    await using scene = await stage({ ...more, timing: { backoffMillis: hour, failedMillis: hour } });
    const { adapter, fake } = scene;
    fake.expected.add("invalid_auth");
    const count = (method: string): number => fake.begun.filter((one) => one === method).length;
    fake.sockets.cut();
    await until(() => adapter.health.state === state, "the report");
    const looks = count("auth.test");
    await until(() => count("auth.test") >= looks + 5, "some time to pass");
    expect(count("apps.connections.open")).toBe(2);
  });

  test("a socket that is never greeted is given up for another", async () => {
    await using scene = await stage({ timing: { greetMillis: 30 } });
    const { adapter, fake } = scene;
    // On a slow machine the first ones may have been given up, too.
    const { opened } = fake.sockets;
    fake.sockets.greets = false;
    fake.sockets.cut();
    await until(() => fake.sockets.opened > opened + 2, "further tries");
    expect(adapter.health.state).toBe("down");
    fake.sockets.greets = true;
    await until(() => adapter.health.state === "up", "healing");
  });

  test.each([
    ["wrong from the start", "app"],
    ["wrong from the start", "bot"],
  ] as const)("a token that is %s (%s) is reported, and the rest runs on", async (_when, which) => {
    await using scene = await stage({
      connect: false,
      ...(which === "app" ? { appToken: "xapp-wrong" } : { botToken: "xoxb-wrong" }),
    });
    scene.fake.expected.add("invalid_auth");
    await until(() => scene.adapter.health.state === "failed", "the report");
    expect(scene.adapter.health.why).toMatch(saying("Slack", `${which} token`));
  });

  test("tokens that are revoked while a socket is renewed end nothing, and heal when they count again", async () => {
    await using scene = await stage({ timing: { failedMillis: 20 } });
    const { adapter, fake } = scene;
    fake.expected.add("invalid_auth");
    const state = fake.state as { appToken: string; botToken: string };
    const tokens = { ...state };
    state.appToken = "xapp-other";
    fake.sockets.refresh();
    fake.sockets.cut();
    await until(() => adapter.health.state === "failed", "the report");
    state.appToken = tokens.appToken;
    await until(() => adapter.health.state === "up", "healing");
    state.botToken = "xoxb-other";
    await until(() => adapter.health.state === "failed", "the other report");
    state.botToken = tokens.botToken;
    await until(() => adapter.health.state === "up", "healing");
  });

  test.each([
    ["up", "xoxb-fake-token", "ok"],
    ["failed", "xoxb-other", "invalid_auth"],
  ] as const)("a look at the token that brings no answer changes nothing: %s", async (state, botToken, outcome) => {
    await using scene = await stage();
    const { adapter, fake } = scene;
    fake.expected.add("invalid_auth");
    (fake.state as { botToken: string }).botToken = botToken;
    const outcomes = () => fake.requests.filter(({ method }) => method === "auth.test").map((one) => one.outcome);
    await until(() => adapter.health.state === state && outcomes().includes(outcome), "the first look");
    const states = new Set<string>();
    fake.fail({ method: "auth.test", answer: { status: 500 } });
    await until(() => {
      states.add(adapter.health.state);
      return outcomes().includes("500") && outcomes().at(-1) === outcome;
    }, "the look behind it");
    expect([...states]).toEqual([state]);
  });

  test.each([["app_uninstalled"], ["tokens_revoked"]])("%s is known at once, and so is the new token", async (type) => {
    await using scene = await stage({ timing: { checkMillis: 3_600_000 } });
    const { adapter, fake } = scene;
    fake.expected.add("token_revoked");
    await until(() => fake.requests.some(({ method }) => method === "auth.test"), "the first look");
    fake.fail({ method: "auth.test", answer: { error: "token_revoked" } });
    const ann = fake.person("ann");
    const event = ann.event({ type, tokens: { bot: [fake.state.botUserId] } });
    await until(() => adapter.health.state === "failed", "the report");
    expect(event.acknowledgedAfter).toBeDefined();
    expect(adapter.health.why).toMatch(saying("Slack", "bot token"));
    await until(() => adapter.health.state === "up", "healing");
  });

  test("a socket whose address comes after the stop is closed again", async () => {
    await using scene = await stage();
    const { adapter, fake } = scene;
    const { opened } = fake.sockets;
    for (let socket = 0; socket < 2; socket += 1) fake.fail({ method: "apps.connections.open", answer: "late" });
    const asked = (): number => fake.begun.filter((method) => method === "apps.connections.open").length;
    const before = asked();
    fake.sockets.cut();
    await until(() => asked() === before + 2, "the calls");
    await adapter.stop();
    fake.answerLate();
    await until(() => fake.sockets.opened === opened + 2, "the sockets");
    await until(() => fake.sockets.listening === 0, "their end");
  });

  test("stops in time, whatever Slack does", async () => {
    const scene = await stage();
    scene.fake.goOffline();
    await scene.adapter.stop();
    await scene[Symbol.asyncDispose]();
  });
});

test("an envelope without a listener is acknowledged, too", async () => {
  await using scene = await stage();
  const { fake } = scene;
  const shortcut = { type: "shortcut", callback_id: "x", trigger_id: "t1", user: { id: "U1" }, team: { id: "T01" } };
  const view = { type: "view_closed", user: { id: "U1" }, team: { id: "T01" }, view: { callback_id: "form" } };
  const odd = { type: "event_callback", team_id: "T01", event_id: "E1", event: { type: "link_shared" } };
  const sent = [
    fake.sockets.send("e1", "interactive", shortcut),
    fake.sockets.send("e2", "interactive", view),
    fake.sockets.send("e3", "events_api", odd),
  ];
  await until(() => sent.every(({ acknowledgedAfter }) => acknowledgedAfter !== undefined), "the acknowledgements");
  expect(scene.adapter.health.state).toBe("up");
});
