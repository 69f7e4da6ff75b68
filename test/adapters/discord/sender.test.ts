import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import type { Delivery } from "../../../src/alerts/sender.ts";
import { memoryAttachment } from "../../../src/reply/attachment.ts";
import { reply } from "../../../src/reply/reply.ts";
import { labelsOf, textOf } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";
import { probes } from "./probe-commands.ts";
import { stage, type Stage } from "./stage.ts";

// What alerts send: outside of any question, through REST alone.

let on: Stage;
let channel: string;
let count = 0;

beforeAll(async () => {
  on = await stage({ simulated: false, extra: probes, timing: { refusedMillis: 40 } });
});
beforeEach(() => {
  channel = on.fake.channel();
  on.fake.expected.clear();
});
afterAll(() => on[Symbol.asyncDispose]());

const signal = new AbortController().signal;
const alert = (title: string): ReturnType<typeof reply> =>
  reply({
    title,
    tone: "bad",
    actions: [{ label: "Details", invocation: { command: "probe buttons", options: {} }, effect: "reply" }],
  });

function delivery(more: Partial<Delivery> = {}): Delivery {
  count += 1;
  return { id: `delivery-${count}`, destination: { platform: "discord", channel }, ...more };
}

function posts(where = channel): string[] {
  return [...on.fake.state.messages.values()].filter((one) => one.channel === where).map((one) => textOf(one));
}

describe("sending", () => {
  test("posts and gives a receipt by which the message can be changed", async () => {
    const receipt = await on.adapter.send(delivery(), alert("Stalled"), signal);
    expect(posts()).toEqual(["Stalled"]);
    await on.adapter.update(receipt, alert("Resolved"), signal);
    expect(posts()).toEqual(["Resolved"]);
    expect(receipt).toEqual({ platform: "discord", channel, message: expect.stringMatching(/^\d+$/u) });
  });

  test("keeps the order of a channel, whatever each one takes", async () => {
    on.fake.fail({
      path: /messages$/u,
      answer: {
        status: 429,
        headers: { "retry-after": "0.05", "x-ratelimit-scope": "user" },
        body: { message: "slow", retry_after: 0.05, global: false },
      },
    });
    const titles = Array.from({ length: 8 }, (_, index) => `Alert ${index}`);
    await Promise.all(titles.map((title) => on.adapter.send(delivery(), alert(title), signal)));
    expect(posts()).toEqual(titles);
  });

  test("carries the delivery's id as a nonce: a repeat within minutes is the first message", async () => {
    const twice = delivery();
    const first = await on.adapter.send(twice, alert("Once"), signal);
    expect(await on.adapter.send(twice, alert("Once"), signal)).toEqual(first);
    on.fake.state.advance(10 * 60_000);
    expect(await on.adapter.send(twice, alert("Once"), signal)).not.toEqual(first);
    expect(posts()).toHaveLength(2);
  });

  test("pings only whom the delivery names, and only from outside the embed", async () => {
    await on.adapter.send(delivery({ mention: "123456" }), alert("@everyone <@&1> <@2>"), signal);
    await on.adapter.send(delivery({ mention: "user:77" }), alert("@here"), signal);
    await on.adapter.send(delivery(), alert("@everyone"), signal);
    const sent = [...on.fake.state.messages.values()].filter((one) => one.channel === channel);
    expect(sent.map((one) => one.pinged)).toEqual([["<@&123456>"], ["<@77>"], []]);
  });

  test("can be silent", async () => {
    const receipt = await on.adapter.send(delivery({ quiet: true }), alert("Checkpoint"), signal);
    expect(on.fake.state.messages.get(receipt.message)?.flags).toBe(4096);
  });

  test("reaches a person by direct messages, opened once", async () => {
    const ann = on.fake.person("Ann");
    const destination = { platform: "discord", channel: `user:${ann.id}` };
    const { channel: direct } = await on.adapter.send(delivery({ destination }), alert("Your order"), signal);
    await on.adapter.send(delivery({ destination }), alert("Your stake"), signal);
    expect(posts(direct)).toEqual(["Your order", "Your stake"]);
    expect(on.fake.requests.filter((one) => one.path === "/users/@me/channels")).toHaveLength(1);
  });

  test("posts in a thread where one is named", async () => {
    const thread = on.fake.channel();
    await on.adapter.send(
      delivery({ destination: { platform: "discord", channel, thread } }),
      alert("In the thread"),
      signal,
    );
    expect([posts(), posts(thread)]).toEqual([[], ["In the thread"]]);
  });

  test("posts below a message, in a thread that it begins once", async () => {
    const first = await on.adapter.send(delivery(), alert("Stalled"), signal);
    const second = await on.adapter.send(delivery({ threadOf: first }), alert("Still stalled"), signal);
    await on.adapter.send(delivery({ threadOf: first }), alert("Resolved"), signal);
    expect([posts(), posts(first.message)]).toEqual([["Stalled"], ["Still stalled", "Resolved"]]);
    expect(second.channel).toBe(first.message);
    on.fake.expected.add(160_004);
    await on.restart();
    await on.adapter.send(delivery({ threadOf: first }), alert("After a restart"), signal);
    expect(posts(first.message)).toHaveLength(3);
  });

  test("posts in the channel itself once somebody has closed the thread", async () => {
    const first = await on.adapter.send(delivery(), alert("Stalled"), signal);
    await on.adapter.send(delivery({ threadOf: first }), alert("Still stalled"), signal);
    on.fake.expected.add(10_003);
    on.fake.state.channels.get(first.message)!.gone = "deleted";
    const receipt = await on.adapter.send(delivery({ threadOf: first }), alert("Resolved"), signal);
    expect([receipt.channel, posts()]).toEqual([channel, ["Stalled", "Resolved"]]);
  });

  test("says for how long a repeat is dropped: no longer than Discord does", async () => {
    const twice = delivery();
    const first = await on.adapter.send(twice, alert("Once"), signal);
    on.fake.state.advance((on.adapter.dropsRepeatsForMillis ?? 0) - 1000);
    expect(await on.adapter.send(twice, alert("Once"), signal)).toEqual(first);
    expect(on.adapter.dropsRepeatsForMillis).toBeGreaterThanOrEqual(60_000);
  });

  test("a channel that must wait holds back no other", async () => {
    const other = on.fake.channel();
    const body = { message: "slow", retry_after: 1, global: false };
    on.fake.fail({ path: /messages$/u, answer: { status: 429, headers: { "retry-after": "1" }, body } });
    const order: string[] = [];
    const send = async (where: string, title: string): Promise<void> => {
      const destination = { platform: "discord", channel: where };
      await on.adapter.send(delivery({ destination }), alert(title), signal);
      order.push(title);
    };
    const waits = send(channel, "waits");
    await until(() => on.fake.requests.at(-1)?.status === 429, "the refusal");
    await Promise.all([waits, send(channel, "waits behind it"), send(other, "goes at once")]);
    expect(order).toEqual(["goes at once", "waits", "waits behind it"]);
  });

  test("keeps a mention beside many words about files within its room", async () => {
    const lost = Array.from({ length: 12 }, (_, index) => ({
      ...memoryAttachment(`${"x".repeat(100)}-${index}.zip`, "application/zip", "x"),
      sizeBytes: 50_000_000,
    }));
    await on.adapter.send(delivery({ mention: "123456" }), { ...alert("Full"), attachments: lost }, signal);
    const sent = [...on.fake.state.messages.values()].find((one) => one.channel === channel);
    expect([sent?.pinged, (sent?.content.length ?? 0) <= 2000]).toEqual([["<@&123456>"], true]);
  });

  test("leaves out files that together are too much for one message, and says so", async () => {
    const bytes = Buffer.alloc(9_000_000);
    const attachments = [1, 2, 3, 4].map((index) => memoryAttachment(`${index}.zip`, "application/zip", bytes));
    const { message } = await on.adapter.send(delivery(), { ...alert("Full"), attachments }, signal);
    const sent = on.fake.state.messages.get(message);
    expect(sent?.files.map((file) => file.name)).toEqual(["3.zip", "4.zip"]);
    expect(sent?.content.match(/[12]\.zip does not fit beside the other files\*\*: it has 9\.0 MB/gu)).toHaveLength(2);
  });

  test("sends what it can where a file cannot be compressed", async () => {
    const broken = {
      ...memoryAttachment("broken.csv", "text/csv", "x"),
      sizeBytes: 50_000_000,
      open: () => {
        throw new Error("the disk is gone");
      },
    };
    const attachments = [broken, memoryAttachment("small.csv", "text/csv", "a\n1\n")];
    const { message } = await on.adapter.send(delivery(), { ...alert("Half"), attachments }, signal);
    const sent = on.fake.state.messages.get(message);
    expect([sent?.files.map((file) => file.name), sent?.content]).toEqual([
      ["small.csv"],
      expect.stringContaining("broken.csv is too large to send here**: it has 50.0 MB, and Discord takes"),
    ]);
  });

  test("posts in the channel itself where no thread can be", async () => {
    on.fake.expected.add(50_024);
    const destination = { platform: "discord", channel: `user:${on.fake.person("Ann").id}` };
    const first = await on.adapter.send(delivery({ destination }), alert("One"), signal);
    await on.adapter.send(delivery({ destination, threadOf: first }), alert("Two"), signal);
    expect(posts(first.channel)).toEqual(["One", "Two"]);
  });

  test("its buttons answer whoever presses, and leave the alert alone", async () => {
    const { message } = await on.adapter.send(delivery(), alert("Press me"), signal);
    const shown = on.fake.state.messages.get(message)!;
    expect(labelsOf(shown)).toEqual(["Details"]);
    const bob = on.fake.person("Bob");
    const answer = await bob.press(shown, "Details");
    expect([textOf(shown), textOf(answer.last).split("\n")[0]]).toEqual(["Press me", "Page 1 for Bob"]);
  });

  test("takes files along", async () => {
    const csv = memoryAttachment("checkpoints.csv", "text/csv", "block,hash\n1,ab\n");
    const { message } = await on.adapter.send(delivery(), { ...alert("12 checkpoints"), attachments: [csv] }, signal);
    expect(on.fake.state.messages.get(message)?.files.map((file) => file.bytes.toString())).toEqual([
      "block,hash\n1,ab\n",
    ]);
  });
});

describe("what fails says what to do", () => {
  const path = /messages$/u;
  test.each<[string, () => void, object]>([
    ["the channel is deleted", () => set("deleted", 10_003), { kind: "gone" }],
    ["the bot was removed", () => set("no-access", 50_001), { kind: "gone" }],
    ["a 500", () => on.fake.fail({ path, answer: { status: 500 } }), { kind: "maybe-sent" }],
    ["a 503", () => on.fake.fail({ path, answer: { status: 503 } }), { kind: "retry" }],
    ["no answer", () => on.fake.fail({ path, answer: "cut-after" }), { kind: "maybe-sent" }],
    [
      "a 400",
      () => on.fake.fail({ path, answer: { status: 400, body: { code: 50_035, message: "Invalid Form Body" } } }),
      { kind: "unhealable" },
    ],
    [
      "a long 429",
      () =>
        on.fake.fail({
          path,
          answer: {
            status: 429,
            headers: { "retry-after": "120" },
            body: { message: "slow", retry_after: 120, global: false },
          },
        }),
      { kind: "retry", retryAfterMillis: expect.closeTo(120_000, -3) },
    ],
    [
      "a refused token",
      () => on.fake.fail({ path, answer: { status: 401, body: { code: 0, message: "401: Unauthorized" } } }),
      { kind: "refused", message: "Discord says 401: Unauthorized" },
    ],
  ])("%s", async (_what, arrange, expected) => {
    arrange();
    await expect(on.adapter.send(delivery(), alert("x"), signal)).rejects.toMatchObject({
      name: "SendError",
      ...expected,
    });
  });

  test("a refused token keeps further ones from asking, for a while", async () => {
    await sleep(60);
    on.fake.fail({ path, answer: { status: 401, body: { code: 0, message: "401: Unauthorized" } } });
    await expect(on.adapter.send(delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    const before = on.fake.requests.length;
    await expect(on.adapter.send(delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    expect(on.fake.requests.length).toBe(before);
    await sleep(60);
    await on.adapter.send(delivery(), alert("Mended"), signal);
    expect(posts()).toEqual(["Mended"]);
  });

  test("a token that is asked about and accepted lets messages go at once", async () => {
    await sleep(60);
    const { token } = on.fake.state;
    on.fake.expected.add(0);
    on.fake.state.token = "reset";
    await expect(on.adapter.send(delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    await expect(on.adapter.checkToken?.(signal)).rejects.toMatchObject({
      kind: "refused",
      revoked: false,
      message: "Discord says 401: Unauthorized",
    });
    on.fake.state.token = token;
    await expect(on.adapter.send(delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    await on.adapter.checkToken?.(signal);
    await on.adapter.send(delivery(), alert("Mended"), signal);
    expect(posts()).toEqual(["Mended"]);
  });

  test("where Discord does not answer, nothing is said of the token", async () => {
    on.fake.fail({ path: /^\/users\/@me$/u, answer: { status: 503 } });
    await expect(on.adapter.checkToken?.(signal)).rejects.toMatchObject({ kind: "retry" });
  });

  test("and the next one of another channel is not held up", async () => {
    await sleep(60);
    const other = on.fake.channel();
    await on.adapter.send(
      delivery({ destination: { platform: "discord", channel: other } }),
      alert("Still here"),
      signal,
    );
    expect(posts(other)).toEqual(["Still here"]);
  });

  test("a person who takes no messages", async () => {
    on.fake.expected.add(50_007);
    const ann = on.fake.person("Ann");
    on.fake.state.channels.get(on.fake.direct(ann))!.gone = "no-access";
    const sending = on.adapter.send(
      delivery({ destination: { platform: "discord", channel: `user:${ann.id}` } }),
      alert("x"),
      signal,
    );
    await expect(sending).rejects.toMatchObject({ kind: "gone" });
  });

  test.each([10_013, 50_033, 50_278])("a person who cannot be written to any more (%i)", async (code) => {
    const answer = { status: 400, body: { code, message: "Cannot send messages to this user" } };
    on.fake.fail({ path: /^\/users\/@me\/channels$/u, answer });
    const destination = { platform: "discord", channel: `user:${on.fake.state.snowflake()}` };
    await expect(on.adapter.send(delivery({ destination }), alert("x"), signal)).rejects.toMatchObject({
      kind: "gone",
    });
  });

  test("a file that breaks off while it is read is not waited for", async () => {
    on.fake.expected.add(0);
    const broken = {
      ...memoryAttachment("broken.csv", "text/csv", "a\n1\n"),
      open: () => {
        throw new Error("the disk is gone");
      },
    };
    const sending = on.adapter.send(delivery(), { ...alert("x"), attachments: [broken] }, signal);
    await expect(sending).rejects.toMatchObject({ name: "SendError" });
  });

  test("a message that is gone cannot be changed, which is no loss of the channel", async () => {
    on.fake.expected.add(10_008);
    const receipt = await on.adapter.send(delivery(), alert("x"), signal);
    on.fake.state.messages.delete(receipt.message);
    await expect(on.adapter.update(receipt, alert("y"), signal)).rejects.toMatchObject({ kind: "unhealable" });
  });

  test("what is given up before it left is certainly unsent", async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(on.adapter.send(delivery(), alert("x"), controller.signal)).rejects.toMatchObject({ kind: "retry" });
    expect(posts()).toEqual([]);
  });

  test("a repeat after an unknown outcome is not a second message", async () => {
    on.fake.fail({ path, answer: "cut-after" });
    const owed = delivery();
    await expect(on.adapter.send(owed, alert("Owed"), signal)).rejects.toMatchObject({ kind: "maybe-sent" });
    await on.adapter.send(owed, alert("Owed"), signal);
    expect(posts()).toEqual(["Owed"]);
  });

  function set(gone: "deleted" | "no-access", code: number): void {
    on.fake.expected.add(code);
    on.fake.state.channels.get(channel)!.gone = gone;
  }
});

test("sends while the gateway is closed", async () => {
  on.fake.gateway.cut();
  await on.adapter.send(delivery(), alert("No gateway needed"), signal);
  expect(posts()).toEqual(["No gateway needed"]);
  await until(() => on.adapter.health.state === "up" && on.fake.gateway.connected, "the gateway to come back");
});
