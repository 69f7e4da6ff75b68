import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Episode, freshMachine, isOpen, type Machine } from "../../../../src/alerts/judge/rules/episode.ts";
import { ROUNDS_UNTIL_GONE, stepAbsent } from "../../../../src/alerts/judge/rules/state-machine.ts";
import { fromMillis } from "../../../../src/units/time.ts";
import { saying } from "../../../support/said.ts";
import { blind, down, price, stalled } from "../../readings.ts";
import { anEpisode, aSubscription } from "../../samples.ts";
import { openStage, type Stage } from "../../stage.ts";

/** A channel subscribed to two nodes, of which the first is down. */
async function downAtA(): Promise<Stage> {
  const stage = await openStage();
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["node.down"] })], "ada");
  await stage.rounds(1, [down("good"), down("good", "b:1")]);
  await stage.rounds(4, [down("bad"), down("good", "b:1")]);
  expect(stage.sender.take()).toEqual(["warning: node.down of a:1 on mainnet"]);
  return stage;
}

const GONE = "gone: node.down of a:1 on mainnet";
const others = [down("good", "b:1")];

describe("a subject that disappears", () => {
  it("ends its episode once that is certain, and notifies again if the subject comes back", async () => {
    const it = await downAtA();
    await it.rounds(ROUNDS_UNTIL_GONE - 1, others);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(1, others);
    expect(it.sender.take()).toEqual([GONE]);
    expect(await it.engine.openEpisodes()).toEqual([]);
    const { episode, decisions } = (await it.engine.history("node.down|mainnet|a:1|1"))!;
    expect(episode.state).toBe("gone");
    expect(decisions.at(-1)).toMatchObject({ what: "gone", detail: expect.stringMatching(saying("a:1", 10)) });
    await it.rounds(30, others);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(4, [down("bad"), ...others]);
    expect(it.sender.take()).toEqual(["warning: node.down of a:1 on mainnet"]);
    expect((await it.engine.openEpisodes()).map(({ number }) => number)).toEqual([2]);
  });

  it("is not gone while it comes back in time", async () => {
    const it = await downAtA();
    for (let turn = 0; turn < 3; turn += 1) {
      await it.rounds(ROUNDS_UNTIL_GONE - 1, others);
      await it.rounds(1, [down("bad"), ...others]);
    }
    expect(it.sender.take()).toEqual([]);
    expect(await it.engine.openEpisodes()).toHaveLength(1);
  });

  it("is not gone because a node that is slow to learn leaves it out for some rounds", async () => {
    const it = await downAtA();
    await it.rounds(5, others);
    expect(it.sender.take()).toEqual([]);
    expect(await it.engine.openEpisodes()).toHaveLength(1);
  });

  it("is not gone because nothing can be seen, or because observations fail, or in the first one of a process", async () => {
    const it = await downAtA();
    await it.rounds(2 * ROUNDS_UNTIL_GONE, [blind("bad"), ...others]);
    await it.rounds(1, [blind("good"), down("bad"), ...others]);
    await it.rounds(2 * ROUNDS_UNTIL_GONE, [down("unknown", "b:1")]);
    for (let turn = 0; turn < 2 * ROUNDS_UNTIL_GONE; turn += 1) {
      await it.round(others, [], "mainnet", { failure: new Error("no answer") });
      await it.pass(5000);
    }
    await it.rounds(ROUNDS_UNTIL_GONE - 1, others);
    await it.restart();
    await it.rounds(1, others);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(1, others);
    expect(it.sender.take()).toEqual([GONE]);
  });

  it("is another watcher's to miss", async () => {
    const it = await downAtA();
    for (let turn = 0; turn < 2 * ROUNDS_UNTIL_GONE; turn += 1) {
      await it.round([stalled("good")], [], "mainnet", { name: "another" });
      await it.pass(5000);
    }
    expect(it.sender.take()).toEqual([]);
  });

  it("is dismissed where it was only pending", async () => {
    const it = await openStage();
    await it.rounds(1, [down("good"), ...others]);
    await it.rounds(1, [down("bad"), ...others]);
    await it.rounds(ROUNDS_UNTIL_GONE, others);
    expect((await it.engine.decisions({ limit: 1 }))[0]).toMatchObject({ what: "dismissed" });
  });
});

describe("a market that is over", () => {
  it("ends its price alert: there is no price that could come back", async () => {
    const it = await openStage();
    const parameters = { "market.price": { high: "100" } };
    await it.engine.putSubscriptions([aSubscription({ kinds: ["market.price"], parameters })], "ada");
    await it.rounds(1, [price("50")]);
    await it.rounds(1, [price("150")]);
    await it.rounds(5, [{ ...price("150"), facts: {} } as ReturnType<typeof price>]);
    expect(it.sender.take()).toEqual([
      "warning: market.price{high=100} of m1 on mainnet",
      "resolved: market.price{high=100} of m1 on mainnet",
    ]);
  });
});

it("closes an episode exactly once, after exactly so many rounds without it in a row", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 60 }),
      fc.constantFrom("firing", "recovering", "pending"),
      (seen, phase) => {
        let machine: Machine = {
          ...freshMachine({ rule: "node.down", kind: "node.down", network: "m", subject: "a" }),
          phase,
        };
        let episode: Episode | undefined = phase === "pending" ? undefined : anEpisode("node.down");
        let inARow = 0;
        let ended = 0;
        for (const there of seen) {
          if (machine.phase === "ok") break;
          inARow = there ? 0 : inARow + 1;
          if (there) {
            machine = { ...machine, absent: undefined };
            continue;
          }
          const next = stepAbsent(machine, episode, fromMillis(1_700_000_000_000));
          expect(next.changes.length > 0).toBe(inARow === ROUNDS_UNTIL_GONE);
          expect(next.machine.phase === "ok").toBe(inARow === ROUNDS_UNTIL_GONE);
          ended += next.changes.length;
          ({ machine } = next);
          episode = next.episode;
          expect(episode === undefined || isOpen(episode) === inARow < ROUNDS_UNTIL_GONE).toBe(true);
        }
        const longest = Math.max(
          0,
          ...seen
            .join(" ")
            .split("true")
            .map((run) => run.split("false").length - 1),
        );
        expect(ended).toBe(longest >= ROUNDS_UNTIL_GONE ? 1 : 0);
      },
    ),
  );
});
