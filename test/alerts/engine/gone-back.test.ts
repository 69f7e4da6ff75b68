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

it("what is planned again after the database went back is marked, or dropped by the platform; nothing is lost", async () => {
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
  // The watcher goes on from what is lost: it begins anew with what is stored, and finds the same differences.
  await expect(stage.round([stalled("bad")])).rejects.toThrow("another snapshot");
  await stage.round([stalled("bad")], [checkpoint(2), checkpoint(3)]);
  await stage.pass(5000);
  await stage.rounds(12, [stalled("bad")]);
  const [event = "", alert = ""] = story;
  const again = (...gists: string[]) => gists.map((gist) => `again? ${gist}`);
  const next = "info: checkpoint.new 3 on mainnet";
  expect(told()).toEqual([again(next), again(event, next, alert)]);
});

it("each watcher of a network notices it for itself", async () => {
  const { stage, told } = await opened();
  const other = { name: "other" };
  await stage.round([], [], "mainnet", other);
  const goBack = stage.keep();
  await stage.pass(5000);
  await stage.round([stalled("good")]);
  await stage.round([], [checkpoint(2)], "mainnet", other);
  await stage.pass(5000);
  told();
  await goBack();
  await expect(stage.round([stalled("good")])).rejects.toThrow("another snapshot");
  await stage.round([stalled("good")]);
  await expect(stage.round([], [], "mainnet", other)).rejects.toThrow("another snapshot");
  await stage.round([], [checkpoint(2)], "mainnet", other);
  await stage.pass(5000);
  expect(told()).toEqual([[], ["again? info: checkpoint.new 2 on mainnet"]]);
});
