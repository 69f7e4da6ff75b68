import type { Subscription } from "../../src/alerts/route/subscription.ts";
import type { Delivery, Receipt, Sender } from "../../src/alerts/sender.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { subscriptionOf } from "../support/subscription-of.ts";
import { deliver } from "../verdicts/delivery.ts";
import type { Scene } from "./scenes.ts";

type Style = Subscription["style"];
export const STYLES: readonly Style[] = ["live", "thread", "plain"];

/** One thing that a channel was sent. */
export interface Sent {
  /** `reply`: a post that only the thread of another one shows. */
  readonly what: "post" | "reply" | "edit";
  /** Milliseconds of the world. */
  readonly at: number;
  /** Which message of the channel it is, from 1. */
  readonly message: number;
  /** It notifies nobody where the platform can do so. */
  readonly silent?: true;
  readonly line: string;
}

/** What each channel of a scene was sent: one in each style, with the same subscription otherwise. */
export type Channels = Readonly<Record<Style, readonly Sent[]>>;

export async function play({ plan, kinds, parameters = {}, beside }: Scene): Promise<Channels> {
  const sent: Record<Style, Sent[]> = { live: [], thread: [], plain: [] };
  await deliver({
    plan,
    subscriptions: STYLES.map((style, index) =>
      subscriptionOf(index, { platform: PLATFORM, channel: style }, kinds, "usual", "mainnet", { style, parameters }),
    ),
    senderAt: (now) => new NotingSender(sent, now),
    ...(beside === undefined ? {} : { beside: beside() }),
  });
  return sent;
}

export function countOf(sent: readonly Sent[], what: Sent["what"]): number {
  return sent.filter((one) => one.what === what).length;
}

const PLATFORM = "noting";

class NotingSender implements Sender {
  readonly platform = PLATFORM;
  readonly #sent: Readonly<Record<string, Sent[]>>;
  readonly #now: () => number;

  constructor(sent: Readonly<Record<string, Sent[]>>, now: () => number) {
    this.#sent = sent;
    this.#now = now;
  }

  send({ destination, threadOf, quiet }: Delivery, reply: Reply): Promise<Receipt> {
    const sent = this.#sent[destination.channel] ?? [];
    const message = 1 + sent.filter(({ what }) => what !== "edit").length;
    const what = threadOf === undefined ? "post" : "reply";
    const silent = quiet === true ? { silent: true as const } : {};
    sent.push({ what, at: this.#now(), message, ...silent, line: plainText(reply.title) });
    return Promise.resolve({ ...destination, message: String(message) });
  }

  update({ channel, message }: Receipt, reply: Reply): Promise<void> {
    const line = plainText(reply.title);
    this.#sent[channel]?.push({ what: "edit", at: this.#now(), message: Number(message), line });
    return Promise.resolve();
  }
}
