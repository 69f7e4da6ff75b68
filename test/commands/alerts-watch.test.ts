import { describe, expect, test } from "vitest";

import { ann, bob, ops, owed, talkInOps, toBob } from "./alert-channel.ts";

describe("a personal watch", () => {
  test("is notified by direct message, announced to nobody, and not added twice", async () => {
    const talk = await talkInOps(bob);
    const line = `alerts add order.final ${talk.samples.orderId}`;
    const said = await talk.ask(line);
    expect(said).toMatch(
      /You will be told by direct message when order [\s\S]* is filled, stopped, expired or rejected/u,
    );
    expect(said).toContain("This is 1 of the 20 that one person can watch");
    expect(await talk.ask(line)).toContain("Nothing changed: you watch that already");
    expect(await talk.engine.subscriptions()).toMatchObject([
      { destination: toBob, personal: true, kinds: ["order.final"], subjects: [talk.samples.orderId], state: "active" },
    ]);
    expect(await owed(talk, ops)).toEqual([]);
    expect(await owed(talk, toBob)).toEqual([]);
  });

  test("begins with a button on what can still change", async () => {
    const talk = await talkInOps(bob);
    const { orderId, rejectedOrderId, unsignedAssetId, unsignedProposalId } = talk.samples;
    await talk.ask(`order ${orderId}`);
    expect(await talk.press("alerts add")).toContain("You will be told by direct message when order");
    await talk.ask(`order ${rejectedOrderId}`);
    await expect(talk.press("alerts add")).rejects.toThrow("no alerts add");
    for (const line of [`bundle list-asset ${unsignedAssetId}`, `bundle asset-limits ${unsignedProposalId}`]) {
      await talk.ask(line);
      expect(await talk.press("alerts add")).toContain("It is not signed yet.");
    }
    expect((await talk.engine.subscriptions()).map(({ subjects }) => subjects[0])).toEqual(
      expect.arrayContaining([orderId, `list-asset:${unsignedAssetId}`, `asset-limits:${unsignedProposalId}`]),
    );
  });

  test("is listed apart from the channel's subscriptions", async () => {
    const talk = await talkInOps(bob);
    await talk.ask(`alerts add order.final ${talk.samples.orderId}`);
    expect(await talk.ask("alerts list")).toMatch(/^• 1 watch of your own\n/u);
    talk.become({ caller: ann });
    await talk.ask("alerts add node.down");
    await talk.ask("alerts add network.stalled");
    talk.become({ caller: bob });
    expect(await talk.ask("alerts list")).toMatch(/^• 2 subscriptions in this channel, and 1 watch of your own\n/u);
  });

  test("is the bundle of a proposal, too, where its id alone is typed", async () => {
    const talk = await talkInOps(bob);
    const { proposalId, unsignedProposalId, unsignedAssetId } = talk.samples;
    expect(await talk.ask(`alerts add bundle.signed ${proposalId}`)).toMatch(
      /That bundle is signed already: bundle asset-limits/u,
    );
    for (const id of [unsignedProposalId, unsignedAssetId, `list-asset:${"ab".repeat(32)}`]) {
      await talk.ask(`alerts add bundle.signed ${id}`);
    }
    const subjects = (await talk.engine.subscriptions()).flatMap((one) => one.subjects);
    expect(subjects.toSorted()).toEqual([
      `asset-limits:${unsignedProposalId}`,
      ...[`list-asset:${unsignedAssetId}`, `list-asset:${"ab".repeat(32)}`].toSorted(),
    ]);
  });

  test("ends where nothing is left to wait for", async () => {
    const talk = await talkInOps(bob);
    expect(await talk.ask("alerts add bundle.signed USDT")).toContain("That bundle is signed already");
    expect(await talk.ask(`alerts add order.final ${talk.samples.rejectedOrderId}`)).toMatch(
      /Order \w+ is rejected already/u,
    );
    expect(await talk.engine.subscriptions()).toEqual([]);
  });

  test("is capped for each person, and for nobody else", async () => {
    const talk = await talkInOps(bob);
    for (let party = 0; party < 20; party += 1) {
      expect(await talk.ask(`alerts add stake.changed ${party.toString(16).padStart(64, "a")}`)).toContain(
        `This is ${party + 1} of the 20`,
      );
    }
    expect(await talk.ask(`alerts add stake.changed ${"b".repeat(64)}`)).toContain(
      "You watch 20 things, and nobody can watch more than 20.",
    );
    talk.become({ caller: ann });
    expect(await talk.ask(`alerts add stake.changed ${"b".repeat(64)}`)).toContain("This is 1 of the 20");
  });

  test.each<[string, RegExp]>([
    ["alerts add order.final", /order\.final needs an order to watch/u],
    [`alerts add order.final ${"ab".repeat(32)}`, /knows of no order|no order/u],
    [`alerts add stake.changed ${"a".repeat(64)},${"b".repeat(64)}`, /watched one by one/u],
    [`alerts add stake.changed,node.down ${"a".repeat(64)}`, /apart from everything else/u],
    [
      `alerts add stake.changed ${"a".repeat(64)} severity:warning`,
      /stake\.changed is never worse than info, so nothing would be told/u,
    ],
  ])("%s is refused with what to do", async (line, expected) => {
    const talk = await talkInOps(bob);
    expect(await talk.ask(line)).toMatch(expected);
    expect(talk.lastReply.failure).toBe("caller");
    expect(await talk.engine.subscriptions()).toEqual([]);
  });
});
