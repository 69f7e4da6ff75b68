import { describe, expect, test } from "vitest";

import { SlackSender } from "../../../src/adapters/slack/slack-sender.ts";
import { createWeb } from "../../../src/adapters/slack/web.ts";
import { SendError, type Delivery } from "../../../src/alerts/sender.ts";
import { silentLog } from "../../../src/log.ts";
import { memoryAttachment } from "../../../src/reply/attachment.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { reply } from "../../../src/reply/reply.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { textOf } from "../../support/fake-slack/person.ts";
import { titled } from "./probe-commands.ts";
import { stage } from "./stage.ts";

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

  test.each([
    ["channel_not_found", "gone"],
    ["not_in_channel", "gone"],
    ["is_archived", "gone"],
    ["account_inactive", "gone"],
    ["token_revoked", "gone"],
    ["invalid_blocks", "unhealable"],
    ["msg_too_long", "unhealable"],
    ["invalid_auth", "retry"],
    ["missing_scope", "retry"],
    ["ratelimited", "retry"],
    ["internal_error", "maybe-sent"],
    ["fatal_error", "maybe-sent"],
  ])("%s: %s", async (code, kind) => {
    await using scene = await stage({ connect: false });
    scene.fake.fail({ method: "chat.postMessage", answer: { error: code } });
    const error = await refused(scene.adapter.send(delivery("d", scene.channel), titled("x"), signal));
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(code);
    expect(error.message).not.toContain("xoxb");
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
