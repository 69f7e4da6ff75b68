import { expect, it } from "vitest";

import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { FakeSender } from "../../support/fake-sender.ts";
import { isRepeat } from "../../support/gist.ts";
import { stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";

const checkpoint = (block: number): AlertEvent => ({
  kind: "checkpoint.new",
  network: "mainnet",
  subject: "",
  key: `${block}/h${block}`,
  at: "1717416000000000000",
  atBlock: String(block),
  hash: `h${block}`,
});

const KINDS = ["network.stalled", "checkpoint.new"] as const;

/** A channel of a platform that drops repeats, as Discord does, and one of a platform that does not. */
async function opened() {
  const stage = await openStage({
    senders: (now) => [
      new FakeSender({ now, platform: "drops", dropsRepeatsForMillis: 120_000 }),
      new FakeSender({ now, platform: "repeats" }),
    ],
  });
  for (const { platform } of stage.senders) {
    const destination = { platform, channel: "ops" };
    await stage.engine.putSubscriptions([aSubscription({ id: platform, destination, kinds: [...KINDS] })], "ada");
  }
  await stage.rounds(1, [stalled("good")]);
  /** What came since, by platform: each with the mark of a repeat where it has one. */
  const told = (): string[][] =>
    stage.senders.map((sender) => {
      const posts = sender.posts.slice(-sender.take().length || Infinity);
      return posts.map(({ gist, reply }) => (isRepeat(reply) ? `again? ${gist}` : gist));
    });
  return { stage, told };
}

const again = (...gists: string[]) => gists.map((gist) => `again? ${gist}`);
const other = { name: "other" };
const STORED_AGAIN = "that is stored again";

it("what a watcher stored and the database lost is stored again: told marked, or dropped by the platform; nothing is lost", async () => {
  const { stage, told } = await opened();
  await stage.round([stalled("good")], [checkpoint(1)]);
  await stage.pass(5000);
  expect(told()).toEqual([["info: checkpoint.new 1 on mainnet"], ["info: checkpoint.new 1 on mainnet"]]);
  const goBack = stage.keep();
  await stage.round([stalled("good")], [checkpoint(2)]);
  await stage.pass(5000);
  await stage.rounds(8, [stalled("bad")]);
  const story = ["info: checkpoint.new 2 on mainnet", "warning: network.stalled on mainnet"];
  expect(told()).toEqual([story, story]);
  await goBack();
  await expect(stage.round([stalled("good")])).rejects.toThrow(STORED_AGAIN);
  await stage.round([stalled("good")], [checkpoint(3)]);
  await stage.pass(5000);
  // The network is well again before anybody can see that it was not: the end is told all the same.
  await stage.rounds(8, [stalled("good")]);
  const next = again("info: checkpoint.new 3 on mainnet", "resolved: network.stalled on mainnet");
  // What may be critical overtakes.
  expect(told()).toEqual([next, [...again(...story.toReversed()), ...next]]);
});

it("what all watchers of a network stored is stored again by the first one that notices, in the same order", async () => {
  const { stage, told } = await opened();
  await stage.round([], [], "mainnet", other);
  const goBack = stage.keep();
  await stage.pass(5000);
  await stage.round([stalled("good")], [checkpoint(2)]);
  await stage.round([], [checkpoint(3)], "mainnet", other);
  await stage.round([stalled("good")], [checkpoint(4)]);
  await stage.pass(5000);
  const events = [2, 3, 4].map((block) => `info: checkpoint.new ${block} on mainnet`);
  expect(told()).toEqual([events, events]);
  await goBack();
  await expect(stage.round([], [], "mainnet", other)).rejects.toThrow(STORED_AGAIN);
  await stage.round([stalled("good")]);
  await stage.round([], [], "mainnet", other);
  await stage.pass(5000);
  expect(told()).toEqual([[], again(...events)]);
});

it("what was stored before a failover further back than is remembered is found anew, by each watcher for itself", async () => {
  const { stage, told } = await opened();
  await stage.round([], [], "mainnet", other);
  const goBack = stage.keep();
  await stage.pass(5000);
  await stage.round([stalled("good")]);
  await stage.round([], [checkpoint(2)], "mainnet", other);
  await stage.pass(180_000);
  await stage.round([stalled("good")]);
  await stage.round([], [], "mainnet", other);
  told();
  await goBack();
  await expect(stage.round([stalled("good")])).rejects.toThrow("another snapshot");
  await stage.round([stalled("good")]);
  await expect(stage.round([], [], "mainnet", other)).rejects.toThrow("another snapshot");
  await stage.round([], [checkpoint(2)], "mainnet", other);
  await stage.pass(5000);
  expect(told()).toEqual([again("info: checkpoint.new 2 on mainnet"), again("info: checkpoint.new 2 on mainnet")]);
});
