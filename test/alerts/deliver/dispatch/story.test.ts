import { expect, it } from "vitest";

import { SendError } from "../../../../src/alerts/sender.ts";
import { episodesIn, eventsIn } from "../../../support/gist.ts";
import type { AlertEvent } from "../../../../src/alerts/judge/kinds/event.ts";
import { blind, down, stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, type Stage } from "../../stage.ts";

// An upgrade is a halt in which nodes go down and come back one after another: the message of the halt tells all of it.

const NODES = ["n1", "n2", "n3", "n4", "n5"];

async function halted(more: Parameters<typeof aSubscription>[0] = {}) {
  const it = await openStage();
  await it.engine.putSubscriptions(
    [aSubscription({ kinds: ["network.stalled", "node.down"], events: "usual", ...more })],
    "ada",
  );
  const rounds = (count: number, state: "good" | "bad", ...sick: readonly string[]): Promise<void> =>
    it.rounds(count, [
      blind("good"),
      stalled(state),
      ...NODES.map((node) => down(sick.includes(node) ? "bad" : "good", node)),
    ]);
  await rounds(2, "good");
  await rounds(8, "bad");
  return { it, rounds };
}

const HALT = [
  "warning: network.stalled on mainnet",
  "now critical: network.stalled on mainnet",
  "resolved: network.stalled on mainnet",
];

it.each(["live", "thread", "plain"] as const)("an upgrade is one story, whatever the style: %s", async (style) => {
  const { it, rounds } = await halted({ style });
  for (const node of NODES) {
    await rounds(12, "bad", node);
    await rounds(6, "bad");
  }
  await rounds(10, "good");
  expect(it.sender.take()).toEqual(HALT);
  for (const node of NODES) {
    const { decisions, deliveries } = (await it.engine.history(`node.down|mainnet|${node}|1`))!;
    expect(decisions.filter(({ what }) => what === "grouped")).toHaveLength(2);
    expect(deliveries.map(({ phase, episode }) => `${phase} ${episode}`)).toEqual([
      "trigger network.stalled|mainnet||1",
    ]);
    // The first message shows each.
    const [first] = it.sender.posts;
    const shown = it.sender.edits.filter(({ message }) => message === first?.message);
    expect(style === "plain" ? episodesIn(it.sender.posts.at(-1)!.reply) : episodesIn(shown.at(-1)!.reply)).toContain(
      `node.down|mainnet|${node}|1`,
    );
  }
  it.sender.takeEdits();
});

it("a node that is still down when the halt is over is named by its end, and its own end is told", async () => {
  const { it, rounds } = await halted();
  await rounds(30, "bad", "n1", "n2");
  // The other one comes back as the halt ends.
  await rounds(10, "good", "n2");
  expect(it.sender.take()).toEqual(HALT);
  expect(episodesIn(it.sender.posts.at(-1)!.reply)).toContain("node.down|mainnet|n2|1");
  await rounds(10, "good");
  expect(it.sender.take()).toEqual(["resolved: node.down of n2 on mainnet"]);
  it.sender.takeEdits();
});

it("nodes are told by themselves where the halt was not told", async () => {
  const { it, rounds } = await halted({ kinds: ["node.down"] });
  await rounds(8, "bad", "n1");
  await rounds(8, "bad");
  expect(it.sender.take()).toEqual(["warning: node.down of n1 on mainnet", "resolved: node.down of n1 on mainnet"]);
});

it("a node that went down and came back before the halt could be told is told once, with both", async () => {
  const { it, rounds } = await halted();
  it.sender.take();
  await rounds(20, "good");
  it.sender.take();
  it.sender.outcome = () => new SendError("retry", "503");
  await rounds(10, "bad");
  await rounds(10, "bad", "n1");
  await rounds(8, "bad");
  it.sender.outcome = () => "ok";
  await rounds(12, "bad");
  await rounds(10, "good");
  const { deliveries } = (await it.engine.history("node.down|mainnet|n1|1"))!;
  expect(deliveries.map(({ episode }) => episode)).toEqual(["network.stalled|mainnet||2"]);
  expect(it.sender.take().filter((one) => one.includes("node.down"))).toEqual([]);
  it.sender.takeEdits();
});

/** What a look for versions finds: these nodes run a new one, or the protocol is a new one. */
const changed = (...keys: readonly string[]): AlertEvent[] =>
  keys.map((key): AlertEvent => {
    const of = { network: "mainnet", key, at: "1717416000000000000" };
    return key === "core"
      ? { kind: "core.upgraded", ...of, subject: "", from: "v0.73", to: "v0.74" }
      : { kind: "node.version", ...of, subject: key, node: key, before: { version: "1" }, after: { version: "2" } };
  });
const versions = (it: Stage, ...keys: readonly string[]): Promise<unknown> =>
  it.round([], changed(...keys), "mainnet", { name: "versions" });
const KINDS = ["network.stalled", "node.down", "node.version", "core.upgraded"] as const;

it.each(["live", "thread", "plain"] as const)(
  "the versions that nodes come back with, and the protocol's, belong to the story: %s",
  async (style) => {
    const { it, rounds } = await halted({ style, kinds: [...KINDS] });
    await versions(it);
    await rounds(4, "bad", "n1");
    await rounds(4, "bad");
    await versions(it, "n1");
    await rounds(30, "bad");
    await versions(it, "n2", "n3");
    await rounds(10, "good");
    // Six at once would be a digest by themselves.
    await versions(it, "n4", "n5", "n6", "n7", "n8", "n9");
    await rounds(20, "good");
    await versions(it, "core");
    await rounds(2, "good");
    expect(it.sender.take()).toEqual(HALT);
    const [first] = it.sender.posts;
    const [shown] = it.sender.edits.filter(({ message }) => message === first?.message).slice(-1);
    expect(eventsIn(shown!.reply)).toEqual(["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "core"]);
    expect(episodesIn(shown!.reply)).toContain("node.down|mainnet|n1|1");
    expect(shown?.gist).toBe("resolved: network.stalled on mainnet");
    // What happens ten minutes after the end is another matter.
    await it.leap(600_000);
    await rounds(1, "good");
    await versions(it, "n1");
    await rounds(2, "good");
    expect(it.sender.take()).toEqual(["info: node.version of n1 on mainnet"]);
    it.sender.takeEdits();
  },
);

it("versions are told by themselves where the halt was not told, and where each event is asked for", async () => {
  for (const more of [{ kinds: ["node.version"] }, { kinds: [...KINDS], events: "each" }] as const) {
    const { it, rounds } = await halted({ ...more, kinds: [...more.kinds] });
    it.sender.take();
    await versions(it);
    await versions(it, "n1", "core");
    await rounds(4, "bad");
    expect(it.sender.take().filter((one) => one.startsWith("info"))).toHaveLength(1);
    it.sender.takeEdits();
  }
});

it("versions belong to the story until ten minutes after its end", async () => {
  const { it, rounds } = await halted({ kinds: [...KINDS] });
  await versions(it);
  await rounds(10, "good");
  const { episode } = (await it.engine.history("network.stalled|mainnet||1"))!;
  await it.pass(Number(BigInt(episode.ended!) / 1_000_000n) + 600_000 - it.now());
  await versions(it, "n1");
  await it.pass(1000);
  expect(it.sender.take()).toEqual([HALT[0], HALT[2]]);
  await versions(it, "n2");
  await it.pass(1000);
  expect(it.sender.take()).toEqual(["info: node.version of n2 on mainnet"]);
  it.sender.takeEdits();
});

it("versions are a digest where a silence kept the halt back", async () => {
  const it = await openStage();
  await it.engine.putSubscriptions([aSubscription({ kinds: [...KINDS], events: "usual" })], "ada");
  const [from, until] = [it.now(), it.now() + 3_600_000];
  const scope = { kind: "network.stalled" } as const;
  await it.engine.putSilence({ id: "s", scope, from, until, by: "ada", created: from }, "ada");
  await it.rounds(2, [stalled("good")]);
  await it.rounds(8, [stalled("bad")]);
  await versions(it);
  await versions(it, "n1", "n2", "n3", "n4", "n5", "n6");
  await it.pass(1000);
  expect(it.sender.take()).toEqual(["digest: 6 node.version n1 to n6 on mainnet, catch-up"]);
});

it("a node is told by itself while another network halts", async () => {
  const it = await openStage();
  for (const network of ["mainnet", "testnet"])
    await it.engine.putSubscriptions([aSubscription({ id: network, network, kinds: [...KINDS] })], "ada");
  const [from, until] = [it.now(), it.now() + 120_000];
  const scope = { kind: "node.down" } as const;
  await it.engine.putSilence({ id: "s", scope, from, until, by: "ada", created: from }, "ada");
  for (const state of ["good", "bad", "bad", "bad", "bad", "bad", "bad", "bad", "bad", "bad"] as const) {
    await it.round([stalled(state, { network: "testnet" })], [], "testnet");
    await it.round([stalled("good"), down(state, "n1")]);
    await it.pass(5000);
  }
  expect(it.sender.take()).toEqual(["warning: network.stalled on testnet"]);
  // The silence ends.
  await it.pass(until - it.now());
  expect(it.sender.take()).toEqual(["warning: node.down of n1 on mainnet"]);
  expect(it.sender.takeEdits()).toEqual([]);
});

it("a version that the story's message cannot show any more is told by itself", async () => {
  const { it, rounds } = await halted({ kinds: [...KINDS] });
  it.sender.take();
  await versions(it);
  it.sender.outcome = (what) => ("id" in what ? "ok" : new SendError("permanent", "message_not_found"));
  await versions(it, "n1", "n2");
  await rounds(2, "bad");
  expect(it.sender.take().filter((one) => one.includes("node.version"))).toHaveLength(2);
  it.sender.takeEdits();
});
