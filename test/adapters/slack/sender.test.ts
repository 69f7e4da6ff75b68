import { describe, expect, test } from "vitest";

import { SlackSender } from "../../../src/adapters/slack/slack-sender.ts";
import { createWeb } from "../../../src/adapters/slack/web.ts";
import { SendError, type Delivery, type SendErrorKind } from "../../../src/alerts/sender.ts";
import { silentLog } from "../../../src/log.ts";
import { memoryAttachment } from "../../../src/reply/attachment.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { reply } from "../../../src/reply/reply.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack, type Fault } from "../../support/fake-slack/fake-slack.ts";
import { textOf } from "../../support/fake-slack/person.ts";
import { titled } from "./probe-commands.ts";
import { stage } from "./stage.ts";
import { VirtualWaits } from "./virtual-waits.ts";

const { signal } = new AbortController();

function delivery(id: string, channel: string, more: Partial<Delivery> & { thread?: string } = {}): Delivery {
  const { thread, ...rest } = more;
  return { id, destination: { platform: "slack", channel, ...(thread === undefined ? {} : { thread }) }, ...rest };
}

async function refused(sending: Promise<unknown>): Promise<SendError> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
}

describe("sending outside of questions", () => {
  test("posts with the delivery's id, gives a receipt, and edits by it", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    const alert = reply({ tone: "bad", title: "Blocks have stopped", blocks: [paragraph("No block for 40 s.")] });
    const receipt = await adapter.send(delivery("d1", channel, { mention: "U777" }), alert, signal);
    const message = fake.state.message(receipt.message)!;
    expect(receipt).toMatchObject({ platform: "slack", channel });
    expect(message.metadata).toEqual({ event_type: "bellwether_delivery", event_payload: { delivery: "d1" } });
    expect(message.text).toBe("<@U777> 🔴 Blocks have stopped: No block for 40 s.");
    await adapter.update(receipt, titled("Recovered"), signal);
    expect(textOf(message)).toContain("Recovered");
    expect(message.edits).toBe(1);
  });

  test("into a thread, to a group, into direct messages; files follow in the thread", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    const ann = fake.person("ann");
    const first = await adapter.send(delivery("d0", channel), titled("first"), signal);
    const below = await adapter.send(delivery("d01", channel, { threadOf: first }), titled("below"), signal);
    expect(fake.state.message(below.message)?.thread).toBe(first.message);
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

  test("edits that wait are gathered: the last one is shown", async () => {
    await using scene = await stage({ connect: false, timing: { channelMillis: 60 } });
    const { adapter, channel, fake } = scene;
    const receipt = await adapter.send(delivery("d", channel), titled("0"), signal);
    await Promise.all(["1", "2", "3", "4"].map((title) => adapter.update(receipt, titled(title), signal)));
    const message = fake.state.message(receipt.message)!;
    expect(message.text).toBe("4");
    expect(message.edits).toBe(1);
  });

  const codes: Record<SendErrorKind, string[]> = {
    gone: [
      "channel_not_found",
      "not_in_channel",
      "is_archived",
      "account_inactive",
      "token_revoked",
      "user_disabled",
      "user_not_found",
      "users_not_found",
      "cannot_dm_bot",
      "messages_tab_disabled",
      "restricted_action",
      "restricted_action_read_only_channel",
      "restricted_action_thread_only_channel",
      "team_access_not_granted",
    ],
    unhealable: [
      "invalid_blocks",
      "invalid_blocks_format",
      "msg_too_long",
      "msg_blocks_too_long",
      "no_text",
      "too_many_attachments",
      "invalid_arguments",
      "metadata_too_large",
      "invalid_metadata_schema",
      "never_heard_of",
    ],
    retry: [
      "invalid_auth",
      "not_authed",
      "missing_scope",
      "token_expired",
      "no_permission",
      "ekm_access_denied",
      "org_login_required",
      "message_limit_exceeded",
      "rate_limited",
      "request_timeout",
    ],
    "maybe-sent": ["internal_error", "fatal_error", "service_unavailable", "<html>Maintenance</html>"],
  };

  test.each(Object.entries(codes).flatMap(([kind, all]) => all.map((code) => [code, kind] as const)))(
    "%s: %s",
    async (code, kind) => {
      await using scene = await stage({ connect: false });
      // A limit that is told with a 200 is waited for a little, by the sender itself.
      const times = code === "rate_limited" ? 30 : 1;
      for (let count = 0; count < times; count += 1)
        scene.fake.fail({ method: "chat.postMessage", answer: { error: code } });
      const patience = AbortSignal.timeout(code === "rate_limited" ? 100 : 5000);
      const error = await refused(scene.adapter.send(delivery("d", scene.channel), titled("x"), patience));
      expect(error.kind).toBe(kind);
      expect(error.message).not.toMatch(/xoxb|<html/u);
    },
  );

  test.each([
    ["not_in_channel", "Slack says not_in_channel: type `/invite @bellwether` in the channel"],
    ["is_archived", "Slack says is_archived"],
  ])("%s is said with what to do", async (code, words) => {
    await using scene = await stage({ connect: false });
    scene.fake.fail({ method: "chat.postMessage", answer: { error: code } });
    const error = await refused(scene.adapter.send(delivery("d", scene.channel), titled("x"), signal));
    expect(error.message).toBe(words);
  });

  test.each<[string, Fault["answer"], SendErrorKind, number | undefined]>([
    ["500", { status: 500 }, "maybe-sent", undefined],
    ["502", { status: 502 }, "maybe-sent", undefined],
    ["503", { status: 503 }, "retry", undefined],
    ["a proxy's 403", { status: 403 }, "retry", undefined],
    ["a 429 without Retry-After", { status: 429 }, "retry", undefined],
    ["a long limit", { status: 429, retryAfter: 90 }, "retry", 90_000],
    ["a page instead of an answer", { status: 200 }, "maybe-sent", undefined],
    ["a line that breaks before", "cut-before", "maybe-sent", undefined],
    ["a line that breaks after", "cut-after", "maybe-sent", undefined],
    ["no answer", "hang-before", "maybe-sent", undefined],
    ["no answer, though it arrived", "hang-after", "maybe-sent", undefined],
  ])("%s: %s", async (name, answer, kind, retryAfterMillis) => {
    await using scene = await stage({ connect: false, timing: { callMillis: 50 } });
    const patience = AbortSignal.timeout(name.includes("without") ? 200 : 5000);
    scene.fake.fail({ method: "chat.postMessage", answer });
    const error = await refused(scene.adapter.send(delivery("d", scene.channel), titled("x"), patience));
    expect(error.kind).toBe(kind);
    expect(error.retryAfterMillis).toBe(retryAfterMillis);
    scene.fake.release();
  });

  test.each<[string, Fault["answer"], SendErrorKind]>([
    ["cannot be opened for the moment", { error: "internal_error" }, "retry"],
    ["hang", "hang-before", "retry"],
    ["answer with 500", { status: 500 }, "retry"],
    ["are those of somebody who has left", { error: "user_disabled" }, "gone"],
    ["lack a permission", { error: "missing_scope" }, "retry"],
  ])("direct messages that %s: nothing was sent", async (_name, answer, kind) => {
    await using scene = await stage({ connect: false, timing: { callMillis: 50 } });
    scene.fake.fail({ method: "conversations.open", answer });
    const error = await refused(scene.adapter.send(delivery("d", "user:U0123ABCD"), titled("x"), signal));
    expect(error.kind).toBe(kind);
    scene.fake.release();
  });

  test.each(["cannot_reply_to_message", "thread_not_found", "restricted_action_thread_locked", "invalid_thread_ts"])(
    "where the thread is gone (%s), into the channel",
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

  test("an edit of what is gone is given up; one of a lost channel tells that", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    fake.expected.add("message_not_found").add("is_archived");
    const receipt = await adapter.send(delivery("d", channel), titled("x"), signal);
    fake.state.message(receipt.message)!.gone = true;
    expect((await refused(adapter.update(receipt, titled("y"), signal))).kind).toBe("unhealable");
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

  test("what is broken off may have been sent; what cannot begin was not", async () => {
    await using scene = await stage({ connect: false });
    const { adapter, channel, fake } = scene;
    fake.fail({ method: "chat.postMessage", answer: "cut-after" });
    expect((await refused(adapter.send(delivery("d1", channel), titled("x"), signal))).kind).toBe("maybe-sent");
    fake.fail({ method: "chat.postMessage", answer: { status: 503 } });
    expect((await refused(adapter.send(delivery("d2", channel), titled("x"), signal))).kind).toBe("retry");
    fake.fail({ method: "chat.postMessage", answer: { status: 500 } });
    expect((await refused(adapter.send(delivery("d3", channel), titled("x"), signal))).kind).toBe("maybe-sent");
    const aborted = AbortSignal.abort(new Error("given up"));
    expect((await refused(adapter.send(delivery("d4", channel), titled("x"), aborted))).kind).toBe("retry");
    const log = silentLog();
    // Where nothing listens any more.
    const ended = await FakeSlack.start();
    const { apiUrl } = ended;
    await ended.stop();
    const parts = {
      payloads: { put: async () => "", get: async () => undefined },
      log,
      keepMillis: 1,
      botName: () => "x",
      sleep: () => Promise.resolve(),
    };
    const nobody = new SlackSender(createWeb("xoxb-1", { apiUrl, log }), parts, 1);
    expect((await refused(nobody.send(delivery("d5", channel), titled("x"), signal))).kind).toBe("retry");
  });
});
