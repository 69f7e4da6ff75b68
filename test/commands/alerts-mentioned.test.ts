import { describe, expect, test } from "vitest";

import type { Caller, Target } from "../../src/bot/invocation.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { saying } from "../support/said.ts";
import { ann, bob, deliver, ELSEWHERE, idIn, oneNodeDown, OPS, ops, owed } from "./alert-channel.ts";
import { destinationKey } from "../../src/alerts/destination.ts";

const ROLE = "5555555555555555555";
const mia: Caller = { id: "43", name: "mia", mayManageChannel: false, groups: ["7777777777777777777", ROLE] };
const REFUSED = /^! Only people who manage this channel, or whom its alerts mention, can /u;

/** The channel whose node is down, where critical alerts mention somebody. */
async function mentioning(mention: string) {
  const talk = await oneNodeDown();
  await talk.ask(`alerts add network.stalled mention:${mention}`);
  return talk;
}

const places: readonly (readonly [string, string, Caller])[] = [
  ["a member of the role", ROLE, mia],
  ["the person", "<@112233445566778899>", { ...bob, id: "112233445566778899" }],
];

describe("whoever the alerts of a channel mention", () => {
  test.each(places)("may acknowledge: %s", async (_who, mention, caller) => {
    const talk = await mentioning(mention);
    talk.become({ caller });
    expect((await talk.askFor("alerts status")).actions.map(({ label }) => label).join()).toContain("Acknowledge");
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("✓", "a:1", "mainnet"));
    expect((await talk.engine.openEpisodes())[0]?.acknowledged?.by).toBe(caller.name);
  });

  test.each(places)("may silence for 8 h at most, and end that silence again: %s", async (_who, mention, caller) => {
    const talk = await mentioning(mention);
    talk.become({ caller });
    expect(await talk.ask("alerts silence node.down for:8h")).toMatch(saying("✓", "node outages", "8 h"));
    expect((await talk.engine.silences()).map(({ scope }) => scope.destination)).toEqual([destinationKey(ops)]);
    expect(await talk.press("alerts unsilence")).toMatch(saying("✓", "node outages"));
    expect(await talk.engine.silences()).toEqual([]);
    expect(await talk.ask("alerts silence node.down night")).toMatch(saying("✓", "node outages"));
  });

  test.each([
    ["for:9h", "alerts silence node.down for:8h"],
    ["until:tomorrow", "alerts silence node.down for:8h"],
    ["until:resolved", "alerts silence node.down for:8h"],
    ["from:22:00 for:2h", "alerts silence node.down for:8h"],
    ["for:1h every:day until:2026-02-14", "alerts silence node.down for:8h"],
  ])("is told the limit, and who may do more: %s", async (times, line) => {
    const talk = await mentioning(ROLE);
    talk.become({ caller: mia });
    const said = await talk.ask(`alerts silence node.down ${times}`);
    expect(said).toMatch(/^! Whom its alerts mention .* 8 h at most; only people who manage it can do more\./u);
    expect(said).toContain("server administrator");
    expect(said).toContain(line);
    expect(await talk.engine.silences()).toEqual([]);
    expect(await talk.ask(line)).toMatch(saying("✓", "node outages", "8 h"));
  });

  test("may do nothing else there, and none of it elsewhere", async () => {
    const talk = await mentioning(ROLE);
    await talk.ask("alerts silence node.down for:20h");
    const id = idIn(talk.lastReply);
    const [subscription] = await talk.engine.subscriptions();
    talk.become({ caller: mia });
    for (const line of [
      "alerts add markets",
      `alerts pause ${subscription!.id}`,
      `alerts unsilence ${id}`,
      "alerts unsilence abcde",
      "alerts drill",
    ]) {
      expect(await talk.ask(line)).toMatch(/^! Only people who manage this channel can /u);
    }
    expect(await talk.engine.silences()).toHaveLength(1);
    talk.become({ here: ELSEWHERE });
    expect(await talk.ask("alerts ack node.down")).toMatch(REFUSED);
    expect(await talk.ask("alerts silence all for:1h")).toMatch(REFUSED);
    // The same id on another platform is somebody else's.
    const slack: Target = { ...OPS, platform: "slack", channel: ops.channel };
    talk.become({ here: slack });
    expect(await talk.ask("alerts ack node.down")).toMatch(REFUSED);
    expect(await talk.engine.silences()).toHaveLength(1);
  });

  test("has that right no longer where the subscription is paused or gone, and nobody else has it", async () => {
    const talk = await mentioning(ROLE);
    talk.become({ caller: bob });
    expect(await talk.ask("alerts ack node.down")).toMatch(REFUSED);
    const subscription = (await talk.engine.subscriptions()).find((one) => one.mention === ROLE);
    for (const state of ["paused", "removed"] as const) {
      await talk.engine.putSubscriptions([{ ...subscription!, state }], "ann");
      talk.become({ caller: mia });
      expect(await talk.ask("alerts ack node.down")).toMatch(REFUSED);
    }
  });

  test("has it in the thread of the alert, too", async () => {
    const talk = await mentioning(ROLE);
    const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
    await deliver(talk, sender);
    const alert = sender.posts.find(({ gist }) => gist.startsWith("warning"))!;
    // On Discord a thread has the id of the message that it was begun at.
    talk.become({ here: { ...OPS, channel: alert.message }, caller: mia });
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("✓", "a:1"));
    const [episode] = await talk.engine.openEpisodes();
    expect(await talk.ask(`alerts silence "${episode!.id}" 1h`)).toMatch(saying("✓", "node outages"));
    expect((await talk.engine.silences()).map(({ scope }) => scope.destination)).toEqual([destinationKey(ops)]);
  });
});

describe("two who acknowledge", () => {
  const signal = AbortSignal.timeout(5000);
  const ask = { command: "alerts ack", options: { episode: "node.down" }, here: OPS, signal };

  test("at once: one has done it, the other is told who was first, and it is announced once", async () => {
    const talk = await oneNodeDown();
    const zoe = { ...ann, id: "49", name: "zoe" };
    const answers = await Promise.all([ann, zoe].map((caller) => talk.bot.run({ ...ask, caller })));
    const by = (await talk.engine.openEpisodes())[0]!.acknowledged!.by;
    expect(answers.map(({ title }) => plainText(title)).toSorted()).toEqual([
      "Acknowledged: a:1 on mainnet does not answer",
      `${by} was first. a:1 on mainnet does not answer`,
    ]);
    expect((await owed(talk, ops)).filter((gist) => gist.startsWith("acknowledged"))).toEqual([
      `acknowledged by ${by}: node.down of a:1 on mainnet`,
    ]);
  });

  test("a silence of others stays theirs where somebody who is mentioned lengthens it", async () => {
    const talk = await mentioning(ROLE);
    await talk.ask("alerts silence node.down for:1h");
    talk.become({ caller: mia });
    expect(await talk.ask("alerts silence node.down for:2h")).toContain("It was lengthened");
    expect(talk.lastReply.actions).toEqual([]);
    expect(await talk.ask("alerts unsilence node.down")).toMatch(/^! Only people who manage this channel can /u);
    expect(await talk.engine.silences()).toHaveLength(1);
  });

  test("one after the other: the second is told who was first, and when", async () => {
    const talk = await oneNodeDown();
    await talk.ask("alerts ack node.down");
    talk.advance(60_000);
    talk.become({ caller: { ...ann, id: "49", name: "zoe" } });
    const said = await talk.ask("alerts ack node.down");
    expect(said).toMatch(/^• ann was first\. a:1 on mainnet does not answer/u);
    expect(said).toMatch(/^When +2026-01-15 12:00:25 UTC/mu);
    expect((await owed(talk, ops)).filter((gist) => gist.startsWith("acknowledged"))).toHaveLength(1);
  });
});
