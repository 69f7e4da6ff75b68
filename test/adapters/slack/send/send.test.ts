import { describe, expect, test } from "vitest";

import type { Receipt } from "../../../../src/alerts/sender.ts";
import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { FakeSlack } from "../../../support/fake-slack/fake-slack.ts";
import { textOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { titled } from "../probe-commands.ts";
import { delivery, refused, senderOn, signal } from "../sending.ts";
import { stage } from "../stage.ts";
import { VirtualWaits } from "../virtual-waits.ts";

describe("sending outside of questions", () => {
  test("posts with the delivery's id, gives a receipt, and edits by it", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    const alert = reply({ tone: "bad", title: "Blocks have stopped", blocks: [paragraph("No block for 40 s.")] });
    const receipt = await adapter.send(delivery("d1", channel, { mention: "U777" }), alert, signal);
    const message = fake.state.message(receipt.message)!;
    expect(receipt).toMatchObject({ platform: "slack", channel });
    expect(message.metadata).toEqual({ event_type: "bellwether_delivery", event_payload: { delivery: "d1" } });
    expect(message.text).toBe("<@U777> ⛔ Blocks have stopped: No block for 40 s.");
    await adapter.update(receipt, titled("Recovered"), signal);
    expect(textOf(message)).toContain("Recovered");
    expect(message.edits).toBe(1);
    fake.expected.add("channel_not_found");
    const address = `https://example.slack.com/archives/${channel}/p${receipt.message}`;
    expect(await adapter.link?.(receipt, signal)).toBe(address);
    expect(await adapter.link?.({ ...receipt, channel: "CNONE" }, signal)).toBeUndefined();
  });

  test("carries an id for Slack that is the same for all attempts of a delivery which tell the same", async () => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl);
    const channel = fake.channel();
    fake.fail({ method: "chat.postMessage", answer: "cut-after" });
    await refused(sender.send(delivery("d1", channel), titled("Stalled"), signal));
    await sender.send(delivery("d1", channel), titled("Stalled"), signal);
    await sender.send(delivery("d2", channel), titled("Over"), signal);
    const [first, again, other] = fake.state.messages.map(({ clientId }) => clientId);
    expect(first).toMatch(/^[\da-f-]{36}$/u);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    // A repeat that tells the end as well must not be dropped.
    const about = { kind: "network.stalled", network: "mainnet", subject: "", severity: "warning", at: "1" } as const;
    for (const state of ["firing", "resolved"] as const) {
      await sender.send({ ...delivery("d3", channel), about: { ...about, state } }, titled("Over"), signal);
    }
    expect(new Set(fake.state.messages.map(({ clientId }) => clientId)).size).toBe(4);
    // Slack knows of a repeat, and of no message: nothing relies on the id.
    fake.fail({ method: "chat.postMessage", answer: { error: "duplicate_message_not_found" } });
    const receipt = await sender.send(delivery("d2", channel), titled("Over"), signal);
    expect(fake.state.message(receipt.message)?.clientId).toBeUndefined();
  });

  test("a receipt that comes after the attempt has ended is handed over", async () => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl);
    const channel = fake.channel();
    const leave = new AbortController();
    const late = Promise.withResolvers<Receipt>();
    fake.fail({ method: "chat.postMessage", answer: "late" });
    const given = delivery("d1", channel, { onLateReceipt: late.resolve });
    const sending = refused(sender.send(given, titled("Stalled"), leave.signal));
    await until(() => fake.state.messages.length === 1, "the message");
    leave.abort(new Error("the attempt has ended"));
    expect((await sending).kind).toBe("maybe-sent");
    fake.answerLate();
    expect(await late.promise).toEqual({ platform: "slack", channel, message: fake.state.messages[0]?.ts });
  });

  test("channels that give no answer keep no other waiting", async () => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl);
    const leave = new AbortController();
    fake.silent = true;
    let ended = 0;
    const hanging = Array.from({ length: 300 }, async (_, index) => {
      await sender.send(delivery(`h${index}`, fake.channel()), titled("Stalled"), leave.signal).catch(() => undefined);
      ended += 1;
    });
    await until(() => fake.held === hanging.length, "all of them at Slack");
    fake.silent = false;
    await sender.send(delivery("d1", fake.channel()), titled("Stalled"), signal);
    expect(ended).toBe(0);
    fake.release();
    leave.abort();
    await Promise.all(hanging);
  });

  test("into a thread, to a group, into direct messages; files follow in the thread", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    const ann = fake.person("ann");
    const first = await adapter.send(delivery("d0", channel), titled("first"), signal);
    const below = await adapter.send(delivery("d01", channel, { threadOf: first }), titled("below"), signal);
    expect(fake.state.message(below.message)).toMatchObject({ thread: first.message });
    const threaded = await adapter.send(
      delivery("d1", channel, { thread: "1.000001", mention: "S9" }),
      titled("x"),
      signal,
    );
    expect(fake.state.message(threaded.message)).toMatchObject({ thread: "1.000001", text: "<!subteam^S9> x" });
    await adapter.send(delivery("d2", ann.id), titled("hello"), signal);
    await adapter.send(delivery("d3", `user:${ann.id}`), titled("again"), signal);
    expect(ann.directMessages().map(({ text }) => text)).toEqual(["hello", "again"]);
    expect(fake.requests.filter(({ method }) => method === "conversations.open")).toHaveLength(1);
    const file = memoryAttachment("list.csv", "text/csv", "a\n");
    const sent = await adapter.send(delivery("d4", channel), reply({ title: "many", attachments: [file] }), signal);
    const upload = fake.state.messages.find(({ files }) => files.length > 0);
    expect(upload).toMatchObject({ channel, thread: sent.message });
    // A mention that is none of Slack's names pings nobody.
    const odd = await adapter.send(delivery("d5", channel, { mention: "!channel" }), titled("x"), signal);
    expect(fake.state.message(odd.message)?.text).toBe("x");
  });

  test("what could not be sent with a message is said below it, once the channel's limit lets that", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    fake.enforceLimits = true;
    fake.expected.add("ratelimited");
    fake.fail({ method: "upload", answer: { status: 413 } });
    const files = ["lost.csv", "sent.csv"].map((name) => memoryAttachment(name, "text/csv", "a\n"));
    const sent = await adapter.send(delivery("d", channel), reply({ title: "two", attachments: files }), signal);
    const below = fake.state.messages.filter(({ thread }) => thread === sent.message);
    expect(below.flatMap((message) => message.files.map(({ name }) => name))).toEqual(["sent.csv"]);
    expect(textOf(below.at(-1)!)).toMatch(saying("lost.csv", 413));
    expect(textOf(below.at(-1)!)).not.toContain("sent.csv");
  });

  test("one after the other within a channel, at its pace; a 429 holds back its own channel alone", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    const other = fake.channel();
    fake.fail({ method: "chat.postMessage", answer: { status: 429, retryAfter: 1 } });
    const done: string[] = [];
    const send = async (id: string, where: string): Promise<void> => {
      await adapter.send(delivery(id, where), titled(id), signal);
      done.push(id);
    };
    const held = Promise.all(["a1", "a2", "a3"].map((id) => send(id, channel)));
    await until(() => fake.requests.some(({ outcome }) => outcome === "429"), "the 429");
    await Promise.all(["b1", "b2", "b3"].map((id) => send(id, other)));
    expect(done).toEqual(["b1", "b2", "b3"]);
    await held;
    expect(done.slice(3)).toEqual(["a1", "a2", "a3"]);
    expect(fake.state.messages.filter((one) => one.channel === channel).map(({ text }) => text)).toEqual([
      "a1",
      "a2",
      "a3",
    ]);
  });

  test("a long wait is handed back", async () => {
    await using scene = await stage({ connect: false });
    scene.fake.fail({ method: "chat.postMessage", answer: { status: 429, retryAfter: 30 } });
    const error = await refused(scene.adapter.send(delivery("d", scene.channel), titled("x"), signal));
    expect(error).toMatchObject({ kind: "retry", retryAfterMillis: 30_000 });
  });

  test("a channel whose long wait was handed back is left alone meanwhile", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    fake.fail({ method: "chat.postMessage", answer: { status: 429, retryAfter: 30 } });
    await refused(adapter.send(delivery("d1", channel), titled("x"), signal));
    const early = await refused(adapter.send(delivery("d2", channel), titled("y"), AbortSignal.timeout(50)));
    expect(early.kind).toBe("retry");
    await adapter.send(delivery("d3", fake.channel()), titled("z"), signal);
    expect(fake.begun.filter((method) => method === "chat.postMessage")).toHaveLength(2);
  });

  test("an aborted message does not wait for Slack: it may have been sent", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    const given = new AbortController();
    fake.fail({ method: "chat.postMessage", answer: "hang-before" });
    const sending = refused(adapter.send(delivery("d", channel), titled("x"), given.signal));
    await until(() => fake.held === 1, "the message to be under way");
    given.abort(new Error("given up"));
    expect((await sending).kind).toBe("maybe-sent");
    expect(fake.held).toBe(1);
    fake.release();
  });

  test("a bot that stops waits for no message that is under way, nor for the next edit of one", async () => {
    const waits = new VirtualWaits();
    await using scene = await stage({ connect: false, waits });
    const { adapter, channel, fake } = scene;
    const receipt = await adapter.send(delivery("d1", channel), titled("x"), signal);
    await adapter.update(receipt, titled("y"), signal);
    const edit = refused(adapter.update(receipt, titled("z"), signal));
    fake.fail({ method: "chat.postMessage", answer: "hang-before" });
    const message = refused(adapter.send(delivery("d2", channel), titled("x"), signal));
    await until(() => fake.held === 1 && waits.waiting === 1, "both to be under way");
    await adapter.stop();
    expect([(await message).kind, (await edit).kind]).toEqual(["maybe-sent", "retry"]);
    fake.release();
  });

  test("an edit that comes while another is under way is shown after it, whatever became of that one", async () => {
    await using scene = await stage({ connect: false, timing: { editMillis: 0 } });
    const { adapter, channel, fake } = scene;
    const receipt = await adapter.send(delivery("d", channel), titled("0"), signal);
    fake.fail({ method: "chat.update", answer: "hang-before" });
    const first = refused(adapter.update(receipt, titled("1"), signal));
    await until(() => fake.held === 1, "the first edit to be under way");
    const second = adapter.update(receipt, titled("2"), signal);
    fake.release();
    await Promise.all([first, second]);
    expect(fake.state.message(receipt.message)?.text).toBe("2");
  });

  test("edits that wait are gathered: the last one is shown", async () => {
    await using scene = await stage({ connect: false, timing: { channelMillis: 60 } });
    const { adapter, channel, fake } = scene;
    const receipt = await adapter.send(delivery("d", channel), titled("0"), signal);
    await Promise.all(["1", "2", "3", "4"].map((title) => adapter.update(receipt, titled(title), signal)));
    const message = fake.state.message(receipt.message)!;
    expect(message.text).toBe("4");
    expect(message.edits).toBe(1);
  });

  test("an edit sends the files that are not in the message's thread yet, and no other", async () => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl);
    const channel = fake.channel();
    const shown = (title: string, content: string) =>
      reply({ title, attachments: [memoryAttachment("nodes.csv", "text/csv", content)] });
    const receipt = await sender.send(delivery("d", channel), shown("2", "a,b"), signal);
    await sender.update(receipt, shown("1 of 2", "a,b"), signal);
    await sender.update(receipt, shown("3", "a,b,c"), signal);
    await sender.update(receipt, shown("2 of 3", "a,b,c"), signal);
    const uploaded = fake.state.messages.flatMap(({ files }) => files.map(({ bytes }) => bytes?.toString()));
    expect(uploaded).toEqual(["a,b", "a,b,c"]);
  });

  test.each(["cannot_reply_to_message", "restricted_action_thread_locked", "invalid_thread_ts"])(
    "where the thread takes no messages (%s), into the channel",
    async (code) => {
      await using scene = await stage({ connect: false });
      const { adapter, channel, fake } = scene;
      const first = await adapter.send(delivery("d0", channel), titled("first"), signal);
      for (const more of [{ threadOf: first }, { thread: first.message }]) {
        fake.fail({ method: "chat.postMessage", answer: { error: code } });
        const receipt = await adapter.send(delivery("d1", channel, more), titled("still told"), signal);
        expect(fake.state.message(receipt.message)).toMatchObject({ thread: undefined, text: "still told" });
      }
    },
  );

  test("direct messages that were closed are opened anew", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, fake } = scene;
    fake.expected.add("channel_not_found");
    const ann = fake.person("ann");
    const first = await adapter.send(delivery("d1", `user:${ann.id}`), titled("one"), signal);
    fake.state.channels.delete(first.channel);
    const second = await adapter.send(delivery("d2", `user:${ann.id}`), titled("two"), signal);
    expect(second.channel).not.toBe(first.channel);
    expect(fake.state.message(second.message)?.text).toBe("two");
  });

  test("an edit of what is deleted, or a post below it, loses only itself; one of a lost channel tells that", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    fake.expected.add("message_not_found").add("is_archived");
    const receipt = await adapter.send(delivery("d", channel), titled("x"), signal);
    fake.state.message(receipt.message)!.gone = true;
    expect((await refused(adapter.update(receipt, titled("y"), signal))).kind).toBe("deleted");
    const below = delivery("d1", channel, { threadOf: receipt });
    fake.expected.add("thread_not_found");
    expect((await refused(adapter.send(below, titled("z"), signal))).kind).toBe("deleted");
    fake.state.channels.get(channel)!.archived = true;
    expect((await refused(adapter.update(receipt, titled("y"), signal))).kind).toBe("gone");
  });

  test("edits of one message keep their distance, and hold up no other message", async () => {
    const waits = new VirtualWaits();
    await using scene = await stage({ connect: false, waits });
    const { adapter, channel, fake } = scene;
    const receipt = await adapter.send(delivery("d", channel), titled("0"), signal);
    await adapter.update(receipt, titled("1"), signal);
    const later = Promise.all(["2", "3", "4"].map((title) => adapter.update(receipt, titled(title), signal)));
    await adapter.send(delivery("e", channel), titled("another"), signal);
    const message = fake.state.message(receipt.message)!;
    expect(message).toMatchObject({ text: "1", edits: 1 });
    await waits.next();
    await later;
    expect(message).toMatchObject({ text: "4", edits: 2 });
    expect(waits.passed).toBeGreaterThan(2000);
  });

  test("what it is about goes along, however long", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    const about = {
      kind: "market.price" as const,
      network: "mainnet",
      subject: "😀".repeat(1000),
      state: "firing" as const,
      severity: "critical" as const,
      at: "1700000000000000000",
      episode: "e1",
    };
    const receipt = await adapter.send(delivery("d1", channel, { about }), titled("x"), signal);
    const { event_payload: payload } = fake.state.message(receipt.message)!.metadata as {
      event_payload: Record<string, string>;
    };
    expect(payload).toMatchObject({ ...about, subject: expect.any(String) as string, delivery: "d1" });
    expect(payload["subject"]!.length).toBeLessThanOrEqual(255);
    expect(payload["subject"]!.isWellFormed()).toBe(true);
  });
});
