import { afterAll, beforeAll, beforeEach, vi } from "vitest";

import type { Delivery } from "../../../../src/alerts/sender.ts";
import { reply, type Reply } from "../../../../src/reply/reply.ts";
import { textOf } from "../../../support/fake-discord/person.ts";
import { probes } from "../probe-commands.ts";
import { stage, type Stage } from "../stage.ts";

/** Never aborted. */
export const { signal } = new AbortController();

export const alert = (title: string): Reply =>
  reply({
    title,
    actions: [{ label: "Details", invocation: { command: "probe buttons", options: {} }, effect: "reply" }],
  });

/** A bot for the tests of a file, and for each of them a channel of its own. */
export class Sending {
  on!: Stage;
  channel = "";
  #count = 0;
  #skippedMillis = 0;

  constructor() {
    beforeAll(async () => {
      const real = performance.now.bind(performance);
      vi.spyOn(performance, "now").mockImplementation(() => real() + this.#skippedMillis);
      this.on = await stage({ simulated: false, extra: probes });
    });
    beforeEach(() => {
      this.channel = this.on.fake.channel();
      this.on.fake.expected.clear();
    });
    afterAll(async () => {
      await this.on[Symbol.asyncDispose]();
      vi.restoreAllMocks();
    });
  }

  delivery(more: Partial<Delivery> = {}): Delivery {
    this.#count += 1;
    return { id: `delivery-${this.#count}`, destination: { platform: "discord", channel: this.channel }, ...more };
  }

  /** Skips time on the monotonic clock. */
  later(millis: number): void {
    this.#skippedMillis += millis;
  }

  posts(where = this.channel): string[] {
    return [...this.on.fake.state.messages.values()].filter((one) => one.channel === where).map((one) => textOf(one));
  }
}
