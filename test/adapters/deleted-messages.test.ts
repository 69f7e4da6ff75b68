import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import type { AlertEngine } from "../../src/alerts/engine/engine.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { reply } from "../../src/reply/reply.ts";
import type { Store } from "../../src/store/store.ts";
import { fromMillis } from "../../src/units/time.ts";
import { down } from "../alerts/readings.ts";
import { alertsOn } from "../support/alert-service.ts";
import { deliveringFor } from "../support/delivering.ts";
import { until } from "../support/fake-discord/until.ts";
import { textOf as discordText } from "../support/fake-discord/person.ts";
import { textOf as slackText } from "../support/fake-slack/person.ts";
import { stage as discordStage } from "./discord/stage.ts";
import { stage as slackStage } from "./slack/stage.ts";

// Somebody deletes the card of an alert, or its thread, on the wire of both platforms: the log says it in one line, nobody
// else is told anything, and the end is told.

/** A chat with one channel that is subscribed, and one of the operators. */
interface Chat extends AsyncDisposable {
  readonly sender: Sender;
  readonly store: Store;
  readonly channel: string;
  /** What the bot posted for all, oldest first, in this channel or anywhere. */
  posts(channel?: string): readonly { readonly id: string; readonly text: string }[];
  subscribe(style: string): Promise<unknown>;
  deleteMessage(id: string): void;
  /** The thread of a message alone, where the platform has such a thing. */
  deleteThread?(id: string): void;
}

async function onDiscord(): Promise<Chat> {
  const scene = await discordStage({ simulated: false });
  const { fake, channel, store } = scene;
  fake.expected.add(10_008).add(10_003).add(160_004);
  const ann = fake.person("Ann", { manages: true });
  const all = () => [...fake.state.messages.values()].filter(({ onlyFor }) => onlyFor === undefined);
  return {
    sender: scene.adapter,
    store,
    channel,
    posts: (where) =>
      all()
        .filter((one) => where === undefined || one.channel === where)
        .map((one) => ({ id: one.id, text: discordText(one) })),
    subscribe: (style) => ann.run(channel, "alerts add", { kinds: "node.down", style }),
    deleteMessage: (id) => void fake.state.messages.delete(id),
    deleteThread: (id) => void (fake.state.channels.get(id)!.gone = "deleted"),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

async function onSlack(): Promise<Chat> {
  const scene = await slackStage();
  const { fake, channel, store } = scene;
  fake.expected.add("message_not_found").add("thread_not_found");
  const ann = fake.person("ann");
  return {
    sender: scene.adapter,
    store,
    channel,
    posts: (where) =>
      fake.state.messages
        .filter((one) => !one.gone && one.onlyFor === undefined && (where === undefined || one.channel === where))
        .map((one) => ({ id: one.ts, text: slackText(one) })),
    subscribe: (style) => ann.run(channel, `alerts add node.down style:${style}`),
    deleteMessage: (id) => void (fake.state.message(id)!.gone = true),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

/** Observations of node a:1, the first of them so many seconds ago, 5 s apart. */
async function seeBefore(engine: AlertEngine, secondsAgo: number, ...states: ("good" | "bad")[]): Promise<void> {
  for (const [index, state] of states.entries()) {
    const millis = (index * 5 - secondsAgo) * 1000;
    const at = fromMillis(Date.now() + millis);
    const watcher = { name: "sources", every: 5000 };
    await engine.processObservation({
      network: "mainnet",
      watcher,
      snapshot: {},
      readings: [down(state)],
      events: [],
      at,
      dueMillis: millis,
    });
  }
}

/** A subscribed channel was told of a node that is down. */
async function tellOfNode(chat: Chat, style: string) {
  const { engine } = alertsOn(chat.store);
  await chat.subscribe(style);
  await seeBefore(engine, 300, "good", "bad", "bad", "bad");
  const operators = { platform: chat.sender.platform, channel: `${chat.channel}9` };
  const delivering = deliveringFor({ operators }, chat.store, chat.sender);
  const [episode] = await engine.openEpisodes();
  const card = () => chat.posts().find(({ text }) => text.includes("does not answer"));
  await until(() => card() !== undefined, "the card");
  return { engine, episode, card: card()!.id, [Symbol.asyncDispose]: () => delivering[Symbol.asyncDispose]() };
}

const PLATFORMS = [
  ["Discord", onDiscord],
  ["Slack", onSlack],
] as const;

test.each(PLATFORMS)("on %s a deleted card loses only itself", async (_name, open) => {
  await using chat = await open();
  await using alert = await tellOfNode(chat, "live");
  const { engine, episode, card } = alert;
  chat.deleteMessage(card);
  const before = chat.posts().length;
  await engine.acknowledge(episode!.id, { name: "Mia" });
  const decisions = async (what: string) => (await engine.decisions({ limit: 500 })).filter((one) => one.what === what);
  while ((await decisions("dropped")).length === 0) await sleep(10);
  expect(chat.posts()).toHaveLength(before);
  await seeBefore(engine, 100, ...Array<"good">(8).fill("good"));
  await until(() => chat.posts().length > before, "the end");
  expect(chat.posts()).toHaveLength(before + 1);
  expect(chat.posts(chat.channel).at(-1)?.text).toContain("did not answer");
  expect(chat.posts(chat.channel).at(-1)?.text).not.toContain("The whole alert");
  expect([await decisions("dropped"), await decisions("destination unreachable")]).toMatchObject([[{}], []]);
});

test.each(PLATFORMS)("on %s what belongs into a deleted thread is dropped", async (_name, open) => {
  await using chat = await open();
  await using alert = await tellOfNode(chat, "thread");
  const { engine, episode, card: id } = alert;
  if (chat.deleteThread === undefined) chat.deleteMessage(id);
  else {
    const begun = { platform: chat.sender.platform, channel: chat.channel, message: id };
    const note = { id: "begins-the-thread", destination: { platform: begun.platform, channel: chat.channel } };
    await chat.sender.send({ ...note, threadOf: begun }, reply({ title: "Hm" }), new AbortController().signal);
    chat.deleteThread(id);
  }
  const before = chat.posts().length;
  await engine.acknowledge(episode!.id, { name: "Mia" }, (taken, places) =>
    places.map((destination) => ({
      destination,
      message: { type: "change", change: { what: "acknowledged", episode: taken }, by: "Mia", at: taken.detected },
    })),
  );
  const decisions = async (what: string) => (await engine.decisions({ limit: 500 })).filter((one) => one.what === what);
  while ((await decisions("dropped")).length === 0) await sleep(10);
  await seeBefore(engine, 100, ...Array<"good">(8).fill("good"));
  await until(() => chat.posts().length > before, "the end");
  expect(chat.posts()).toHaveLength(before + 1);
  expect(chat.posts(chat.channel).at(-1)?.text).toContain("did not answer");
  expect(await decisions("destination unreachable")).toEqual([]);
});
