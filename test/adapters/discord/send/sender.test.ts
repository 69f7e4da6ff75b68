import { describe, expect, test } from "vitest";

import { memoryAttachment } from "../../../../src/reply/reply.ts";
import { labelsOf, textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { saying } from "../../../support/said.ts";
import { alert, Sending, signal } from "./sending.ts";

// Alert messages: outside of interactions, over REST alone.

const at = new Sending();

describe("sending", () => {
  test("posts and gives a receipt by which the message can be changed", async () => {
    const receipt = await at.on.adapter.send(at.delivery(), alert("Stalled"), signal);
    expect(at.posts()).toEqual(["Stalled"]);
    await at.on.adapter.update(receipt, alert("Resolved"), signal);
    expect(at.posts()).toEqual(["Resolved"]);
    expect(receipt).toEqual({ platform: "discord", channel: at.channel, message: expect.stringMatching(/^\d+$/u) });
    const { guild } = at.on.fake.state.channels.get(at.channel)!;
    const address = `https://discord.com/channels/${guild}/${at.channel}/${receipt.message}`;
    expect(await at.on.adapter.link?.(receipt, signal)).toBe(address);
  });

  test("keeps the order of a channel, however long each message takes", async () => {
    at.on.fake.fail({
      path: /messages$/u,
      answer: {
        status: 429,
        headers: { "retry-after": "0.05", "x-ratelimit-scope": "user" },
        body: { message: "slow", retry_after: 0.05, global: false },
      },
    });
    const titles = Array.from({ length: 8 }, (_, index) => `Alert ${index}`);
    await Promise.all(titles.map((title) => at.on.adapter.send(at.delivery(), alert(title), signal)));
    expect(at.posts()).toEqual(titles);
  });

  test("carries the delivery's id as a nonce: a repeat within minutes is the first message", async () => {
    const twice = at.delivery();
    const first = await at.on.adapter.send(twice, alert("Once"), signal);
    expect(await at.on.adapter.send(twice, alert("Once"), signal)).toEqual(first);
    at.on.fake.state.advance(10 * 60_000);
    expect(await at.on.adapter.send(twice, alert("Once"), signal)).not.toEqual(first);
    expect(at.posts()).toHaveLength(2);
  });

  test("pings only whom the delivery names, and only from outside the embed", async () => {
    await at.on.adapter.send(at.delivery({ mention: "123456" }), alert("@everyone <@&1> <@2>"), signal);
    await at.on.adapter.send(at.delivery({ mention: "user:77" }), alert("@here"), signal);
    await at.on.adapter.send(at.delivery(), alert("@everyone"), signal);
    const sent = [...at.on.fake.state.messages.values()].filter((one) => one.channel === at.channel);
    expect(sent.map((one) => one.pinged)).toEqual([["<@&123456>"], ["<@77>"], []]);
  });

  test("can be silent", async () => {
    const receipt = await at.on.adapter.send(at.delivery({ quiet: true }), alert("Checkpoint"), signal);
    expect(at.on.fake.state.messages.get(receipt.message)?.flags).toBe(4096);
  });

  test("reaches a person by direct messages, opened once", async () => {
    const ann = at.on.fake.person("Ann");
    const destination = { platform: "discord", channel: `user:${ann.id}` };
    const { channel: direct } = await at.on.adapter.send(at.delivery({ destination }), alert("Your order"), signal);
    await at.on.adapter.send(at.delivery({ destination }), alert("Your stake"), signal);
    expect(at.posts(direct)).toEqual(["Your order", "Your stake"]);
    expect(at.on.fake.requests.filter((one) => one.path === "/users/@me/channels")).toHaveLength(1);
  });

  test("posts in a thread where one is named", async () => {
    const thread = at.on.fake.channel();
    await at.on.adapter.send(
      at.delivery({ destination: { platform: "discord", channel: at.channel, thread } }),
      alert("In the thread"),
      signal,
    );
    expect([at.posts(), at.posts(thread)]).toEqual([[], ["In the thread"]]);
  });

  test("names the thread after the incident, within Discord's limit", async () => {
    for (const [threadName, name] of [
      ["No new block (network.stalled 3)", "No new block (network.stalled 3)"],
      ["🦆".repeat(80), "🦆".repeat(50)],
    ] as const) {
      const first = await at.on.adapter.send(at.delivery(), alert("Stalled"), signal);
      await at.on.adapter.send(at.delivery({ threadOf: first, threadName }), alert("Over"), signal);
      expect(at.on.fake.state.channels.get(first.message)?.name).toBe(name);
    }
  });

  test("posts below a message, in a thread that it begins once", async () => {
    const first = await at.on.adapter.send(at.delivery(), alert("Stalled"), signal);
    const second = await at.on.adapter.send(at.delivery({ threadOf: first }), alert("Still stalled"), signal);
    await at.on.adapter.send(at.delivery({ threadOf: first }), alert("Resolved"), signal);
    expect([at.posts(), at.posts(first.message)]).toEqual([["Stalled"], ["Still stalled", "Resolved"]]);
    expect(second.channel).toBe(first.message);
    at.on.fake.expected.add(160_004);
    await at.on.restart();
    await at.on.adapter.send(at.delivery({ threadOf: first }), alert("After a restart"), signal);
    expect(at.posts(first.message)).toHaveLength(3);
  });

  test("renames its thread once, when all is over, and no thread of somebody else", async () => {
    const { channels } = at.on.fake.state;
    const first = await at.on.adapter.send(at.delivery(), alert("Stalled"), signal);
    await at.on.adapter.send(at.delivery({ threadOf: first, threadName: "No new block" }), alert("Taken"), signal);
    await at.on.adapter.update(first, alert("Still"), signal);
    expect(channels.get(first.message)).toMatchObject({ name: "No new block" });
    await at.on.restart();
    await at.on.adapter.update(first, alert("Over"), signal, { over: true });
    await at.on.adapter.update(first, alert("Over, with its file"), signal, { over: true });
    expect(channels.get(first.message)).toMatchObject({ name: "✅ No new block", renamed: 1, gone: undefined });
    const second = await at.on.adapter.send(at.delivery(), alert("Down"), signal);
    await at.on.adapter.update(second, alert("Over"), signal, { over: true });
    const { guild } = channels.get(at.channel)!;
    const theirs = { id: second.message, guild, recipient: undefined, name: "Lunch", owner: "7", gone: undefined };
    channels.set(second.message, theirs);
    await at.on.adapter.update(second, alert("Over"), signal, { over: true });
    expect(channels.get(second.message)?.name).toBe("Lunch");
    expect(at.posts()).toEqual(["Over, with its file", "Over"]);
  });

  test("posts in the channel itself where somebody has locked the thread; what belongs into a deleted one is refused", async () => {
    const first = await at.on.adapter.send(at.delivery(), alert("Stalled"), signal);
    await at.on.adapter.send(at.delivery({ threadOf: first }), alert("Still stalled"), signal);
    at.on.fake.expected.add(50_001).add(10_003);
    const thread = at.on.fake.state.channels.get(first.message)!;
    thread.gone = "no-access";
    const receipt = await at.on.adapter.send(at.delivery({ threadOf: first }), alert("Resolved"), signal);
    expect([receipt.channel, at.posts()]).toEqual([at.channel, ["Stalled", "Resolved"]]);
    thread.gone = "deleted";
    const below = at.on.adapter.send(at.delivery({ threadOf: first }), alert("Taken"), signal);
    await expect(below).rejects.toMatchObject({ kind: "deleted" });
    expect(at.posts()).toHaveLength(2);
  });

  test("posts in the channel itself where the thread that was subscribed is deleted", async () => {
    at.on.fake.expected.add(10_003);
    const thread = at.on.fake.channel();
    at.on.fake.state.channels.get(thread)!.gone = "deleted";
    const destination = { platform: "discord", channel: at.channel, thread };
    await at.on.adapter.send(at.delivery({ destination }), alert("Told all the same"), signal);
    expect(at.posts()).toEqual(["Told all the same"]);
  });

  test("says for how long a repeat is dropped: no longer than Discord does", async () => {
    const twice = at.delivery();
    const first = await at.on.adapter.send(twice, alert("Once"), signal);
    at.on.fake.state.advance((at.on.adapter.dropsRepeatsForMillis ?? 0) - 1000);
    expect(await at.on.adapter.send(twice, alert("Once"), signal)).toEqual(first);
    expect(at.on.adapter.dropsRepeatsForMillis).toBeGreaterThanOrEqual(60_000);
  });

  test("a channel that must wait holds back no other", async () => {
    const other = at.on.fake.channel();
    const body = { message: "slow", retry_after: 1, global: false };
    at.on.fake.fail({ path: /messages$/u, answer: { status: 429, headers: { "retry-after": "1" }, body } });
    const order: string[] = [];
    const send = async (where: string, title: string): Promise<void> => {
      const destination = { platform: "discord", channel: where };
      await at.on.adapter.send(at.delivery({ destination }), alert(title), signal);
      order.push(title);
    };
    const waits = send(at.channel, "waits");
    await until(() => at.on.fake.requests.at(-1)?.status === 429, "the refusal");
    await Promise.all([waits, send(at.channel, "waits behind it"), send(other, "goes at once")]);
    expect(order).toEqual(["goes at once", "waits", "waits behind it"]);
  });

  test("keeps a mention beside a long text about files within the limit", async () => {
    const lost = Array.from({ length: 12 }, (_, index) => ({
      ...memoryAttachment(`${"x".repeat(100)}-${index}.zip`, "application/zip", "x"),
      sizeBytes: 50_000_000,
    }));
    await at.on.adapter.send(at.delivery({ mention: "123456" }), { ...alert("Full"), attachments: lost }, signal);
    const sent = [...at.on.fake.state.messages.values()].find((one) => one.channel === at.channel);
    expect([sent?.pinged, (sent?.content.length ?? 0) <= 2000]).toEqual([["<@&123456>"], true]);
  });

  test("leaves out files that together are too much for one message, and says so", async () => {
    const bytes = Buffer.alloc(9_000_000);
    const attachments = [1, 2, 3, 4].map((index) => memoryAttachment(`${index}.zip`, "application/zip", bytes));
    const { message } = await at.on.adapter.send(at.delivery(), { ...alert("Full"), attachments }, signal);
    const sent = at.on.fake.state.messages.get(message);
    expect(sent?.files.map((file) => file.name)).toEqual(["3.zip", "4.zip"]);
    for (const name of ["1.zip", "2.zip"]) expect(sent?.content).toMatch(saying(name, "9.0 MB"));
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
    const { message } = await at.on.adapter.send(at.delivery(), { ...alert("Half"), attachments }, signal);
    const sent = at.on.fake.state.messages.get(message);
    expect([sent?.files.map((file) => file.name), sent?.content]).toEqual([
      ["small.csv"],
      expect.stringMatching(saying("broken.csv", "50.0 MB", "Discord")),
    ]);
  });

  test("posts in the channel itself where no thread can be", async () => {
    at.on.fake.expected.add(50_024);
    const destination = { platform: "discord", channel: `user:${at.on.fake.person("Ann").id}` };
    const first = await at.on.adapter.send(at.delivery({ destination }), alert("One"), signal);
    await at.on.adapter.send(at.delivery({ destination, threadOf: first }), alert("Two"), signal);
    expect(at.posts(first.channel)).toEqual(["One", "Two"]);
  });

  test("its buttons answer any user, and do not change the alert", async () => {
    const { message } = await at.on.adapter.send(at.delivery(), alert("Press me"), signal);
    const shown = at.on.fake.state.messages.get(message)!;
    expect(labelsOf(shown)).toEqual(["Details"]);
    const bob = at.on.fake.person("Bob");
    const answer = await bob.press(shown, "Details");
    expect([textOf(shown), textOf(answer.last).split("\n")[0]]).toEqual(["Press me", "Page 1 for Bob"]);
  });

  test("takes files along", async () => {
    const csv = memoryAttachment("checkpoints.csv", "text/csv", "block,hash\n1,ab\n");
    const { message } = await at.on.adapter.send(
      at.delivery(),
      { ...alert("12 checkpoints"), attachments: [csv] },
      signal,
    );
    expect(at.on.fake.state.messages.get(message)?.files.map((file) => file.bytes.toString())).toEqual([
      "block,hash\n1,ab\n",
    ]);
  });
});

test("sends while the gateway is closed", async () => {
  at.on.fake.gateway.cut();
  await at.on.adapter.send(at.delivery(), alert("No gateway needed"), signal);
  expect(at.posts()).toEqual(["No gateway needed"]);
  await until(() => at.on.adapter.health.state === "up" && at.on.fake.gateway.connected, "the gateway to come back");
});

describe("a message that Discord refuses for its content", () => {
  test("passes as escaped text without embeds, buttons and files", async () => {
    const { fake, adapter } = at.on;
    const body = { code: 50_035, message: "Invalid Form Body" };
    fake.fail({ path: /messages$/u, answer: { status: 400, body } });
    const given = at.delivery({ mention: "123456" });
    await expect(adapter.send(given, alert("**Stalled** @everyone"), signal)).rejects.toMatchObject({
      kind: "content",
    });
    fake.fail({
      path: /messages$/u,
      answer: { status: 413, body: { code: 40_005, message: "Request entity too large" } },
    });
    await expect(adapter.send(given, alert("Stalled"), signal)).rejects.toMatchObject({ kind: "content" });
    const receipt = await adapter.send({ ...given, plain: true }, alert("**Stalled** @everyone"), signal);
    const stored = fake.state.messages.get(receipt.message)!;
    expect(stored).toMatchObject({ embeds: [], components: [], files: [], pinged: ["<@&123456>"] });
    expect(stored.content).toContain("\\*\\*Stalled\\*\\*");
    await adapter.update(receipt, alert("x".repeat(9000)), signal, { plain: true });
    expect(stored.content.length).toBeLessThanOrEqual(2000);
  });
});
