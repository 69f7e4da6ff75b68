import { type Delivery, type Edit, type Receipt, type Sender, SendError } from "../../src/alerts/sender.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { gistOf, saysEnd } from "./gist.ts";

/**
 * The outcome of one attempt. `posted-unknown` is posted, but its answer is lost; `lost-unknown` is not even posted. `hang`
 * never answers, and `posted-hang` is posted all the same; `posted-late`, too, and its receipt waits in `late`. Of
 * `files-hang` the words are posted, and its files never end; `files` are what becomes of those after the words.
 */
export type SendOutcome =
  | "posted-late"
  | "ok"
  | "posted-unknown"
  | "lost-unknown"
  | "hang"
  | "posted-hang"
  | "files-hang"
  | { readonly files: "ok" | SendError }
  | SendError;

export interface Post {
  readonly channel: string;
  readonly gist: string;
  readonly delivery: Delivery;
  readonly reply: Reply;
  readonly message: string;
}

export interface FakeSenderOptions {
  readonly platform?: string;
  /** Unix milliseconds, or any clock that only grows. */
  readonly now: () => number;
  /** How long repeats are dropped, as Discord does. */
  readonly dropsRepeatsForMillis?: number;
}

/** A chat that remembers everything: `verify` reports any message that a test has not taken. */
export class FakeSender implements Sender {
  readonly platform: string;
  readonly dropsRepeatsForMillis?: number;
  readonly posts: Post[] = [];
  readonly edits: {
    readonly message: string;
    readonly gist: string;
    readonly reply: Reply;
    readonly plain: boolean;
  }[] = [];
  /** The messages that were given a picture, with its name, and those whose edits kept it. */
  readonly pictures: string[] = [];
  readonly kept: string[] = [];
  /** What becomes of a picture; all arrive by default. */
  putting: () => void = () => undefined;
  /** The messages whose files have arrived. */
  readonly files: string[] = [];
  /** Gives the receipts of what was posted late, once the test says so. */
  readonly late: (() => void)[] = [];
  /** Whether the edit whose outcome is asked for is plain text. */
  isPlainEdit = false;
  /** Decides the outcome of each attempt; all succeed by default. */
  outcome: (delivery: Delivery | Receipt, attempts: number) => SendOutcome = () => "ok";
  readonly #now: () => number;
  readonly #nonces = new Map<string, { at: number; receipt: Receipt }>();
  readonly #attempts = new Map<string, number>();
  #taken = 0;
  #editsTaken = 0;
  #next = 1;

  constructor({ platform = "fake", now, dropsRepeatsForMillis }: FakeSenderOptions) {
    this.platform = platform;
    this.#now = now;
    if (dropsRepeatsForMillis !== undefined) this.dropsRepeatsForMillis = dropsRepeatsForMillis;
  }

  async send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    if (delivery.id.length > 25) throw new SendError("permanent", "a delivery id above 25 characters");
    const outcome = this.#decide(delivery.id, delivery);
    if (outcome === "hang") return hang(signal);
    if (outcome instanceof SendError) throw outcome;
    if (outcome === "lost-unknown") throw new SendError("maybe-sent", "no answer");
    const receipt = this.#post(delivery, reply);
    if (outcome === "posted-hang") return hang(signal);
    if (outcome === "posted-late") {
      this.late.push(() => delivery.onLateReceipt?.(receipt));
      return hang(signal);
    }
    if (outcome === "posted-unknown") throw new SendError("maybe-sent", "no answer");
    if (delivery.plain !== true) {
      await this.#files(outcome, receipt.message, signal, () => delivery.onPosted?.(receipt));
    }
    await this.#picture(delivery.picture, receipt.message, () => delivery.onPosted?.(receipt));
    return receipt;
  }

  async update(receipt: Receipt, reply: Reply, signal: AbortSignal, edit: Edit = {}): Promise<void> {
    const { plain } = edit;
    this.isPlainEdit = plain === true;
    const outcome = this.#decide(`edit ${receipt.message}`, receipt);
    if (outcome === "hang") return hang(signal);
    if (outcome instanceof SendError) throw outcome;
    if (outcome === "lost-unknown") throw new SendError("maybe-sent", "no answer");
    if (outcome === "posted-hang") return hang(signal);
    this.edits.push({ message: receipt.message, gist: gistOf(reply), reply, plain: plain === true });
    if (outcome === "posted-unknown") throw new SendError("maybe-sent", "no answer");
    if (edit.pictured !== undefined) this.kept.push(`${receipt.message} ${edit.pictured}`);
    if (plain !== true) await this.#files(outcome, receipt.message, signal, edit.onPosted);
    await this.#picture(edit.picture, receipt.message, edit.onPosted);
  }

  async #picture(picture: Edit["picture"], message: string, onPosted?: () => void): Promise<void> {
    if (picture === undefined) return;
    onPosted?.();
    await picture(async ({ name }) => {
      this.putting();
      this.pictures.push(`${message} ${name}`);
      return name;
    });
  }

  /** The gist of each message posted since the last time, with its channel where there is more than one. */
  take(): string[] {
    const fresh = this.posts.slice(this.#taken);
    this.#taken = this.posts.length;
    return fresh.map(({ channel, gist }) => (channel === "ops" ? gist : `${channel}: ${gist}`));
  }

  /** The gist of each edit since the last time. */
  takeEdits(): string[] {
    const fresh = this.edits.slice(this.#editsTaken);
    this.#editsTaken = this.edits.length;
    return fresh.map(({ gist }) => gist);
  }

  /**
   * Throws where there are messages that the test has not taken. Every message of an episode is edited at its end: those
   * edits need not be taken.
   */
  verify(): void {
    const edits = this.edits.slice(this.#editsTaken).filter(({ reply }) => !saysEnd(reply));
    const left = [...this.take(), ...edits.map(({ gist }) => `edit: ${gist}`)];
    if (left.length > 0) throw new Error(`unexpected on ${this.platform}: ${left.join("; ")}`);
  }

  async #files(outcome: SendOutcome, message: string, signal: AbortSignal, onPosted?: () => void): Promise<void> {
    if (outcome !== "files-hang" && (typeof outcome !== "object" || !("files" in outcome))) return;
    onPosted?.();
    if (outcome === "files-hang") return hang(signal);
    if (outcome.files !== "ok") throw outcome.files;
    this.files.push(message);
  }

  #decide(key: string, what: Delivery | Receipt): SendOutcome {
    const attempts = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempts);
    return this.outcome(what, attempts);
  }

  #post(delivery: Delivery, reply: Reply): Receipt {
    const { channel } = delivery.destination;
    const known = this.#nonces.get(delivery.id);
    const window = this.dropsRepeatsForMillis ?? 0;
    if (known !== undefined && this.#now() - known.at < window) return known.receipt;
    const message = String(this.#next++);
    this.posts.push({ channel, gist: gistOf(reply), delivery, reply, message });
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
