import { describe, expect, test } from "vitest";

import { answerFailedNotice } from "../../../src/adapters/discord/respond/notices.ts";
import { cancelledReply } from "../../../src/bot/error-reply.ts";
import { BotStopping } from "../../../src/errors.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { labelsOf, textOf } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";
import { saying } from "../../support/said.ts";
import { LONG_ID, probes } from "./probe-commands.ts";
import { stage, type StageOptions } from "./stage.ts";
import { watchForRejections } from "./watch-for-rejections.ts";

// Discord fails in every way it can; the process never does.

watchForRejections();

const timing = { backoffMillis: 20, stuckMillis: 3000, failedMillis: 150, registerAgainMillis: 20 };
const begin = (more: StageOptions = {}): ReturnType<typeof stage> =>
  stage({ simulated: false, extra: probes, timing, ...more });

describe.each([
  ["over the gateway", {}],
  ["over HTTP", { http: true }],
])("%s", (_what, way) => {
  test("a wrong token is reported, and mended without a restart", async () => {
    await using on = await begin({ ...way, token: "wrong", connect: false });
    on.fake.expected.add(0);
    await until(() => on.adapter.health.state === "failed", "the failure");
    expect(on.adapter.health.why).toMatch(saying("Discord", "DISCORD_TOKEN"));
    on.fake.state.token = "wrong";
    await until(() => on.adapter.health.state === "up", "the recovery");
  });

  test("a token that turns out to be accepted again connects at once, however long the pause", async () => {
    await using on = await begin({
      ...way,
      token: "wrong",
      connect: false,
      timing: { ...timing, failedMillis: 3_600_000 },
    });
    on.fake.expected.add(0);
    const { signal } = new AbortController();
    await until(() => on.adapter.health.state === "failed", "the failure");
    await expect(on.adapter.checkToken?.(signal)).rejects.toMatchObject({ kind: "refused" });
    on.fake.state.token = "wrong";
    await on.adapter.checkToken?.(signal);
    await until(() => on.adapter.health.state === "up", "the recovery");
  });
});

test("a token that is revoked while the gateway is open is reported, and mended", async () => {
  await using on = await begin();
  on.fake.expected.add(0);
  const { token } = on.fake.state;
  on.fake.state.token = "another";
  on.fake.gateway.close(4004, { forget: true });
  await until(() => on.adapter.health.state === "failed", "the failure");
  on.fake.state.token = token;
  await until(() => on.adapter.health.state === "up", "the recovery");
});

// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
test.each([1001, 1006, 4000, 4001, 4002, 4009, 4999])(
  "a gateway closed with %i is back with the session of before",
  async (code) => {
    await using on = await begin();
    if (code === 1006) on.fake.gateway.cut();
    else on.fake.gateway.close(code);
    await until(() => on.adapter.health.state === "down", "the loss to be noticed");
    expect(on.adapter.health.why).toContain(`(${code})`);
    await until(() => on.adapter.health.state === "up", "the recovery");
    expect(on.fake.gateway.seen).toMatchObject({ identify: 1, resume: 1 });
  },
);

test.each([
  [4010, /asked again in a while.*\(4010\)/u],
  [4011, /asked again in a while.*\(4011\)/u],
  [4012, /update Bellwether \(4012\)/u],
  [4013, /update Bellwether \(4013\)/u],
  [4014, /update Bellwether \(4014\)/u],
])("a gateway that lets nobody in, for %i, says what to do, and is tried again later", async (code, what) => {
  await using on = await begin({ connect: false, closeOnIdentify: code });
  await until(() => on.adapter.health.state === "failed", "the failure");
  expect(on.adapter.health.why).toMatch(what);
  expect(on.fake.gateway.seen.identify).toBe(1);
  on.fake.gateway.closeOnIdentify = undefined;
  await until(() => on.adapter.health.state === "up", "the recovery");
});

test("a session is resumed, and what was asked meanwhile is answered", async () => {
  await using on = await begin();
  const ann = on.fake.person("Ann");
  on.fake.gateway.askToReconnect();
  await until(() => !on.fake.gateway.connected, "the connection to close");
  const dialog = ann.start(on.channel, "probe buttons");
  await until(() => on.fake.gateway.seen.resume === 1, "the resume");
  await dialog.answered();
  expect([textOf(dialog.last).split("\n")[0], on.fake.gateway.seen.identify]).toEqual(["Page 1 for Ann", 1]);
});

test("commands are registered once Discord takes them, however often it refuses", async () => {
  await using on = await begin({ connect: false });
  for (let count = 0; count < 3; count += 1)
    on.fake.fail({
      method: "PUT",
      path: /commands$/u,
      answer: { status: 403, body: { code: 50_001, message: "Missing Access" } },
    });
  await until(() => on.fake.state.commands.size > 0, "the commands");
});

test("commands are registered for one server where one is named, and written again by no further start", async () => {
  await using on = await begin({ guildId: "700000000000000001" });
  await on.restart();
  const compared = (): number =>
    on.fake.requests.filter((one) => one.method === "GET" && one.path.endsWith("/commands")).length;
  await until(() => compared() === 2, "the second comparison");
  expect([...on.fake.state.commands.keys()]).toEqual(["700000000000000001"]);
  expect(on.fake.requests.filter((one) => one.method === "PUT")).toHaveLength(1);
});

test("two processes with one token answer everything once", async () => {
  await using on = await begin();
  await on.twin();
  await until(() => on.fake.gateway.connections === 2, "the second process");
  on.fake.gateway.toEverySession = true;
  // Discord's answer to the slower one.
  on.fake.expected.add(40_060);
  const ann = on.fake.person("Ann");
  const dialogs = [
    ann.start(on.channel, "probe buttons"),
    ann.start(on.channel, "order", { id: "zzz" }),
    ann.start(on.channel, "probe fail", { how: "caller" }),
  ];
  await Promise.all(dialogs.map((dialog) => dialog.answered()));
  await ann.press(dialogs[0]!.last, "Next");
  const callbacks = (): number => on.fake.requests.filter((one) => one.path.endsWith("/callback")).length;
  await until(() => callbacks() === 8, "both processes to have tried");
  await until(() => ann.sees(on.channel).every((one) => !one.thinking), "the answers");
  expect(ann.sees(on.channel).map((one) => textOf(one).split("\n")[0])).toEqual([
    "Page 2 for Ann",
    expect.stringMatching(/zzz|order/iu),
    expect.stringContaining("That was a mistake."),
  ]);
});

test.each<[string, () => Promise<never>]>([
  ["fails", () => Promise.reject(new Error("disk full"))],
  ["does not answer", () => new Promise(() => {})],
])("a button whose meaning lies in a store that %s is answered in time", async (_what, get) => {
  await using on = await begin({ payloads: (own) => ({ put: (...given) => own.put(...given), get }) });
  const ann = on.fake.person("Ann");
  const asked = await ann.run(on.channel, "probe ids", { count: 40 });
  const pressed = await ann.press(asked.last, "Details");
  expect([textOf(pressed.messages.at(-1)!), pressed.last.onlyFor]).toEqual([
    expect.stringContaining(plainText(answerFailedNotice().title)),
    ann.id,
  ]);
});

test.each<[string, () => Promise<never>]>([
  ["fails", () => Promise.reject(new Error("disk full"))],
  ["does not answer", () => new Promise(() => {})],
])("where the store %s, a message goes out in time without the buttons that it should keep", async (_what, put) => {
  await using on = await begin({ payloads: (own) => ({ put, get: (key) => own.get(key) }) });
  const ann = on.fake.person("Ann");
  const asked = await ann.run(on.channel, "probe buttons");
  // What Details would show is in a file.
  const { bytes } = asked.last.files.find(({ name }) => name.endsWith("whole-reply.txt")) ?? {};
  expect(bytes?.toString()).toContain(LONG_ID);
  expect([textOf(asked.last), labelsOf(asked.last)]).toEqual([
    expect.stringMatching(/^Page 1.*all of it in .*whole-reply\.txt/su),
    expect.not.arrayContaining(["Details", "Less", "Share"]),
  ]);
  expect(labelsOf(asked.last)).toContain("Next");
});

test("stopping is quick, aborts what runs and says so", async () => {
  await using on = await begin();
  const ann = on.fake.person("Ann");
  const dialog = ann.start(on.channel, "probe hold", { millis: 60_000 });
  await until(() => dialog.interaction.acknowledged, "the deferral");
  await on.adapter.stop();
  expect(textOf(dialog.last)).toContain(plainText(cancelledReply(new BotStopping()).title));
});
