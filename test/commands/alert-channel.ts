import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { AlertMessage } from "../../src/alerts/message/message.ts";
import type { Caller, Target } from "../../src/bot/invocation.ts";
import { silentLog } from "../../src/log.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { down, stalled } from "../alerts/readings.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import type { FakeSender } from "../support/fake-sender.ts";
import { describeAlert, gistOf } from "../support/gist.ts";
import { see } from "../support/see.ts";
import { NOON, type Talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";
import { type Destination, destinationKey } from "../../src/alerts/destination.ts";

export { see };

const files = { maxBytes: 1e7, maxCount: 10 };
const CHANNEL = "1122334455667788990";

/** A channel of a server, its direct messages, and callers there. */
export const OPS: Target = { platform: "discord", workspace: "99", channel: CHANNEL, files };
export const ELSEWHERE: Target = { ...OPS, channel: "2222222222222222222" };
export const DIRECT: Target = { platform: "discord", channel: "3333333333333333333", files };
export const CONSOLE_PAGE: Target = { platform: "web", files };
export const ann: Caller = { id: "41", name: "ann", mayManageChannel: true };
export const bob: Caller = { id: "42", name: "bob", mayManageChannel: false };

export const ops: Destination = { platform: "discord", channel: CHANNEL };
export const elsewhere: Destination = { platform: "discord", channel: "2222222222222222222" };
export const toBob: Destination = { platform: "discord", channel: "user:42" };
export const theConsole: Destination = { platform: "web", channel: "console" };

/** A conversation in that channel. */
export async function talkInOps(caller: Caller = ann, options: Parameters<typeof talkToSimulator>[0] = {}) {
  const talk = await talkToSimulator(options);
  talk.become({ here: OPS, caller });
  return talk;
}

/** A channel subscribed to two nodes, of which one is down. */
export async function oneNodeDown() {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down,network.stalled style:plain");
  await see(talk, 1, [stalled("good"), down("good"), down("good", "b:1")]);
  await see(talk, 4, [stalled("good"), down("bad"), down("good", "b:1")]);
  return talk;
}

/** Delivers the outbox, in the time of the conversation, until it is empty. */
export async function deliver(talk: Talk, sender: FakeSender): Promise<void> {
  const clock = new VirtualClock(talk.now());
  const dispatcher = createDispatcher({
    store: talk.store,
    clock,
    log: silentLog(),
    senders: [sender],
    describe: describeAlert,
    random: () => 0,
  });
  const stop = new AbortController();
  const running = dispatcher.run(stop.signal);
  await clock.advance(60_000);
  stop.abort();
  await clock.advance(60_000);
  await running;
}

/** The undelivered messages of a destination, in order, as replies. */
export async function owedReplies(talk: Talk, destination: Destination): Promise<Reply[]> {
  return (await owedMessages(talk, destination)).map((message) => describeAlert(message));
}

/** The undelivered messages of a destination, in order. */
export async function owedMessages({ store }: Talk, destination: Destination): Promise<AlertMessage[]> {
  return store.transaction(async ({ alerts }) => {
    const rows = await alerts.outbox.openOf(destinationKey(destination));
    const messages = new Map(
      (await alerts.outbox.messages(rows.map(({ message }) => message))).map((one) => [one.id, one.data]),
    );
    return rows.map(({ message }) => AlertMessage.parse(JSON.parse(messages.get(message) ?? "null")));
  });
}

/** The gist of each undelivered message. */
export async function owed(talk: Talk, destination: Destination): Promise<string[]> {
  return (await owedReplies(talk, destination)).map(gistOf);
}

/** A reply as the terminal shows it, on wide lines. */
export function shown(reply: Reply): string {
  return renderTerminal(reply, { width: 500, colour: false, links: false, now: NOON });
}

/** The id in a reply about a subscription, or behind the button of one about a silence. */
export function idIn({ actions, blocks }: Reply): string {
  const all = blocks.flatMap((block) => (block.kind === "fields" ? block.fields : []));
  const first = all.find(({ name }) => plainText(name) === "Subscription");
  const pressed = actions.flatMap((one) => ("invocation" in one ? (one.invocation.options["id"] ?? []) : []));
  const id = first === undefined ? pressed[0] : plainText(first.value);
  if (typeof id !== "string") throw new Error("no id in this reply");
  return id;
}
