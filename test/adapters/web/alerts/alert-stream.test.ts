import { expect, onTestFinished, test } from "vitest";

import { alertEvents, type AlertStreamOptions } from "../../../../src/adapters/web/alerts/alerts.ts";
import { type AlertFeed, createAlertFeed } from "../../../../src/alerts/service/feed.ts";
import { createChangeSignal } from "../../../../src/main/change-signal.ts";
import { aSubscription } from "../../../alerts/samples.ts";
import { Stage } from "../../../alerts/stage.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { PLATFORMS } from "../../../support/platforms.ts";

const HOUR = 3_600_000;

async function openConsole(): Promise<Stage> {
  const senders = (now: () => number) => [new FakeSender({ platform: "web", now })];
  const stage = await Stage.open({ senders, console: PLATFORMS.console });
  onTestFinished(() => stage.close());
  return stage;
}

/** The stream of a console without deliveries. */
async function open(more: (feed: AlertFeed, tell: () => Promise<void>) => Partial<AlertStreamOptions>) {
  const stage = await openConsole();
  const changes = createChangeSignal();
  const tell = async (): Promise<void> => {
    await stage.owe(PLATFORMS.console, { type: "test", by: "ada", at: "1700000000000000000" });
    await stage.pass(10);
    changes.notify();
  };
  const feed = createAlertFeed(stage.store, PLATFORMS);
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const common = { feed, onChange: changes.onChange, last: undefined, isSignedIn: () => true, heartbeatMillis: HOUR };
  return alertEvents({ ...common, signal: ended.signal, ...more(feed, tell) });
}

test("an alert that arrives while the stream reads does not wait for the next heartbeat", async () => {
  let reads = 0;
  const frames = await open((feed, tell) => ({
    feed: {
      ...feed,
      async after(...given) {
        const batch = await feed.after(...given);
        reads += 1;
        if (reads === 1) await tell();
        return batch;
      },
    },
  }));
  const got: string[] = [];
  for await (const frame of frames) {
    got.push(frame);
    if (frame.startsWith("id: ")) break;
  }
  expect(got).toHaveLength(2);
});

test("what may have been told with another id, before the database went back, says so", async () => {
  const stage = await openConsole();
  const shown = aSubscription({ id: "s", destination: PLATFORMS.console, kinds: ["checkpoint.new"], events: "each" });
  await stage.engine.putSubscriptions([shown], "ada");
  await stage.round([]);
  const told = async (block: number) => {
    await stage.pass(5000);
    const at = "1717416000000000000";
    const key = `${block}/h`;
    await stage.round(
      [],
      [{ kind: "checkpoint.new", network: "mainnet", subject: "", key, at, atBlock: `${block}`, hash: "h" }],
    );
    await stage.pass(10);
  };
  await told(1);
  await stage.store.transaction(({ alerts }) => alerts.expectRepeats(stage.now() + 6000));
  await told(2);
  await told(3);
  const feed = createAlertFeed(stage.store, PLATFORMS);
  const { alerts } = await feed.after(0, 10);
  expect(alerts.map(({ reply }) => JSON.stringify(reply).includes("may be a repeat"))).toEqual([false, true, false]);
  // A reader had it before, and nothing of what came before it now.
  const ids = alerts.map(({ id }) => id);
  const places = await Promise.all(ids.map((id) => feed.placeOf(id, 3)));
  expect(places.map((one) => one?.place)).toEqual([1, 0, 3]);
});

test("a reader that is signed out gets nothing more", async () => {
  const answers = [true, true, false];
  const frames = await open(() => ({ heartbeatMillis: 1, isSignedIn: () => answers.shift() === true }));
  const got: string[] = [];
  for await (const frame of frames) got.push(frame.split("\n")[0] ?? "");
  expect(got).toEqual([expect.stringContaining("retry:"), ": nothing new", ": nothing new"]);
});
