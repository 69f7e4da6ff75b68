import { setTimeout as sleep } from "node:timers/promises";

import { MessageFlags, MessageType } from "discord-api-types/v10";
import { expect, test } from "vitest";

import { QuestionLimit } from "../../../../src/adapters/discord/respond/question.ts";
import { createLog } from "../../../../src/log.ts";
import { delivering } from "../../../support/delivering.ts";
import { labelsOf, type Person, textOf } from "../../../support/fake-discord/person.ts";
import type { StoredMessage } from "../../../support/fake-discord/state.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { MEANT } from "../../../support/questions/asked.ts";
import { probes } from "../probe-commands.ts";
import { stage, type Stage } from "../stage.ts";

/** That nobody answers what somebody writes: the next question is the first that is answered. */
async function expectSilence(on: Stage, ann: Person, write: () => void): Promise<void> {
  write();
  const answer = await on.fake.person("Zoe").writes(on.channel, "@bot is the network healthy");
  expect(ann.sees(on.channel)).toEqual([answer]);
}

test("a mention is answered by a reply to it that notifies nobody, folded, with Details", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  const answer = await ann.writes(on.channel, "@bot, is the network healthy?");
  expect(textOf(answer)).toContain("mainnet is healthy");
  expect([answer.onlyFor, answer.pinged]).toEqual([undefined, []]);
  expect(answer.flags & MessageFlags.SuppressNotifications).not.toBe(0);
  const long = await ann.writes(on.channel, "@bot checkpoints first:1000");
  expect(textOf(long).length).toBeLessThanOrEqual(1200);
  const details = await ann.press(answer, "Details");
  expect([details.last.onlyFor, textOf(details.last).length > textOf(answer).length]).toEqual([ann.id, true]);
  // What she asked alone she sees alone, though a picture is for everybody.
  const own = await ann.run(on.channel, "ask", { question: "is the network healthy" });
  expect((await ann.press(own.last, "Chart")).last.onlyFor).toBe(ann.id);
  expect((await ann.press(answer, "Chart")).last.onlyFor).toBeUndefined();
  expect(on.fake.complaints()).toEqual([]);
});

test("what only the asker may see, and what changes something, is one press", async () => {
  await using on = await stage({ delivers: true });
  await using _ = delivering(on.store, on.adapter);
  const [ann, bob] = [on.fake.person("Ann"), on.fake.person("Bob", { manages: true })];
  // Everybody may see a market, until the server chooses otherwise.
  expect(textOf(await ann.writes(on.channel, "how wide is the spread on BTC @bot"))).toMatch(/trades at|auction/u);
  await bob.run(on.channel, "answers set", { markets: "asker" });
  const price = await ann.writes(on.channel, "what is the price of BTC @bot");
  expect(textOf(price)).not.toMatch(/trades at|auction/u);
  const [label = ""] = labelsOf(price);
  const shown = await ann.press(price, label);
  expect([textOf(shown.last), shown.last.onlyFor]).toEqual([expect.stringContaining("BTC/USDT"), ann.id]);
  const subscribing = await ann.writes(on.channel, "@bot alerts add");
  expect(await on.engine.subscriptions()).toEqual([]);
  const [subscribe = ""] = labelsOf(subscribing);
  expect(textOf((await ann.press(subscribing, subscribe)).last)).toContain("Only people who manage this channel");
  expect(labelsOf(subscribing)).toEqual([subscribe]);
  // The press that is surely meant stands out.
  expect(JSON.stringify(subscribing.components).match(/"style":1\b/gu)).toHaveLength(1);
  const taken = await bob.press(subscribing, subscribe);
  expect(await on.engine.subscriptions()).toHaveLength(1);
  // Everybody reads once who did it, in place of the offer, and whoever may changes it there.
  const came = ann.sees(on.channel).filter((one) => textOf(one).includes("ubscribed"));
  expect(came.map(({ id }) => id)).toEqual([subscribing.id]);
  expect(textOf(taken.last)).toMatch(new RegExp(`Subscribed this channel.*\\s+By <@${bob.id}>`, "u"));
  expect([taken.last.onlyFor, labelsOf(taken.last)]).toEqual([
    undefined,
    expect.arrayContaining(["Change…", "All subscriptions"]),
  ]);
  const again = await bob.writes(on.channel, "@bot subscribe this channel");
  expect(textOf(again)).toContain("Subscribed already: this channel");
  const personal = await ann.writes(on.channel, "@bot my parties");
  expect(labelsOf(personal)).toHaveLength(1);
  expect([price, personal].map(({ edits }) => edits)).toEqual([0, 0]);
  expect(on.fake.complaints()).toEqual([]);
});

test("the seven questions take no more presses by a mention than in direct messages", async () => {
  await using on = await stage();
  const presses: Record<string, readonly boolean[]> = {};
  for (const [index, question] of Object.keys(MEANT).entries()) {
    const ann = on.fake.person(`Ann ${index}`);
    const answers = [await ann.writes(on.channel, `@bot ${question}`), await ann.writes(on.fake.direct(ann), question)];
    presses[question] = answers.map((answer) => /^[^\n]*\?$|[Oo]nly you will see /mu.test(textOf(answer)));
  }
  expect(Object.values(presses).filter(([open, direct]) => open !== direct)).toEqual([]);
  expect(Object.values(presses).filter(([open]) => open !== true)).toHaveLength(3);
  expect(on.fake.complaints()).toEqual([]);
});

test("what takes the place of an answer that all see tells of the channel alone, as that answer did", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  const asked = await ann.writes(on.channel, "@bot what happened last night");
  expect(textOf(asked)).toContain("nothing is subscribed here");
  const pressed = await ann.press(asked, "The last 7 days");
  expect(pressed.last.onlyFor).toBeUndefined();
  expect(textOf(pressed.last)).toContain("nothing is subscribed here");
  expect(textOf(pressed.last)).not.toContain("your own watches");
});

test("whose orders, and which, is to choose from by whoever asks alone; a typed id is one press away", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  const { orderId, partyId } = on.simulator.samples.mainnet;
  const asked = async (): Promise<StoredMessage> => {
    const offered = await ann.writes(on.channel, "@bot why was my order rejected");
    expect([textOf(offered), labelsOf(offered)]).toEqual([
      expect.stringContaining("Which order? Only you will see it."),
      ["Choose an order"],
    ]);
    return (await ann.press(offered, "Choose an order")).last;
  };
  const parties = await asked();
  expect([textOf(parties), parties.onlyFor]).toEqual([expect.stringContaining("Which order?"), ann.id]);
  expect(labelsOf(parties)).toContain("Save my party");
  expect(labelsOf(parties)[0]).toEqual(expect.stringMatching(/^(?:Buy|Sell) [^·]+ · [^·]+ ago$/u));
  const party = labelsOf(parties).find((label) => / · \d+ rejected orders?$/u.test(label)) ?? "";
  expect(textOf((await ann.press(parties, party)).last)).toContain("Which order?");
  await ann.run(on.channel, "my party", { id: partyId, name: "desk" });
  const orders = await asked();
  expect([textOf(orders), labelsOf(orders).length]).toEqual([
    expect.stringContaining("25 rejected orders of desk on mainnet"),
    27,
  ]);
  const [order = ""] = labelsOf(orders);
  expect(order).toMatch(/^(?:Buy|Sell) [\d,.]+ \S+/u);
  const sent = await ann.submit(await ann.press(orders, "By its id"), { id: orderId });
  expect([textOf(sent.last), sent.last.onlyFor]).toEqual([expect.stringMatching(/Filled.*Left/su), ann.id]);
  const shown = (await ann.press(orders, order)).last;
  // What is chosen takes the place of the question.
  expect([textOf(shown), shown.onlyFor, shown.id]).toEqual([
    expect.stringMatching(/Rejected: .*Filled.*Left/su),
    ann.id,
    orders.id,
  ]);
  expect(on.fake.complaints()).toEqual([]);
});

test("an export by a mention is the party and the asset, seen by whoever asks alone, and its file is checked", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  const asked = await ann.writes(on.channel, "@bot export last week and check it");
  expect([textOf(asked), labelsOf(asked)]).toEqual([
    expect.stringMatching(/only you will see/iu),
    ["Choose the party"],
  ]);
  const whose = (await ann.press(asked, "Choose the party")).last;
  expect([textOf(whose), whose.onlyFor]).toEqual([expect.stringContaining("Whose ledger?"), ann.id]);
  expect((await ann.press(whose, "Save my party")).interaction.modal).toBeDefined();
  const asset = (await ann.press(whose, labelsOf(whose).find((label) => label.includes(" · stakes ")) ?? "")).last;
  expect([textOf(asset), asset.onlyFor]).toEqual([expect.stringMatching(/which asset\?/u), ann.id]);
  const exported = (await ann.press(asset, "USDT · Tether USD")).last;
  await until(() => exported.files.length > 0, "the file");
  // What is checked is not offered to be checked.
  expect(textOf(exported)).toMatch(/Checked before it is handed over: read back, the file is unchanged/u);
  expect(labelsOf(exported)).not.toContain("Check the file");
});

test("the very file of an export is checked by one press", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  const party = on.simulator.samples.mainnet.partyId;
  const exported = (await ann.run(on.channel, "ledger export", { party, asset: "USDT", from: "7d" })).last;
  await until(() => exported.files.length > 0, "the file");
  const checked = await ann.press(exported, "Check the file");
  await until(() => textOf(checked.last).includes(exported.files[0]!.name), "what came of the check");
  expect(textOf(checked.last)).toMatch(/is the file of export .*byte for byte/u);
  const file = on.fake.state.messages.get(exported.id)?.files[0];
  file?.bytes.write("x");
  const changed = await ann.press(exported, "Check the file");
  await until(() => /is not the file|is of no export/u.test(textOf(changed.last)), "the changed file");
  expect(on.fake.complaints()).toEqual([]);
});

test("an offered change names the channel, what it is of, and the network, before it is pressed", async () => {
  await using on = await stage();
  const bob = on.fake.person("Bob", { manages: true });
  const subscribe = textOf(await bob.writes(on.channel, "@bot subscribe this channel"));
  expect(subscribe).toMatch(/Subscribe this channel to the \*\*ops\*\* alerts on \*\*mainnet\*\*\?/u);
  const silence = textOf(await bob.writes(on.channel, "@bot silence node 2 for two hours"));
  expect(silence).toMatch(/Silence .*sim-2.* in this channel for 2 h\?/u);
  expect([await on.engine.subscriptions(), await on.engine.silences()]).toEqual([[], []]);
  const own = textOf(await bob.writes(on.channel, "@bot subscribe me"));
  expect(own).toContain("Subscribe you, by direct message");
  const unread = textOf(await bob.writes(on.channel, "@bot silence node 99 for two hours"));
  expect(unread).toMatch(/There is no node 99 on mainnet.*Its nodes: sim-1/su);
  const eve = on.fake.person("Eve", { manages: true });
  const endless = await eve.writes(on.channel, "@bot silence node 2");
  await eve.press(endless, "1h");
  await until(() => textOf(endless).includes("Silenced"), "the silence in place of its offer");
  const [made] = await on.engine.silences();
  expect([made?.scope.subject, (await on.engine.silences()).length]).toEqual(["sim-2", 1]);
});

test("an offer that all see and a form answers is taken, and one that stands already is said at once", async () => {
  await using on = await stage();
  const [ann, bob] = [on.fake.person("Ann"), on.fake.person("Bob", { manages: true })];
  const offer = await bob.writes(on.channel, "@bot silence node 2");
  const labels = labelsOf(offer);
  const refused = await ann.submit(await ann.press(offer, "Another time"), { for: "4h" });
  expect([textOf(refused.last), refused.last.onlyFor]).toEqual([
    expect.stringContaining("Only people who manage"),
    ann.id,
  ]);
  const wrong = await bob.submit(await bob.press(offer, "Another time"), { until: "3 parsecs" });
  expect([textOf(wrong.last), wrong.last.onlyFor]).toEqual([expect.stringContaining("3 parsecs"), bob.id]);
  expect([labelsOf(offer), await on.engine.silences()]).toEqual([labels, []]);
  const still = await bob.submit(await bob.press(wrong.last, "Back to the form"), { until: "4 parsecs" });
  expect([still.last.id, textOf(still.last)]).toEqual([wrong.last.id, expect.stringContaining("4 parsecs")]);
  await bob.submit(await bob.press(still.last, "Back to the form"), { for: "2h", until: "" });
  await until(() => textOf(offer).includes("Silenced"), "the silence in place of its offer");
  expect(textOf(offer)).toMatch(/Silenced .*sim-2.* for 2 h\s+By <@/su);
  expect([offer.onlyFor, labelsOf(offer)]).toEqual([undefined, expect.arrayContaining(["End silence"])]);
  expect(await on.engine.outboxDepth()).toEqual([]);
  const again = await bob.writes(on.channel, "@bot silence node 2 for two hours");
  expect([textOf(again), labelsOf(again)]).toEqual([
    expect.stringMatching(/Silenced already: .*sim-2/u),
    ["End silence"],
  ]);
  const longer = await bob.writes(on.channel, "@bot silence node 2 for four hours");
  expect(textOf(longer)).toMatch(/Silence .*sim-2.* for 4 h\?/u);
  expect(on.fake.complaints()).toEqual([]);
});

test("what is no question is answered for everybody, with what to ask", async () => {
  await using on = await stage();
  const answer = await on.fake.person("Ann").writes(on.channel, "@bot will it rain on the parade");
  expect(textOf(answer)).toContain("No command answers");
  expect(labelsOf(answer).length).toBeGreaterThan(0);
});

test("direct messages need no mention, answer in place, and run what is typed", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  const direct = on.fake.direct(ann);
  expect(textOf(await ann.writes(direct, "what is the price of btc"))).toMatch(/BTC\/USDT/u);
  const { partyId } = on.simulator.samples.mainnet;
  expect(textOf(await ann.writes(direct, `my party ${partyId} name:desk`))).toContain("desk");
  const guessed = await ann.writes(direct, "please mute node 2 for two hours");
  expect([textOf(guessed), await on.engine.silences()]).toEqual([expect.stringMatching(/Silence .*sim-2.*2 h\?/u), []]);
  await ann.press(guessed, "Silence 2 h");
  expect([textOf(guessed), labelsOf(guessed)]).toEqual([expect.stringContaining("Silenced"), ["End silence"]]);
  expect(on.fake.complaints()).toEqual([]);
});

test.each<[string, (ann: Person, channel: string, bot: string) => void]>([
  ["without a mention", (ann, channel) => ann.write(channel, "is the network healthy")],
  [
    "of a reply to the bot",
    (ann, channel, bot) =>
      ann.write(channel, "is the network healthy", { type: MessageType.Reply, mentions: [{ id: bot }] }),
  ],
  ["to everyone", (ann, channel) => ann.write(channel, "@everyone is the network healthy", { mention_everyone: true })],
  ["without words", (ann, channel) => ann.write(channel, "@bot")],
  [
    "of another bot",
    (ann, channel) => ann.write(channel, "@bot help", { author: { id: ann.id, username: "b", bot: true } }),
  ],
  ["of a webhook", (ann, channel) => ann.write(channel, "@bot help", { webhook_id: "1" })],
  ["of Discord itself", (ann, channel) => ann.write(channel, "@bot help", { type: MessageType.ChannelPinnedMessage })],
])("a message %s is no question", async (_what, write) => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  await expectSilence(on, ann, () => write(ann, on.channel, on.fake.state.applicationId));
});

test("a repeated event is answered once, and a flood of one person once, with why", async () => {
  await using on = await stage();
  const [ann, bob] = [on.fake.person("Ann"), on.fake.person("Bob")];
  await ann.writes(on.channel, "@bot time");
  on.fake.gateway.repeat();
  for (let count = 0; count < 20; count += 1) ann.write(on.channel, "@bot time");
  await bob.writes(on.channel, "@bot time");
  await sleep(50);
  const seen = ann.sees(on.channel);
  expect(seen).toHaveLength(6);
  expect(seen.filter((one) => JSON.stringify(one).includes("Too many questions at once"))).toHaveLength(1);
});

test("questions of one person beyond four in ten seconds wait, and those beyond twice as many are refused now and then", () => {
  const limit = new QuestionLimit();
  const taken = Array.from({ length: 10 }, () => limit.take("ann", 0));
  expect(taken).toEqual([0, 0, 0, 0, 2500, 5000, 7500, 10_000, "refuse", "ignore"]);
  expect([limit.take("bob", 0), limit.take("ann", 5000)]).toEqual([0, 7500]);
});

test("without Read Message History the answer stands below the question", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  on.fake.state.channels.get(on.channel)!.noHistory = true;
  on.fake.expected.add(160_002);
  ann.write(on.channel, "@bot is the network healthy");
  await until(() => ann.sees(on.channel).length > 0, "the answer");
  expect(textOf(ann.sees(on.channel)[0]!)).toContain("mainnet is healthy");
});

test("no content is logged, nor kept in the store", async () => {
  const lines: string[] = [];
  const log = createLog("trace", { write: (line) => void lines.push(line) });
  await using on = await stage({ log, extra: probes });
  const ann = on.fake.person("Ann");
  await ann.writes(on.channel, "@bot would marmalade be healthy");
  on.fake.state.channels.get(on.channel)!.gone = "no-access";
  on.fake.expected.add(50_001);
  ann.write(on.channel, "@bot would marmalade be healthy");
  await until(() => lines.some((line) => line.includes("answer failed")), "the log line");
  expect(lines.join("\n")).not.toContain("marmalade");
});

test("a line between marks of code is the line, and a long one stands below what is offered", async () => {
  await using on = await stage();
  const ann = on.fake.person("Ann");
  for (const line of ["@bot `time`", "@bot ```time```", "@bot ```text\ntime\n```"]) {
    expect(textOf(await ann.writes(on.channel, line))).toContain("mainnet is healthy");
  }
  const zoe = on.fake.person("Zoe");
  const condition = `mark above 1 back ${"9".repeat(250)}`;
  const long = textOf(await zoe.writes(on.channel, `@bot alerts add market.value BTC/USDT if:"${condition}"`));
  expect(long).toMatch(/Did you mean `\/alerts add`\?/u);
  expect(long).toContain(condition);
  expect(textOf(await zoe.writes(on.channel, `@bot order ${"x".repeat(3600)}`))).toContain(
    "Only you will see the order",
  );
  expect(on.fake.complaints()).toEqual([]);
});
