import { expect, it } from "vitest";

import type { Delivery, Receipt } from "../../../../src/alerts/sender.ts";
import type { Clock } from "../../../../src/api/clock.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { FIRED } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage } from "../../stage.ts";

/** Takes one message at a time, and a tenth of a second for it. */
class NarrowSender extends FakeSender {
  clock: Clock | undefined;
  #busy = 0;

  capacity(): number {
    return 1 - this.#busy;
  }

  override async send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    this.#busy += 1;
    await this.clock?.sleep(100, signal);
    this.#busy -= 1;
    return super.send(delivery, reply, signal);
  }
}

it("a condition goes before what else waits for the platform", async () => {
  let sender: NarrowSender | undefined;
  const it = await openStage({ senders: (now) => [(sender = new NarrowSender({ now }))] });
  sender!.clock = it.clock;
  await it.engine.putSubscriptions([aSubscription()], "ada");
  await it.rounds(8, [stalled("good")]);
  await it.rounds(5, [stalled("bad")]);
  for (let index = 0; index < 100; index += 1) {
    await it.owe({ platform: "fake", channel: `c${index}` }, { type: "test", by: "ada", at: "1" });
  }
  await it.rounds(1, [stalled("bad")]);
  const before = it.sender.take();
  await it.rounds(2, [stalled("bad")]);
  const after = it.sender.take();
  expect([before.length, after.length]).toEqual([50, 51]);
  // Behind what was on its way already.
  expect(after.indexOf(FIRED)).toBe(1);
});
