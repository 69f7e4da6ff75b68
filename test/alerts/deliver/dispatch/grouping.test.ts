import { text } from "node:stream/consumers";

import { describe, expect, it } from "vitest";

import { SendError } from "../../../../src/alerts/sender.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { linesOf } from "../../../support/said.ts";
import { auction, blind, down, stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, type Stage, type StageOptions } from "../../stage.ts";

// What has one cause is one message: the first of its kind goes at once, those that follow soon edit it.

const MARKETS = Array.from({ length: 30 }, (_, index) => `m${String(index).padStart(2, "0")}`);

/** A channel subscribed to auctions and nodes, where all is well. */
async function subscribed(more: Parameters<typeof aSubscription>[0] = {}, options: StageOptions = {}): Promise<Stage> {
  const it = await openStage(options);
  await it.engine.putSubscriptions([aSubscription({ kinds: ["market.auction", "node.down"], ...more })], "ada");
  await it.rounds(2, [blind("good"), stalled("good"), ...MARKETS.map((one) => auction("good", one))]);
  return it;
}

/** One round: so many of the markets are in an auction. */
const auctions = (it: Stage, count: number, from = 0): Promise<unknown> =>
  it.round(MARKETS.map((one, index) => auction(index >= from && index < from + count ? "bad" : "good", one)));

describe("what has one cause is one message", () => {
  it("at once, where all of it was found at once", async () => {
    const it = await subscribed();
    await auctions(it, 30);
    expect(it.sender.take()).toEqual(["warning: 30 market.auction on mainnet"]);
    const [post] = it.sender.posts;
    expect(post?.reply.attachments.map(({ name }) => name)).toEqual(["mainnet-market.auction.csv"]);
    await it.pass(60_000);
  });

  it("whose episodes are asked for by it, as many as it showed", async () => {
    const it = await subscribed();
    await auctions(it, 3);
    const { deliveries } = (await it.engine.history("market.auction|mainnet|m00|1"))!;
    const [sayer] = deliveries;
    for (const count of [1, 2, 3, 9]) {
      const subjects = (await it.engine.grouped(sayer!.id, count)).map(({ subject }) => subject);
      expect(subjects).toEqual(MARKETS.slice(0, Math.min(count, 3)));
    }
    expect(it.sender.take()).toHaveLength(1);
  });

  it("which grows by edits, until nothing follows soon enough", async () => {
    const it = await subscribed();
    await auctions(it, 1);
    expect(it.sender.take()).toEqual(["warning: market.auction of m00 on mainnet"]);
    await it.pass(4000);
    await auctions(it, 3);
    await it.pass(2000);
    expect(it.sender.takeEdits()).toEqual(["warning: 3 market.auction on mainnet"]);
    await it.pass(2000);
    await auctions(it, 4);
    await it.pass(6000);
    expect(it.sender.takeEdits()).toEqual(["warning: 4 market.auction on mainnet"]);
    await auctions(it, 5);
    expect(it.sender.take()).toEqual(["warning: market.auction of m04 on mainnet"]);
  });

  it("whose file comes with it, and once more when nothing follows any more", async () => {
    const it = await subscribed();
    await auctions(it, 12);
    for (let count = 15; count <= 30; count += 3) {
      await it.pass(4000);
      await auctions(it, count);
    }
    await it.pass(2000);
    const files = (replies: readonly { readonly reply: Reply }[]) =>
      replies.map(({ reply }) => reply.attachments.length);
    expect(it.sender.take()).toEqual(["warning: 12 market.auction on mainnet"]);
    expect([files(it.sender.posts), files(it.sender.edits)]).toEqual([[1], [0, 0, 0, 0, 0, 0]]);
    expect(it.sender.takeEdits().at(-1)).toBe("warning: 30 market.auction on mainnet");
    await it.pass(5000);
    expect(it.sender.takeEdits()).toEqual(["warning: 30 market.auction on mainnet"]);
    const [file] = it.sender.edits.at(-1)?.reply.attachments ?? [];
    expect((await text(file!.open())).trim().split("\n")).toHaveLength(31);
    await it.pass(60_000);
  });

  it("for a minute at most, though it keeps growing", async () => {
    const it = await subscribed();
    for (let count = 1; count <= 30; count += 1) {
      await auctions(it, count);
      await it.pass(4000);
    }
    expect(it.sender.take()).toEqual([
      "warning: market.auction of m00 on mainnet",
      "warning: market.auction of m16 on mainnet",
    ]);
    // The file comes once nothing can join any more.
    const full = it.sender.edits.filter(({ gist }) => gist.includes("16 "));
    expect(full.map(({ reply }) => reply.attachments.length)).toEqual([1]);
    expect(it.sender.takeEdits().at(-1)).toBe("warning: 14 market.auction on mainnet");
  });

  it("whose end rings once all of it is over; until then its card shows how each stands", async () => {
    const it = await subscribed({ style: "live" });
    await auctions(it, 4);
    for (let round = 0; round < 5; round += 1) {
      await it.pass(5000);
      await auctions(it, 1);
    }
    expect(it.sender.take()).toEqual(["warning: 4 market.auction on mainnet"]);
    await it.pass(5000);
    expect(it.sender.takeEdits().at(-1)).toBe("warning: 1 of 4 market.auction on mainnet");
    for (let round = 0; round < 5; round += 1) {
      await auctions(it, 0);
      await it.pass(5000);
    }
    expect(it.sender.take()).toEqual(["resolved: 4 market.auction on mainnet"]);
    expect(it.sender.posts.at(-1)?.delivery.quiet).toBe(true);
    expect(it.sender.takeEdits().at(-1)).toBe("resolved: 4 market.auction on mainnet");
  });

  it("which calls nothing resolved whose end was not seen", async () => {
    const it = await subscribed();
    const seen = (markets: readonly Parameters<typeof auction>[]): Promise<unknown> =>
      it.round([blind("good"), stalled("good"), ...markets.map((one) => auction(...one))]);
    await auctions(it, 3);
    expect(it.sender.take()).toEqual(["warning: 3 market.auction on mainnet"]);
    for (let round = 0; round < 20; round += 1) {
      await it.pass(5000);
      await seen([]);
    }
    expect([it.sender.take(), it.sender.takeEdits().at(-1)]).toEqual([
      ["gone: 3 market.auction on mainnet"],
      "gone: 3 market.auction on mainnet",
    ]);
    expect(it.sender.posts.at(-1)?.reply.tone).toBe("neutral");
    expect(plainText(it.sender.posts.at(-1)!.reply.title)).not.toMatch(/resolved/iu);
  });

  it("which shows an acknowledgement for its place alone", async () => {
    const it = await subscribed();
    await auctions(it, 3);
    const [first = "", ...others] = (await it.engine.openEpisodes()).map(({ id }) => id);
    const only = { platform: "fake", channel: "ops" };
    await it.engine.acknowledge(first, { name: "bob" }, () => [], only, others);
    await it.pass(5000);
    const [{ reply } = {}] = it.sender.edits.slice(-1);
    expect(reply?.actions.map(({ label }) => label)).not.toContain("Acknowledge");
    expect(JSON.stringify(reply?.blocks).match(/bob/gu)).toHaveLength(3);
    expect([it.sender.take(), it.sender.takeEdits()].map((all) => all.length)).toEqual([1, 1]);
  });

  it("per network, kind and severity, and never with what somebody is mentioned for", async () => {
    const it = await subscribed();
    await it.engine.putSubscriptions([aSubscription({ id: "b", network: "testnet", kinds: ["node.down"] })], "ada");
    const nodes = ["a:1", "b:1"];
    for (const state of ["good", "bad", "bad"] as const) {
      await it.round([...nodes.map((node) => down(state, node)), auction(state)]);
      await it.round(
        nodes.map((node) => down(state, node, "testnet")),
        [],
        "testnet",
      );
      await it.pass(1000);
    }
    await it.round(nodes.map((node) => down("bad", node)));
    await it.round(
      nodes.map((node) => down("bad", node, "testnet")),
      [],
      "testnet",
    );
    expect(it.sender.take().toSorted()).toEqual([
      "warning: 2 node.down on mainnet",
      "warning: 2 node.down on testnet",
      "warning: market.auction of m1 on mainnet",
    ]);
  });

  it("of nodes that go down within a minute, one after the other", async () => {
    const it = await subscribed();
    for (let node = 1; node <= 3; node += 1) {
      for (let round = 0; round < 4; round += 1) {
        await it.round([1, 2, 3].map((one) => down(one <= node ? "bad" : "good", `n${one}`)));
        await it.pass(5000);
      }
    }
    expect(it.sender.take()).toEqual(["warning: node.down of n1 on mainnet"]);
    expect(it.sender.takeEdits()).toEqual(["warning: 2 node.down on mainnet", "warning: 3 node.down on mainnet"]);
  });

  it.each([
    [
      "live",
      [
        "warning: node.down of n1 on mainnet",
        "resolved: node.down of n1 on mainnet",
        "resolved: 3 node.down on mainnet",
      ],
    ],
    ["plain", ["warning: node.down of n1 on mainnet", "resolved: node.down of n1 on mainnet"]],
  ] as const)(
    "of nodes that are restarted one after the other, whose ends ring once in 5 min (%s)",
    async (style, posts) => {
      const it = await subscribed({ style });
      for (let node = 1; node <= 3; node += 1) {
        for (let round = 0; round < 36; round += 1) {
          await it.round([1, 2, 3].map((one) => down(one === node && round < 12 ? "bad" : "good", `n${one}`)));
          await it.pass(5000);
        }
      }
      expect(it.sender.take()).toEqual(posts);
      it.sender.takeEdits();
      expect(plainText(it.sender.edits.at(-1)!.reply.title)).toBe(
        "Resolved: 3 nodes on mainnet did not answer, one after another (12:00:10 or earlier to 12:07:10 UTC)",
      );
    },
  );

  it("of plain style keep the buttons of those that are open, and what they said once all are over", async () => {
    const it = await subscribed({ style: "plain" });
    const seen: string[] = [];
    for (let round = 0; round < 30; round += 1) {
      const isDown = [round < 12, round >= 14 && round < 26];
      await it.round(isDown.map((bad, index) => down(bad ? "bad" : "good", `n${index + 1}`)));
      await it.pass(5000);
      const [first] = it.sender.posts;
      const shown = it.sender.edits.findLast(({ message }) => message === first?.message) ?? first;
      if (shown === undefined) continue;
      const canAcknowledge = linesOf(shown.reply).some((line) => line.startsWith("alerts ack"));
      const how = `${shown.reply.tone}, ${canAcknowledge ? "to acknowledge" : "no button"}`;
      if (seen.at(-1) !== how) seen.push(how);
    }
    const once = ["warning, to acknowledge", "warning, no button"];
    expect(seen).toEqual([...once, ...once]);
    it.sender.take();
    it.sender.takeEdits();
  });

  it("in each story of an alert: which message says it, and when it arrived", async () => {
    const it = await subscribed();
    await auctions(it, 1);
    await it.pass(1000);
    await auctions(it, 2);
    await it.pass(2000);
    const { decisions, deliveries, receipts } = (await it.engine.history("market.auction|mainnet|m01|1"))!;
    expect(decisions.map(({ what }) => what)).toContain("grouped");
    expect(deliveries.map(({ phase, state }) => `${phase} ${state}`)).toEqual(["trigger sent"]);
    expect(receipts.map(({ message }) => message)).toEqual([it.sender.posts[0]?.message]);
    expect([it.sender.take(), it.sender.takeEdits()].map((all) => all.length)).toEqual([1, 1]);
  });

  it("not on the console, which lists each alert by itself", async () => {
    const console = { platform: "fake", channel: "ops" };
    const it = await subscribed({}, { console });
    await auctions(it, 3);
    await it.pass(0);
    expect(it.sender.take()).toHaveLength(3);
  });

  it("once for each card, in the channel", async () => {
    const it = await subscribed({ style: "thread" });
    await auctions(it, 2);
    await it.pass(20_000);
    await auctions(it, 4);
    for (let round = 0; round < 5; round += 1) {
      await it.pass(5000);
      await auctions(it, 0);
    }
    expect(it.sender.take()).toEqual([
      "warning: 2 market.auction on mainnet",
      "warning: 2 market.auction on mainnet",
      "resolved: 2 market.auction on mainnet",
      "resolved: 2 market.auction on mainnet",
    ]);
    expect(it.sender.posts.map(({ delivery }) => delivery.threadOf)).toEqual(Array(4).fill(undefined));
    // While they recover.
    expect(it.sender.takeEdits().slice(0, 2)).toEqual([
      "warning: 2 market.auction on mainnet",
      "warning: 2 market.auction on mainnet",
    ]);
  });
});

describe("nothing is lost", () => {
  it("by a crash between the first message and its edit", async () => {
    const it = await subscribed();
    await auctions(it, 1);
    await it.pass(3000);
    await auctions(it, 3);
    await it.restart(1000);
    await it.pass(2000);
    expect(it.sender.take()).toEqual(["warning: market.auction of m00 on mainnet"]);
    expect(it.sender.takeEdits()).toEqual(["warning: 3 market.auction on mainnet"]);
  });

  it("by an edit that the platform refuses: what it would have said is a message of its own", async () => {
    const it = await subscribed();
    await auctions(it, 1);
    await it.pass(1000);
    it.sender.outcome = (what) => ("id" in what ? "ok" : new SendError("permanent", "message_not_found"));
    await auctions(it, 4);
    await it.pass(5000);
    expect(it.sender.take()).toEqual([
      "warning: market.auction of m00 on mainnet",
      "warning: 3 market.auction on mainnet",
    ]);
  });

  it("nor told twice by a refused edit: what the message shows already is no message again", async () => {
    const it = await subscribed();
    await auctions(it, 1);
    await it.pass(1000);
    await auctions(it, 2);
    await it.pass(2000);
    expect(it.sender.takeEdits()).toEqual(["warning: 2 market.auction on mainnet"]);
    it.sender.outcome = (what) => ("id" in what ? "ok" : new SendError("permanent", "message_not_found"));
    await auctions(it, 4);
    await it.pass(5000);
    expect(it.sender.take()).toEqual([
      "warning: market.auction of m00 on mainnet",
      "warning: 2 market.auction on mainnet",
    ]);
  });

  it("by a message that the platform refuses: each alert that it said counts as not told", async () => {
    const it = await subscribed();
    it.sender.outcome = () => new SendError("permanent", "no");
    await auctions(it, 3);
    it.sender.outcome = () => "ok";
    await it.pass(60_000);
    for (let round = 0; round < 5; round += 1) {
      await auctions(it, 0);
      await it.pass(5000);
    }
    expect(it.sender.take()).toEqual([]);
    const { deliveries, decisions } = (await it.engine.history("market.auction|mainnet|m02|1"))!;
    expect(deliveries.map(({ phase, state }) => `${phase} ${state}`)).toEqual(["trigger dead"]);
    expect(decisions.map(({ what }) => what)).toContain("no resolve owed");
  });

  it("where the ends come before the message: it says both", async () => {
    const it = await subscribed();
    it.sender.outcome = () => new SendError("retry", "503");
    await auctions(it, 3);
    for (let round = 0; round < 5; round += 1) {
      await it.pass(5000);
      await auctions(it, 1);
    }
    it.sender.outcome = () => "ok";
    await it.pass(120_000);
    expect(it.sender.take()).toEqual(["warning: 1 of 3 market.auction on mainnet"]);
  });

  it("where all ends come before the message, which is then no end of alerts that were told", async () => {
    const it = await subscribed();
    it.sender.outcome = () => new SendError("retry", "503");
    await auctions(it, 3);
    for (let round = 0; round < 5; round += 1) {
      await it.pass(5000);
      await auctions(it, 0);
    }
    it.sender.outcome = () => "ok";
    await it.pass(120_000);
    expect(it.sender.take()).toEqual(["fired and resolved: 3 market.auction on mainnet"]);
    await auctions(it, 3);
    for (let round = 0; round < 5; round += 1) {
      await it.pass(5000);
      await auctions(it, 0);
    }
    expect(it.sender.take()).toEqual(["warning: 3 market.auction on mainnet", "resolved: 3 market.auction on mainnet"]);
    const [told, , ended] = it.sender.posts.map(({ reply }) => plainText(reply.title));
    expect(told).not.toBe(ended);
  });
});
