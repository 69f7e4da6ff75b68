import { expect, onTestFinished, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { randomId } from "../../../src/alerts/dependencies.ts";
import { enqueue } from "../../../src/alerts/deliver/outbox/outbox.ts";
import type { Sender } from "../../../src/alerts/sender.ts";
import { silentLog } from "../../../src/log.ts";
import { createAlerting } from "../../../src/main/alerting/alerting.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { toMillis } from "../../../src/units/time.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";
import { PLATFORMS } from "../../support/platforms.ts";

test("a gateway that ends slowly and a send that hangs are waited for side by side, so that the next part has time", async () => {
  const scratch = await scratchDatabase();
  const store = createStore({ url: scratch.file, log: silentLog() });
  const clock = new VirtualClock();
  onTestFinished(async () => {
    await store.close();
    await scratch.remove();
  });
  let sending = false;
  const hanging: Sender = {
    platform: "discord",
    send: () => {
      sending = true;
      return new Promise(() => undefined);
    },
    update: async () => undefined,
  };
  const alerting = createAlerting({
    store,
    duties: { add: () => undefined, end: () => clock.sleep(2000) },
    networks: { clients: [], simulated: false },
    config: DEFAULT_ALERTS_CONFIG,
    console: false,
    platforms: PLATFORMS,
    senders: ["discord"],
    log: silentLog(),
    clock,
  });
  const at = toMillis(clock.wallClock());
  const message = { type: "test", by: "ada", at: "1" } as const;
  const destination = { platform: "discord", channel: "5" };
  await store.transaction(({ alerts }) =>
    enqueue(alerts, { deliveries: [{ id: randomId(), destination, phase: "bot", message }] }, at),
  );
  void alerting.start([hanging]);
  await expect
    .poll(async () => {
      await clock.advance(10);
      return sending;
    })
    .toBe(true);
  let stopped = false;
  const began = clock.monotonicMillis();
  void alerting.stop().then(() => (stopped = true));
  // The database takes real time meanwhile.
  await expect
    .poll(
      async () => {
        await clock.advance(50);
        return stopped;
      },
      { interval: 5, timeout: 10_000 },
    )
    .toBe(true);
  expect(clock.monotonicMillis() - began).toBeLessThan(4000);
});
