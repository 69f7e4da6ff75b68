import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { nowMillis, randomId } from "../../src/alerts/dependencies.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { enqueue } from "../../src/alerts/deliver/outbox/outbox.ts";
import { destinationKey } from "../../src/alerts/destination.ts";
import { type Delivery, type Receipt, type Sender, SendError } from "../../src/alerts/sender.ts";
import { silentLog } from "../../src/log.ts";
import { memoryAttachment, reply } from "../../src/reply/reply.ts";
import { singleProcess } from "../../src/store/processes.ts";
import type { Store } from "../../src/store/store.ts";
import { settled, VirtualClock } from "../api/virtual-clock.ts";
import { textOf as discordText } from "../support/fake-discord/person.ts";
import { until } from "../support/fake-discord/until.ts";
import { textOf as slackText } from "../support/fake-slack/person.ts";
import { PLATFORMS as KNOWN_PLATFORMS } from "../support/platforms.ts";
import { stage as discordStage } from "./discord/stage.ts";
import { stage as slackStage } from "./slack/stage.ts";

// The words of an alert arrive before its files, on the wire of both platforms, and no message waits for an upload.

interface Chat extends AsyncDisposable {
  readonly sender: Sender;
  readonly store: Store;
  readonly channel: string;
  /** The next upload gets no answer; with `cut`, its connection breaks. */
  failUpload(how?: "cut"): void;
  /** The uploads that have begun. */
  uploads(): number;
  /** The texts of the messages that the bot posted, oldest first. */
  texts(): readonly string[];
  /** Somebody deletes the message with this text. */
  deleteMessage(text: string): void;
  /** Somebody deletes the thread below the message with this text; on Slack that goes with the message. */
  deleteThread(text: string): void;
  /** The next post or edit is put off for a second. */
  limit(how: "post" | "edit"): void;
  /** How often the platform did so. */
  limited(): number;
  /** The files that stand there, each with the message or thread that it is in. */
  files(): readonly { readonly at: string | undefined; readonly name: string }[];
}

async function onDiscord(): Promise<Chat> {
  const scene = await discordStage({ simulated: false });
  const { fake, channel } = scene;
  const path = /\/messages\/\d+$/u;
  const LIMITED = { post: { method: "POST", path: /\/messages$/u }, edit: { method: "PATCH", path } };
  const body = { message: "You are being rate limited.", retry_after: 1, global: false };
  // What the bot still owes to a deleted message or thread.
  fake.expected.add(10_008).add(10_003);
  const named = (text: string) => [...fake.state.messages.values()].find((one) => discordText(one) === text)!;
  let withFiles = 0;
  fake.onRequest = ({ method, path: asked }) => {
    if (method === "PATCH" && path.test(asked)) withFiles += 1;
  };
  return {
    sender: scene.adapter,
    store: scene.store,
    channel,
    failUpload: (how) => fake.fail({ method: "PATCH", path, answer: how === "cut" ? "cut-before" : "hang-before" }),
    uploads: () => withFiles,
    texts: () => [...fake.state.messages.values()].map((one) => discordText(one)),
    deleteMessage: (text) => void fake.state.messages.delete(named(text).id),
    deleteThread(text) {
      const { id } = named(text);
      fake.state.channels.get(id)!.gone = "deleted";
      for (const one of fake.state.messages.values()) if (one.channel === id) fake.state.messages.delete(one.id);
    },
    limit: (how) => fake.fail({ ...LIMITED[how], answer: { status: 429, headers: { "retry-after": "1" }, body } }),
    limited: () => fake.requests.filter(({ status }) => status === 429).length,
    files: () =>
      [...fake.state.messages.values()].flatMap(({ id, files }) => files.map(({ name }) => ({ at: id, name }))),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

async function onSlack(): Promise<Chat> {
  const scene = await slackStage({ connect: false });
  const { fake, channel } = scene;
  const LIMITED = { post: "chat.postMessage", edit: "chat.update" };
  fake.expected.add("message_not_found").add("thread_not_found");
  const shown = () => fake.state.messages.filter(({ gone }) => !gone);
  const deleteMessage = (text: string): void => {
    shown().find((one) => slackText(one) === text)!.gone = true;
  };
  return {
    sender: scene.adapter,
    store: scene.store,
    channel,
    deleteMessage,
    deleteThread: deleteMessage,
    limit: (how) => fake.fail({ method: LIMITED[how], answer: { status: 429, retryAfter: 1 } }),
    limited: () => fake.requests.filter(({ outcome }) => outcome === "429").length,
    failUpload: (how) => fake.fail({ method: "upload", answer: how === "cut" ? "cut-before" : "hang-before" }),
    uploads: () => fake.begun.filter((method) => method === "upload").length,
    texts: () =>
      shown()
        .filter(({ files }) => files.length === 0)
        .map((one) => slackText(one)),
    files: () => shown().flatMap(({ thread, files }) => files.map(({ name }) => ({ at: thread, name }))),
    async [Symbol.asyncDispose]() {
      fake.release();
      await scene[Symbol.asyncDispose]();
    },
  };
}

const csv = () => memoryAttachment("nodes.csv", "text/csv", "node\na:1\n");
const { signal } = new AbortController();

function delivery(chat: Chat, id: string, more: Partial<Delivery> = {}): Delivery {
  return { id, destination: { platform: chat.sender.platform, channel: chat.channel }, ...more };
}

const PLATFORMS = [
  ["Discord", onDiscord],
  ["Slack", onSlack],
] as const;

describe.each(PLATFORMS)("on %s", (_name, open) => {
  test("posts and edits of a channel go on while an upload gets no answer; its words are there once", async () => {
    await using chat = await open();
    const { sender } = chat;
    const first = await sender.send(delivery(chat, "d0"), reply({ title: "First" }), signal);
    const leave = new AbortController();
    const posted: Receipt[] = [];
    chat.failUpload();
    const given = delivery(chat, "d1", { onPosted: (receipt) => posted.push(receipt) });
    const slow = sender.send(given, reply({ title: "Many", attachments: [csv()] }), leave.signal);
    const failed = slow.then(
      () => undefined,
      (error: unknown) => error,
    );
    await until(() => chat.uploads() === 1, "the upload");
    expect(posted).toHaveLength(1);
    const soon = AbortSignal.timeout(10_000);
    await sender.send(delivery(chat, "d2"), reply({ title: "Next" }), soon);
    await sender.update(first, reply({ title: "Edited" }), soon);
    expect(chat.texts()).toEqual(["Edited", "Many", "Next"]);
    expect(chat.files()).toEqual([]);
    leave.abort(new Error("it took too long"));
    expect(await failed).toBeInstanceOf(SendError);
    // The next attempt brings what is left.
    await sender.update(posted[0]!, reply({ title: "Many", attachments: [csv()] }), signal);
    expect(chat.texts()).toEqual(["Edited", "Many", "Next"]);
    expect(chat.files().map(({ name }) => name)).toEqual(["nodes.csv"]);
  });

  test("an edit that brings files lets others pass, too, and says when its words are there", async () => {
    await using chat = await open();
    const { sender } = chat;
    const receipt = await sender.send(delivery(chat, "d0"), reply({ title: "Few" }), signal);
    let said: readonly string[] = [];
    const onPosted = (): void => void (said = chat.texts());
    const before = chat.uploads();
    await sender.update(receipt, reply({ title: "Many", attachments: [csv()] }), signal, { onPosted });
    expect(said).toEqual(["Many"]);
    expect(chat.files().map(({ name }) => name)).toEqual(["nodes.csv"]);
    expect(chat.uploads()).toBeGreaterThan(before);
  });

  test("an upload that breaks off is tried again, not said", async () => {
    await using chat = await open();
    const { sender } = chat;
    const posted: Receipt[] = [];
    chat.failUpload("cut");
    const given = delivery(chat, "d1", { onPosted: (receipt) => posted.push(receipt) });
    const sending = sender.send(given, reply({ title: "Many", attachments: [csv()] }), signal);
    await expect(sending).rejects.toBeInstanceOf(SendError);
    expect([chat.texts(), chat.files()]).toEqual([["Many"], []]);
    await sender.update(posted[0]!, reply({ title: "Many", attachments: [csv()] }), signal);
    expect([chat.texts(), chat.files().length]).toEqual([["Many"], 1]);
  });
});

/** A process that delivers until it is killed: from then on nothing that it does is stored. */
function startProcess({ sender, store }: Chat, clock: VirtualClock) {
  let isKilled = false;
  const stop = new AbortController();
  const dispatcher = createDispatcher({
    random: () => 0,
    store: {
      processes: singleProcess(),
      transaction: (work) => (isKilled ? Promise.reject(new Error("the process is dead")) : store.transaction(work)),
    },
    clock,
    log: silentLog(),
    senders: [sender],
    describe: (message) => {
      const title = message.type === "test" ? message.by : "";
      return reply({ title, attachments: title === "Many" ? [csv()] : [] });
    },
    platforms: KNOWN_PLATFORMS,
  });
  const running = dispatcher.run(stop.signal);
  return {
    /** Returns the delivery's id. */
    async owe(channel: string, by: string, threadOf?: string): Promise<string> {
      const id = randomId();
      const destination = { platform: sender.platform, channel };
      const message = { type: "test", by, at: "1" } as const;
      const thread = threadOf === undefined ? {} : { threadOf };
      const deliveries = [{ id, destination, phase: "bot", message, ...thread }] as const;
      await store.transaction(({ alerts }) => enqueue(alerts, { deliveries }, nowMillis(clock)));
      dispatcher.wake();
      return id;
    },
    kill(): void {
      isKilled = true;
      stop.abort();
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await settled();
      await clock.advance(5000);
      await running;
    },
  };
}

test.each(PLATFORMS)(
  "on %s, the next alert of a channel passes a file that hangs, and the next process brings that file alone",
  async (_name, open) => {
    await using chat = await open();
    const clock = new VirtualClock();
    await using first = startProcess(chat, clock);
    chat.failUpload();
    await first.owe(chat.channel, "Many");
    await until(() => chat.uploads() === 1, "the upload");
    await first.owe(chat.channel, "Next");
    await until(() => chat.texts().length === 2, "the next alert");
    const waiting = () =>
      chat.store.transaction(({ alerts }) => alerts.outbox.openOf(destinationKeyOf(chat)).then((open) => open.length));
    await expect.poll(waiting).toBe(1);
    first.kill();
    await using _second = startProcess(chat, clock);
    for (let turn = 0; turn < 10; turn += 1) await settled();
    expect(chat.files()).toEqual([]);
    await clock.advance(10_000);
    await until(() => chat.files().length === 1, "the file");
    await expect.poll(waiting).toBe(0);
    expect(chat.texts()).toEqual(["Many", "Next"]);
    expect(chat.files().map(({ name }) => name)).toEqual(["nodes.csv"]);
  },
);

/** The decisions of this kind in the log. */
async function decided({ store }: Chat, what: string) {
  const all = await store.transaction(({ alerts }) => alerts.log.read({ limit: 500 }));
  return all.filter((one) => one.what === what);
}

/** How many deliveries are owed there. */
function waitingIn(chat: Chat): Promise<number> {
  return chat.store.transaction(({ alerts }) =>
    alerts.outbox.openOf(destinationKeyOf(chat)).then(({ length }) => length),
  );
}

describe.each(PLATFORMS)("on %s, a file hangs", (_name, open) => {
  test.each(["its message", "the thread that it is in"])(
    "while somebody deletes %s: nothing is posted anew, and the channel goes on",
    async (what) => {
      await using chat = await open();
      const clock = new VirtualClock();
      await using process = startProcess(chat, clock);
      const isInThread = what !== "its message";
      const card = isInThread ? await process.owe(chat.channel, "Card") : undefined;
      await expect.poll(() => waitingIn(chat)).toBe(0);
      chat.failUpload();
      await process.owe(chat.channel, "Many", card);
      await until(() => chat.uploads() === 1, "the upload");
      if (isInThread) chat.deleteThread("Card");
      else chat.deleteMessage("Many");
      await process.owe(chat.channel, "Next");
      await passUntil(clock, async () => (await waitingIn(chat)) === 0);
      expect(await waitingIn(chat)).toBe(0);
      // Slack keeps what stands below a deleted message, and takes files there.
      const stays = isInThread && chat.sender.platform === "slack" ? ["Many"] : [];
      expect(chat.texts().filter((text) => text !== "Card")).toEqual([...stays, "Next"]);
      expect(chat.files()).toHaveLength(stays.length);
      expect(await decided(chat, "destination unreachable")).toEqual([]);
    },
  );

  test.each(["post", "edit"] as const)(
    "and the platform puts off the %s of its words with 429: they come once, and then the file",
    async (how) => {
      await using chat = await open();
      const clock = new VirtualClock();
      await using process = startProcess(chat, clock);
      if (how === "post") chat.limit("post");
      else chat.failUpload();
      await process.owe(chat.channel, "Many");
      if (how === "edit") {
        await until(() => chat.uploads() === 1, "the upload");
        chat.limit("edit");
        await clock.advance(60_000);
      }
      await passUntil(clock, async () => chat.files().length === 1);
      await expect.poll(() => waitingIn(chat)).toBe(0);
      expect([chat.texts(), chat.files().length, chat.limited()]).toEqual([["Many"], 1, 1]);
    },
  );
});

/** Lets time pass, by the clock and in truth, until this is so. */
async function passUntil(clock: VirtualClock, isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 400 && !(await isSo()); turn += 1) {
    await clock.advance(1000);
    await sleep(10);
  }
}

function destinationKeyOf({ sender, channel }: Chat): string {
  return destinationKey({ platform: sender.platform, channel });
}

test("on Slack, what is brought later to a message in a thread comes into that thread", async () => {
  await using chat = await onSlack();
  const { sender } = chat;
  const card = await sender.send(delivery(chat, "d0"), reply({ title: "Stalled" }), signal);
  const posted: Receipt[] = [];
  chat.failUpload("cut");
  const given = delivery(chat, "d1", { threadOf: card, onPosted: (receipt) => posted.push(receipt) });
  const many = () => reply({ title: "Many", attachments: [csv()] });
  await expect(sender.send(given, many(), signal)).rejects.toMatchObject({ kind: "retry" });
  await sender.update(posted[0]!, many(), signal, { threadOf: card });
  expect(chat.files()).toEqual([{ at: card.message, name: "nodes.csv" }]);
});

test("on Slack, of several files those that arrived are not brought again", async () => {
  await using chat = await onSlack();
  const { sender } = chat;
  const files = () => ["a.csv", "b.csv", "c.csv"].map((name) => memoryAttachment(name, "text/csv", `${name}\n`));
  const posted: Receipt[] = [];
  chat.failUpload("cut");
  const given = delivery(chat, "d1", { onPosted: (receipt) => posted.push(receipt) });
  const sending = sender.send(given, reply({ title: "Many", attachments: files() }), signal);
  await expect(sending).rejects.toMatchObject({ kind: "retry" });
  expect(chat.files().map(({ name }) => name)).toEqual(["b.csv", "c.csv"]);
  await sender.update(posted[0]!, reply({ title: "Many", attachments: files() }), signal);
  expect(chat.files().map(({ name }) => name)).toEqual(["b.csv", "c.csv", "a.csv"]);
});

test.each([
  ["a long 429 at the first step", "files.getUploadURLExternal", { status: 429, retryAfter: 600 }, "retry"],
  ["a long 429 at the last step", "files.completeUploadExternal", { status: 429, retryAfter: 600 }, "retry"],
  ["a 500", "files.getUploadURLExternal", { status: 500 }, "retry"],
  ["an error of Slack's own", "files.getUploadURLExternal", { error: "internal_error" }, "retry"],
  ["a 503 of the upload", "upload", { status: 503 }, "retry"],
  ["a refused token", "files.getUploadURLExternal", { error: "invalid_auth" }, "refused"],
] as const)("on Slack, of two files the one that meets %s comes later, and nothing is said", async (...given) => {
  const [, method, answer, kind] = given;
  await using scene = await slackStage({ connect: false });
  const { adapter, channel, fake } = scene;
  const many = () =>
    reply({
      title: "Many",
      attachments: ["a.csv", "b.csv"].map((name) => memoryAttachment(name, "text/csv", `${name}\n`)),
    });
  const posted: Receipt[] = [];
  fake.fail({ method, answer });
  const onPosted = (receipt: Receipt): void => void posted.push(receipt);
  const sending = adapter.send({ id: "d1", destination: { platform: "slack", channel }, onPosted }, many(), signal);
  await expect(sending).rejects.toMatchObject({ kind });
  const names = () => fake.state.messages.flatMap(({ files }) => files.map(({ name }) => name));
  expect(names()).toEqual(["b.csv"]);
  await adapter.update(posted[0]!, many(), signal);
  expect(names()).toEqual(["b.csv", "a.csv"]);
  expect(fake.state.messages.filter(({ files }) => files.length === 0)).toHaveLength(1);
});

test("on Discord, the mention stays where it is, and a picture comes with its file", async () => {
  await using scene = await discordStage({ simulated: false });
  const { adapter, channel, fake } = scene;
  const picture = memoryAttachment("price.png", "image/png", "png", { alt: "The price" });
  let words: unknown;
  const onPosted = ({ message }: Receipt): void => {
    const { content, embeds, files } = fake.state.messages.get(message)!;
    words = { content, images: embeds.map(({ image }) => image), files };
  };
  const destination = { platform: "discord", channel };
  const given = { id: "d1", destination, mention: "123456", onPosted };
  const { message } = await adapter.send(given, reply({ title: "Crossed", picture }), signal);
  const stored = fake.state.messages.get(message)!;
  expect(words).toEqual({ content: stored.content, images: [undefined], files: [] });
  expect(stored.content).toContain("<@&123456>");
  expect(stored.pinged).toEqual(["<@&123456>"]);
  expect(stored.embeds.map(({ image }) => image?.url)).toEqual(["attachment://price.png"]);
  expect(stored.files.map(({ name }) => name)).toEqual(["price.png"]);
});
