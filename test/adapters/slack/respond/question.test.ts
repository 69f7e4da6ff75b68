import { expect, test } from "vitest";

import { choicesOf, labelsOf, type Person } from "../../../support/fake-slack/person.ts";
import type { StoredMessage } from "../../../support/fake-slack/state.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

/** What comes of choosing the first that is offered, or the one with these words. */
async function chosen(ann: Person, message: StoredMessage, words = ""): Promise<StoredMessage> {
  return (await ann.press(message, choicesOf(message.blocks).find((one) => one.includes(words)) ?? words)).last;
}

test("whose orders, and which, is to choose from; a typed id is one press away", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { orderId, partyId } = scene.simulator.samples.mainnet;
  const { last: parties } = await ann.run(scene.channel, "why was my order rejected");
  expect(said(parties)).toContain("The newest rejected orders of all parties");
  expect(said(await chosen(ann, parties, " of a party: "))).toContain("Which order?");
  await ann.run(scene.channel, `my party ${partyId} desk`);
  const { last: orders } = await ann.run(scene.channel, "why was my order rejected");
  expect(said(orders)).toContain("of desk on mainnet");
  expect(choicesOf(orders.blocks).filter((one) => !/(?:Buy|Sell) /u.test(one))).toEqual([]);
  expect(choicesOf(orders.blocks)[0]).toMatch(/(?:Buy|Sell) [\d,.]+ \S+[^·]* · [^·]+ ago/u);
  ann.startPress(orders, "By its id");
  await ann.submit(await ann.form(), { id: orderId });
  await until(() => ann.sees(scene.channel).some((one) => said(one).includes("Filled")), "the order");
  const { length } = ann.sees(scene.channel);
  expect(said(await chosen(ann, orders))).toMatch(/Rejected: .*Filled.*Left/su);
  // What is chosen takes the place of the question.
  expect(ann.sees(scene.channel)).toHaveLength(length);
});

test("an export asks for its party and its asset by what there is, and its file is checked at once", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { last: whose } = await ann.run(scene.channel, "export last week and check it");
  expect(said(whose)).toContain("Whose ledger?");
  const asset = await chosen(ann, whose);
  expect(said(asset)).toMatch(/which asset\?/u);
  const exported = await chosen(ann, asset);
  const shown = (): string => ann.sees(scene.channel).map(said).join("\n");
  await until(() => shown().includes("is in your direct m"), "the file");
  expect(shown()).not.toMatch(/Whose ledger|which asset/u);
  expect(shown()).toMatch(/Checked before it is handed over: read back, the file is unchanged/u);
  // What is checked is not offered to be checked.
  expect(labelsOf((ann.sees(scene.channel).at(-1) ?? exported).blocks)).not.toContain("Check the file");
});

test("without a file, one's own exports are to choose from", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { partyId } = scene.simulator.samples.mainnet;
  await ann.run(scene.channel, `ledger export ${partyId} USDT from:1d`);
  const { last: asked } = await ann.run(scene.channel, "ledger verify");
  expect(said(asked)).toContain("this bot takes no files");
  const own = labelsOf(asked.blocks).find((label) => label.startsWith("made ")) ?? "";
  expect(said((await ann.press(asked, own)).last)).toMatch(/the SHA-256 of the file of export.*No file was read/su);
});

test("an export's party may be typed, and one's own is saved, by a form each", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { last: whose } = await ann.run(scene.channel, "export last week and check it");
  ann.startPress(whose, "Save my party");
  await ann.submit(await ann.form(), { id: scene.simulator.samples.mainnet.partyId, name: "desk" });
  const { last: orders } = await ann.run(scene.channel, "my parties");
  expect(said(orders)).toContain("desk");
  ann.startPress(whose, "By its id");
  expect(await ann.form()).toBeDefined();
});

test("an offer that is taken, by a press or a form, says what came of it and offers it no more", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { last: offered } = await ann.run(scene.channel, "subscribe this channel");
  const { last: taken } = await ann.press(offered, "Subscribe to alerts");
  expect([taken.ts, said(taken)]).toEqual([offered.ts, expect.stringContaining("Subscribed this channel")]);
  expect(labelsOf(taken.blocks)).not.toContain("Subscribe to alerts");
  const { last: again } = await ann.run(scene.channel, "subscribe here");
  expect([said(again), labelsOf(again.blocks)]).toEqual([
    expect.stringContaining("Subscribed already: this channel"),
    expect.arrayContaining(["Send a test", "Change…"]),
  ]);
  const { last: endless } = await ann.run(scene.channel, "silence node 2");
  ann.startPress(endless, "Another time");
  await ann.submit(await ann.form(), { for: "90m" });
  const shown = (): string =>
    ann
      .sees(scene.channel)
      .filter(({ ts }) => ts === endless.ts)
      .map(said)
      .join("");
  await until(() => shown().includes("Silenced"), "the silence in place of its offer");
});

test("a silence that a mention and a press made says who made it, and can be ended where it stands", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const offer = (): StoredMessage | undefined => ann.sees(scene.channel).findLast(({ thread }) => thread !== undefined);
  ann.mention(scene.channel, "silence node 2 for two hours");
  await until(() => offer() !== undefined && said(offer()!).includes("for 2 h?"), "the offer");
  const { last: made } = await ann.press(offer()!, "Silence 2 h");
  expect([said(made), made.onlyFor]).toEqual([expect.stringMatching(/Silenced .*sim-2.*\s+By <@U\w+>/u), undefined]);
  // The channel reads it once.
  expect(await scene.alerts.outboxDepth()).toEqual([]);
  const { last: ended } = await ann.press(made, "End silence");
  expect([ended.ts, await scene.alerts.silences()]).toEqual([made.ts, []]);
});
