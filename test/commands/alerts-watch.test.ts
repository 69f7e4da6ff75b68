import { describe, expect, test } from "vitest";
import { saying } from "../support/said.ts";

import { ann, bob, idIn, ops, owed, talkInOps, toBob } from "./alert-channel.ts";

describe("a personal watch", () => {
  test("is notified by direct message, announced to nobody, and not added twice", async () => {
    const talk = await talkInOps(bob);
    const line = `alerts add order.final ${talk.samples.orderId}`;
    const said = await talk.ask(line);
    expect(said).toMatch(saying("✓", talk.samples.orderId, "active", 1, 20));
    const id = idIn(talk.lastReply);
    expect(await talk.ask(line)).toMatch(saying("•", "closed orders", talk.samples.orderId, "mainnet"));
    expect(idIn(talk.lastReply)).toBe(id);
    expect(await talk.engine.subscriptions()).toMatchObject([
      { destination: toBob, personal: true, kinds: ["order.final"], subjects: [talk.samples.orderId], state: "active" },
    ]);
    expect(await owed(talk, ops)).toEqual([]);
    // Nothing delivers here: it is not promised, and the first message shows whether it can be.

    await talk.ask(`alerts add stake.changed ${"b".repeat(64)}`);
    expect(await owed(talk, toBob)).toEqual(["test by bob"]);
  });

  test("begins with a button on what can still change", async () => {
    const talk = await talkInOps(bob);
    const { orderId, rejectedOrderId, unsignedAssetId, unsignedProposalId } = talk.samples;
    await talk.ask(`order ${orderId}`);
    expect(await talk.press("alerts add")).toMatch(saying("✓", orderId.slice(0, 8), "closed orders", orderId, 1, 20));
    await talk.ask(`order ${rejectedOrderId}`);
    await expect(talk.press("alerts add")).rejects.toThrow("no alerts add");
    const bundles: readonly (readonly [string, string])[] = [
      ["list-asset", unsignedAssetId],
      ["asset-limits", unsignedProposalId],
    ];
    for (const [before, [what, id]] of bundles.entries()) {
      await talk.ask(`bundle ${what} ${id}`);
      expect(await talk.press("alerts add")).toMatch(
        saying("✓", what, id.slice(0, 8), "signed bundles", what, id, before + 2, 20),
      );
    }
    expect((await talk.engine.subscriptions()).map(({ subjects }) => subjects[0])).toEqual(
      expect.arrayContaining([orderId, `list-asset:${unsignedAssetId}`, `asset-limits:${unsignedProposalId}`]),
    );
  });

  test("is listed apart from the channel's subscriptions", async () => {
    const talk = await talkInOps(bob);
    await talk.ask(`alerts add order.final ${talk.samples.orderId}`);
    expect(await talk.ask("alerts list")).toMatch(saying("•", 1));
    talk.become({ caller: ann });
    await talk.ask("alerts add node.down");
    await talk.ask("alerts add network.stalled");
    talk.become({ caller: bob });
    expect(await talk.ask("alerts list")).toMatch(saying("•", 2, 1));
  });

  test("is the bundle of a proposal, too, where its id alone is typed", async () => {
    const talk = await talkInOps(bob);
    const { proposalId, unsignedProposalId, unsignedAssetId } = talk.samples;
    expect(await talk.ask(`alerts add bundle.signed ${proposalId}`)).toMatch(saying("•", "signed"));
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
    expect(await talk.ask("alerts add bundle.signed USDT")).toMatch(saying("•", "signed", "list-asset"));
    expect(await talk.ask(`alerts add order.final ${talk.samples.rejectedOrderId}`)).toMatch(
      saying("•", /\w+/u, "rejected"),
    );
    expect(await talk.engine.subscriptions()).toEqual([]);
  });

  test("is capped for each person, and for nobody else", async () => {
    const talk = await talkInOps(bob);
    for (let party = 0; party < 20; party += 1) {
      expect(await talk.ask(`alerts add stake.changed ${party.toString(16).padStart(64, "a")}`)).toMatch(
        saying("✓", party + 1, 20),
      );
    }
    expect(await talk.ask(`alerts add stake.changed ${"b".repeat(64)}`)).toMatch(saying("!", 20, 20));
    talk.become({ caller: ann });
    expect(await talk.ask(`alerts add stake.changed ${"b".repeat(64)}`)).toMatch(saying(1, 20));
  });

  test.each<[string, RegExp]>([
    ["alerts add order.final", saying("order.final")],
    [`alerts add order.final ${"ab".repeat(32)}`, /knows of no order|no order/u],
    [`alerts add stake.changed ${"a".repeat(64)},${"b".repeat(64)}`, saying("!")],
    [`alerts add stake.changed,node.down ${"a".repeat(64)}`, saying("stake.changed", "alerts", "add", "stake.changed")],
    [`alerts add stake.changed ${"a".repeat(64)} severity:warning`, saying("stake.changed")],
  ])("%s is refused with what to do", async (line, expected) => {
    const talk = await talkInOps(bob);
    const said = await talk.ask(line);
    expect(said).toMatch(expected);
    expect(said).toMatchSnapshot();
    expect(talk.lastReply.failure).toBe("caller");
    expect(await talk.engine.subscriptions()).toEqual([]);
  });
});
