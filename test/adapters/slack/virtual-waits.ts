import type { Sleep } from "../../../src/adapters/slack/transport/web-api.ts";
import { until } from "../../support/fake-discord/until.ts";
import type { FakeSlack } from "../../support/fake-slack/fake-slack.ts";

interface Sleeper {
  readonly atMillis: number;
  readonly wake: () => void;
}

/** Waits that end when a test says so; Slack's clock and the bot's move with them. */
export class VirtualWaits {
  readonly #sleepers = new Set<Sleeper>();
  #fake: FakeSlack | undefined;
  /** How long was waited, in all. */
  passed = 0;

  attach(fake: FakeSlack): void {
    this.#fake = fake;
  }

  get waiting(): number {
    return this.#sleepers.size;
  }

  readonly sleep: Sleep = (millis, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { atMillis: this.passed + millis, wake: resolve };
    this.#sleepers.add(sleeper);
    signal.addEventListener("abort", () => {
      this.#sleepers.delete(sleeper);
      reject(signal.reason as Error);
    });
    return promise;
  };

  /** Waits until somebody waits, and lets the time pass until the first of them wakes. */
  async next(): Promise<void> {
    await until(() => this.#sleepers.size > 0, "somebody to wait");
    const [first] = [...this.#sleepers].toSorted((a, b) => a.atMillis - b.atMillis);
    if (first === undefined) return;
    const millis = Math.max(0, first.atMillis - this.passed);
    this.passed += millis;
    if (this.#fake !== undefined) this.#fake.state.advanceMillis += millis;
    this.#sleepers.delete(first);
    first.wake();
  }

  /** Lets so much time pass, one wait after the other. */
  async pass(millis: number): Promise<void> {
    const end = this.passed + millis;
    while (this.passed < end) await this.next();
  }

  /** Lets time pass until something holds. */
  async passUntil(holds: () => boolean, what: string): Promise<void> {
    while (!holds()) {
      await until(() => holds() || this.#sleepers.size > 0, what);
      if (!holds()) await this.next();
    }
  }
}
