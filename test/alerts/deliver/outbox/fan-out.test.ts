import { afterEach, describe, expect, it } from "vitest";

import { RETENTION } from "../../../../src/alerts/engine/upkeep.ts";
import type { AlertEvent } from "../../../../src/alerts/judge/kinds/event.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { Stage } from "../../stage.ts";

const CHANNELS = 7;

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

function checkpoint(it: Stage, block: number): AlertEvent {
  const at = String(it.clock.wallClock());
  const common = { kind: "checkpoint.new", network: "mainnet", subject: "", atBlock: String(block) } as const;
  return { ...common, key: `${block}/h`, at, hash: `h${block}` };
}

/** Seven channels on two platforms, fanned out two at a time. */
async function open(events: "each" | "rolling"): Promise<Stage> {
  const it = await Stage.open({
    chunkRows: 2,
    senders: (now) => [new FakeSender({ platform: "one", now }), new FakeSender({ platform: "two", now })],
  });
  stage = it;
  for (let index = 0; index < CHANNELS; index += 1) {
    const destination = { platform: index % 2 === 0 ? "one" : "two", channel: `c${index}` };
    const kinds = ["checkpoint.new", "network.stalled"] as const;
    await it.engine.putSubscriptions(
      [aSubscription({ id: `s${index}`, destination, events, kinds: [...kinds] })],
      "ada",
    );
  }
  await it.round([stalled("good")]);
  return it;
}

/** The messages of each channel, in order. */
function told(it: Stage): string[] {
  const posts = it.senders.flatMap(({ posts }) => posts);
  const byChannel = Map.groupBy(posts, ({ channel }) => channel);
  return [...new Set([...byChannel.values()].map((all) => all.map(({ gist }) => gist).join("; ")))];
}

const NEW = (block: number): string => `info: checkpoint.new ${block} on mainnet`;

describe("a large batch", () => {
  it("reaches all destinations, in order, though it is fanned out in chunks", async () => {
    const it = await open("each");
    await it.round([stalled("good")], [checkpoint(it, 1), checkpoint(it, 2)]);
    await it.round([stalled("good")], [checkpoint(it, 3)]);
    await it.pass(1000);
    expect(told(it)).toEqual([[NEW(1), NEW(2), NEW(3)].join("; ")]);
    expect(it.senders.flatMap(({ posts }) => posts)).toHaveLength(3 * CHANNELS);
  });

  it("extends the rolling messages of all of them", async () => {
    const it = await open("rolling");
    await it.round([stalled("good")], [checkpoint(it, 1)]);
    await it.round([stalled("good")], [checkpoint(it, 2)]);
    await it.pass(5000);
    expect(told(it)).toEqual(["rolling: 1 checkpoint.new on mainnet, 2024-06-03"]);
    const edits = it.senders.flatMap(({ edits }) => edits.map(({ gist }) => gist));
    expect(edits).toEqual(Array<string>(CHANNELS).fill("rolling: 2 checkpoint.new on mainnet, 2024-06-03"));
  });

  it("is fanned out by the next process where the one that wrote it ended first, and before all that comes later", async () => {
    const it = await open("each");
    await it.stopDelivering();
    await it.round([stalled("good")], [checkpoint(it, 1)]);
    const waiting = await it.store.transaction(({ alerts }) => alerts.chunks.oldestAt());
    expect(waiting).toBe(it.now());
    const depth = await it.store.transaction(({ alerts }) => alerts.outbox.depth());
    expect(depth.map(({ owed }) => owed)).toEqual([4, 3]);
    await it.restart(1000);
    await it.round([stalled("good")], [checkpoint(it, 2)]);
    await it.pass(1000);
    expect(told(it)).toEqual([[NEW(1), NEW(2)].join("; ")]);
  });

  it("is fanned out by turns, so that no platform waits for all of another one", async () => {
    const it = await open("each");
    await it.stopDelivering();
    await it.round([stalled("good")], [checkpoint(it, 1)]);
    const waiting = await it.store.transaction(({ alerts }) => alerts.chunks.take(9));
    // The first of four chunks is fanned out at once, and was the first platform's.
    expect(waiting.map(({ platform, owed }) => `${platform} ${owed}`)).toEqual(["two 2", "one 2", "two 1"]);
  });

  it("goes before what is owed later to few, who need not wait for a chunk of their own", async () => {
    const it = await open("each");
    const last = `c${CHANNELS - 1}`;
    const destination = { platform: "one", channel: last };
    await it.engine.putSubscriptions([aSubscription({ id: "z", destination, kinds: ["history.reset"] })], "ada");
    await it.stopDelivering();
    await it.round([stalled("good")], [checkpoint(it, 1)]);
    const reset = { kind: "history.reset", network: "mainnet", subject: "", key: "checkpoints/1", at: "1" } as const;
    await it.round([stalled("good")], [{ ...reset, what: "checkpoints", lastSeen: "1" }]);
    await it.restart(1000);
    await it.pass(1000);
    const there = it.senders.flatMap(({ posts }) => posts).filter(({ channel }) => channel === last);
    expect(there.map(({ gist }) => gist)).toEqual([NEW(1), "warning: history.reset checkpoints on mainnet"]);
  });

  it("is whole before anything is decided about it: a resolve finds every trigger", async () => {
    const it = await open("each");
    await it.stopDelivering();
    for (let round = 0; round < 7; round += 1) {
      await it.round([stalled("bad")]);
      await it.clock.advance(5000);
    }
    expect((await it.engine.openEpisodes()).length).toBe(1);
    for (let round = 0; round < 5; round += 1) {
      await it.round([stalled("good")]);
      await it.clock.advance(5000);
    }
    expect(await it.engine.openEpisodes()).toEqual([]);
    await it.restart(1000);
    await it.pass(1000);
    expect(told(it)).toEqual(["fired and resolved: network.stalled on mainnet"]);
    expect(it.senders.flatMap(({ posts }) => posts)).toHaveLength(CHANNELS);
  });

  it("postpones pruning until it is fanned out, and no longer", async () => {
    const it = await open("each");
    await it.pass(0);
    await it.restart(RETENTION + 3_600_000);
    await it.stopDelivering();
    await it.round([stalled("good")], [checkpoint(it, 1)]);
    await it.engine.upkeep();
    const old = async () =>
      (await it.engine.decisions({ limit: 100 })).filter(({ what }) => what === "subscription").length;
    expect(await old()).toBe(CHANNELS);
    for (const [millis, left] of [
      [9999, CHANNELS],
      [1, 0],
    ] as const) {
      await it.clock.advance(millis);
      await it.engine.upkeep();
      expect(await old()).toBe(left);
    }
  });
});
