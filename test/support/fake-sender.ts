import { type Delivery, type Receipt, type Sender, SendError } from "../../src/alerts/sender.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";

/**
 * What becomes of one try. `posted-unknown` arrives, and the answer does not; `lost-unknown` does neither. `hang` gives
 * no answer at all, and `posted-hang` arrives all the same.
 */
export type Fate = "ok" | "posted-unknown" | "lost-unknown" | "hang" | "posted-hang" | SendError;

export interface Post {
  readonly channel: string;
  readonly title: string;
  readonly delivery: Delivery;
  readonly reply: Reply;
  readonly message: string;
}

export interface FakeSenderOptions {
  readonly platform?: string;
  /** Unix milliseconds, or any clock that only grows. */
  readonly now: () => number;
  /** Drops repeats as Discord does, for so long. */
  readonly dropsRepeatsForMillis?: number;
}

/** A chat that remembers everything and lets nothing pass unnoticed: what a test does not take, `verify` reports. */
export class FakeSender implements Sender {
  readonly platform: string;
  readonly dropsRepeatsForMillis?: number;
  readonly posts: Post[] = [];
  readonly edits: { readonly message: string; readonly title: string; readonly reply: Reply }[] = [];
  /** Decides what becomes of each try; all are well unless a test says otherwise. */
  fate: (delivery: Delivery | Receipt, tries: number) => Fate = () => "ok";
  readonly #now: () => number;
  readonly #nonces = new Map<string, { at: number; receipt: Receipt }>();
  readonly #tries = new Map<string, number>();
  #taken = 0;
  #editsTaken = 0;
  #next = 1;

  constructor({ platform = "fake", now, dropsRepeatsForMillis }: FakeSenderOptions) {
    this.platform = platform;
    this.#now = now;
    if (dropsRepeatsForMillis !== undefined) this.dropsRepeatsForMillis = dropsRepeatsForMillis;
  }

  async send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    if (delivery.id.length > 25) throw new SendError("unhealable", "a delivery id above 25 characters");
    const fate = this.#decide(delivery.id, delivery);
    if (fate === "hang") return hang(signal);
    if (fate instanceof SendError) throw fate;
    if (fate === "lost-unknown") throw new SendError("maybe-sent", "no answer");
    const receipt = this.#post(delivery, reply);
    if (fate === "posted-hang") return hang(signal);
    if (fate === "posted-unknown") throw new SendError("maybe-sent", "no answer");
    return receipt;
  }

  async update(receipt: Receipt, reply: Reply, signal: AbortSignal): Promise<void> {
    const fate = this.#decide(`edit ${receipt.message}`, receipt);
    if (fate === "hang") return hang(signal);
    if (fate instanceof SendError) throw fate;
    if (fate === "lost-unknown") throw new SendError("maybe-sent", "no answer");
    if (fate === "posted-hang") return hang(signal);
    this.edits.push({ message: receipt.message, title: plainText(reply.title), reply });
    if (fate === "posted-unknown") throw new SendError("maybe-sent", "no answer");
  }

  /** The titles posted since the last time, with their channel where there is more than one. */
  take(): string[] {
    const fresh = this.posts.slice(this.#taken);
    this.#taken = this.posts.length;
    return fresh.map(({ channel, title }) => (channel === "ops" ? title : `${channel}: ${title}`));
  }

  /** The titles edited in since the last time. */
  takeEdits(): string[] {
    const fresh = this.edits.slice(this.#editsTaken);
    this.#editsTaken = this.edits.length;
    return fresh.map(({ title }) => title);
  }

  /** Throws where something was said that nobody expected. */
  verify(): void {
    const left = [...this.take(), ...this.takeEdits().map((title) => `edit: ${title}`)];
    if (left.length > 0) throw new Error(`unexpected on ${this.platform}: ${left.join("; ")}`);
  }

  #decide(key: string, what: Delivery | Receipt): Fate {
    const tries = (this.#tries.get(key) ?? 0) + 1;
    this.#tries.set(key, tries);
    return this.fate(what, tries);
  }

  #post(delivery: Delivery, reply: Reply): Receipt {
    const { channel } = delivery.destination;
    const known = this.#nonces.get(delivery.id);
    const window = this.dropsRepeatsForMillis ?? 0;
    if (known !== undefined && this.#now() - known.at < window) return known.receipt;
    const message = String(this.#next++);
    this.posts.push({ channel, title: plainText(reply.title), delivery, reply, message });
    const receipt = { platform: this.platform, channel, message };
    this.#nonces.set(delivery.id, { at: this.#now(), receipt });
    return receipt;
  }
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new SendError("maybe-sent", "given up")));
  });
}
