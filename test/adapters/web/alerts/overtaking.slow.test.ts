import { expect, onTestFinished, test } from "vitest";

import { alertEvents } from "../../../../src/adapters/web/alerts/alerts.ts";
import { enqueue } from "../../../../src/alerts/deliver/outbox/outbox.ts";
import { createAlertFeed } from "../../../../src/alerts/service/feed.ts";
import { createChangeSignal } from "../../../../src/main/change-signal.ts";
import { anEpisode } from "../../../alerts/samples.ts";
import { type Stage, openStage } from "../../../alerts/stage.ts";
import { settled } from "../../../api/virtual-clock.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { PLATFORMS } from "../../../support/platforms.ts";

const OWED = 1000;
/** How long each delivery to the console takes, on a slow disk. */
const EACH_MILLIS = 32;

/** A console that takes its time for each message. */
class SlowConsole extends FakeSender {
  stage: Stage | undefined;

  override async send(...given: Parameters<FakeSender["send"]>): ReturnType<FakeSender["send"]> {
    await this.stage?.clock.sleep(EACH_MILLIS, given[2]);
    return super.send(...given);
  }
}

/** A reader of the stream: the ids it got, each with the time, until it leaves. */
function read(stage: Stage, last: string | undefined) {
  const leaving = new AbortController();
  const changes = createChangeSignal();
  const got: { readonly id: string; readonly at: number }[] = [];
  const feed = createAlertFeed({ read: (work) => stage.store.read(work) }, PLATFORMS);
  const options = { feed, onChange: changes.onChange, last, isSignedIn: () => true, heartbeatMillis: 3_600_000 };
  const reading = (async () => {
    for await (const frame of alertEvents({ ...options, signal: leaving.signal })) {
      const id = /^id: (\S+)$/mu.exec(frame)?.[1];
      if (id !== undefined) got.push({ id, at: stage.now() });
    }
  })();
  const leave = async (): Promise<void> => {
    leaving.abort();
    await reading;
  };
  onTestFinished(leave);
  return {
    got,
    leave,
    /** Lets time pass, and reads what has come. */
    async pass(millis: number) {
      await stage.pass(millis);
      changes.notify();
      // The store answers a reader in real time.
      for (let turn = 0; turn < 5; turn += 1) await settled();
    },
  };
}

test("critical overtakes 1,000 messages on the console's stream, and whoever resumes behind it misses none of them", async () => {
  const stage = await openStage({
    senders: (now) => [new SlowConsole({ platform: "web", now })],
    console: PLATFORMS.console,
  });
  const sender = stage.sender as SlowConsole;
  sender.stage = stage;
  onTestFinished(() => void sender.take());
  const destination = PLATFORMS.console;
  const at = String(stage.now() * 1_000_000);
  const owed = Array.from({ length: OWED }, (_, index) => `m${index}`);
  await stage.store.transaction(({ alerts }) => {
    const about = { destination, phase: "bot", message: { type: "test", by: "ada", at } } as const;
    return enqueue(alerts, { deliveries: owed.map((id) => ({ id, ...about })) }, stage.now());
  });
  stage.dispatcher.wake();
  let reader = read(stage, undefined);
  while (reader.got.length < 20) await reader.pass(EACH_MILLIS);

  const began = stage.now();
  const episode = anEpisode("network.stalled", { severity: "critical" });
  const message = { type: "condition", phase: "trigger", episode } as const;
  await stage.store.transaction(({ alerts }) =>
    enqueue(
      alerts,
      { deliveries: [{ id: "critical", destination, phase: "trigger", episode: episode.id, message }] },
      stage.now(),
    ),
  );
  stage.dispatcher.wake();
  while (!reader.got.some(({ id }) => id === "critical") && stage.now() - began < 60_000)
    await reader.pass(EACH_MILLIS);
  const critical = reader.got.find(({ id }) => id === "critical");
  expect((critical?.at ?? Number.NaN) - began).toBeLessThanOrEqual(2000);
  // It leaves right after it, and comes back to another process once all the others have arrived.
  const before = reader.got.slice(0, reader.got.findIndex(({ id }) => id === "critical") + 1).map(({ id }) => id);
  expect(before.length).toBeLessThan(100);
  await reader.leave();
  await stage.restart();
  for (let arrived = 0; arrived < OWED; arrived += 100) await stage.pass(100 * EACH_MILLIS);
  await stage.pass(60_000);
  reader = read(stage, before.at(-1));
  await reader.pass(0);
  while (reader.got.length < OWED + 1 - before.length && stage.now() - began < 600_000) await reader.pass(EACH_MILLIS);
  const ids = [...before, ...reader.got.map(({ id }) => id)];
  expect(ids.filter((id) => id !== "critical")).toEqual(owed);
  expect(ids).toHaveLength(OWED + 1);
}, 60_000);
