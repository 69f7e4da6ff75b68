import { describe, expect, test } from "vitest";

import type { Payloads } from "../../../../src/adapters/adapter.ts";
import { expiredNotice, unreadableNotice } from "../../../../src/adapters/slack/respond/notices.ts";
import { command } from "../../../../src/bot/command.ts";
import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { buttonsOf, labelsOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { probe } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

/** Answers with how often it was asked, and buttons of each kind. */
function counting() {
  let asked = 0;
  return probe("probe count", ({ options }) => {
    asked += 1;
    const invocation = { command: "probe count", options: { note: "next" } };
    return Promise.resolve(
      reply({
        title: `asked ${asked} times, ${typeof options["note"] === "string" ? options["note"] : "nothing noted"}`,
        actions: [
          { label: "Older", invocation, effect: "replace" },
          { label: "Details", invocation, effect: "reply" },
          { label: "Delete", invocation, effect: "replace", confirm: "Delete it?" },
          // Too long for a button: its meaning is kept in the store.
          {
            label: "Long",
            invocation: { ...invocation, options: { note: "x".repeat(180), private: true, network: "y".repeat(900) } },
            effect: "reply",
          },
          { label: "Docs", url: "https://example.net/" },
        ],
      }),
    );
  });
}

describe("buttons", () => {
  test("pages and refresh take the message's place; details come below it", async () => {
    await using scene = await stage({ extra: [counting()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe count");
    expect(labelsOf(last.blocks)).toEqual(["Older", "Details", "Delete", "Long", "Docs", "Refresh", "Share"]);
    await ann.press(last, "Refresh");
    expect(said(last)).toContain("asked 2 times, nothing noted");
    await ann.press(last, "Older");
    expect(said(last)).toContain("asked 3 times, next");
    const details = await ann.press(last, "Details");
    expect(details.last.ts).not.toBe(last.ts);
    expect(details.last.onlyFor).toBe(ann.id);
    expect(buttonsOf(last.blocks).find(({ text }) => text?.text === "Delete")?.confirm).toBeDefined();
    const answers = () => scene.fake.requests.filter(({ method }) => method !== "auth.test").length;
    const before = answers();
    const link = ann.startPress(last, "Docs");
    await until(() => link.envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    expect(answers()).toBe(before);
  });

  test("share shows what was shown, named and dated, and runs nothing", async () => {
    await using scene = await stage({ extra: [counting()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe count");
    for (const _again of [1, 2]) {
      const shared = (await ann.press(last, "Share")).last;
      expect(shared.onlyFor).toBeUndefined();
      expect(said(shared)).toContain(`<@${ann.id}>`);
      expect(said(shared)).toContain("asked 1 times");
      expect(labelsOf(shared.blocks)).toEqual(["Docs"]);
    }
  });

  test("share is no longer possible after a day: ask again", async () => {
    let late = 0;
    const payloads = (own: Payloads): Payloads => ({
      put: (value, ttlMillis) => own.put(value, ttlMillis - late),
      get: (key) => own.get(key),
    });
    await using scene = await stage({ extra: [counting()], payloads });
    const ann = scene.fake.person("ann");
    late = 86_400_000;
    const { last } = await ann.run(scene.channel, "probe count");
    const dialog = await ann.press(last, "Share");
    expect(dialog.last.onlyFor).toBe(ann.id);
    expect(said(dialog.last)).toContain(plainText(expiredNotice("").title));
  });

  test("share keeps 64 KiB at most: more is to be asked for again", async () => {
    const long = probe("probe long", () =>
      Promise.resolve(reply({ title: "long", blocks: [paragraph("x".repeat(70_000))] })),
    );
    await using scene = await stage({ extra: [long] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe long");
    const dialog = await ann.press(last, "Share");
    expect(dialog.last.onlyFor).toBe(ann.id);
    expect(said(dialog.last)).toContain("private:no");
  });

  test("an answer that is the asker's own has no Share", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    for (const line of [
      `my party ${scene.simulator.samples.mainnet.partyId} treasury`,
      "my parties",
      "my forget treasury",
    ]) {
      const { last } = await ann.run(scene.channel, line);
      expect(labelsOf(last.blocks)).not.toContain("Share");
    }
  });

  test("whose page it is not gets a page of their own", async () => {
    await using scene = await stage({ extra: [counting()] });
    const ann = scene.fake.person("ann");
    const bob = scene.fake.person("bob");
    const { last: shared } = await ann.run(scene.channel, "probe count private:no");
    expect(shared.onlyFor).toBeUndefined();
    const own = await bob.press(shared, "Older");
    expect(own.last.onlyFor).toBe(bob.id);
    expect(shared.edits).toBe(0);
    await ann.press(shared, "Older");
    expect(shared.edits).toBe(1);
    expect(shared.onlyFor).toBeUndefined();
  });

  test("an error beside a shared page goes to the presser alone and leaves the page", async () => {
    let broken = false;
    const fragile = probe("probe fragile", () =>
      broken ? Promise.reject(new Error("no")) : Promise.resolve(reply({ title: "well" })),
    );
    await using scene = await stage({ extra: [fragile] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe fragile private:no");
    broken = true;
    const dialog = ann.startPress(last, "Refresh");
    await until(() => dialog.uses === 1, "the error");
    expect(last.edits).toBe(0);
    const whispered = dialog.messages.at(-1)!;
    expect(whispered.onlyFor).toBe(ann.id);
    expect(said(whispered)).toMatch(/`[0-9a-f]{8}`/u);
  });

  test("an error tried again gives way to the next error, and then to the answer with its file", async () => {
    let calls = 0;
    const third = probe("probe third", () => {
      calls += 1;
      if (calls < 3) return Promise.reject(new Error("no"));
      const file = memoryAttachment("third.csv", "text/csv", "a\n");
      return Promise.resolve(reply({ title: "there", attachments: [file] }));
    });
    await using scene = await stage({ extra: [third] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe third");
    await ann.press(last, "Ask again");
    expect(said(last)).toMatch(/`[0-9a-f]{8}`/u);
    await ann.press(last, "Ask again");
    expect(said(last)).toContain("third.csv");
    expect(last.edits).toBe(2);
    expect(ann.sees(scene.channel)).toEqual([last]);
    expect(ann.directMessages().flatMap(({ files }) => files)).toHaveLength(1);
  });

  test("work after a restart, those kept in the store, too", async () => {
    await using scene = await stage({ extra: [counting()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe count");
    await scene.restart();
    await ann.press(last, "Refresh");
    expect(said(last)).toContain("asked 2 times");
    const long = await ann.press(last, "Long");
    expect(said(long.last)).toMatch(saying("mainnet", "testnet"));
  });

  test("kept in a store that does not answer say so", async () => {
    let broken = false;
    const payloads = (own: Payloads): Payloads => ({
      put: (value, ttlMillis) => own.put(value, ttlMillis),
      get: (key) => (broken ? Promise.reject(new Error("the disk is gone")) : own.get(key)),
    });
    await using scene = await stage({ extra: [counting()], payloads });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe count");
    broken = true;
    const pressed = await ann.press(last, "Long");
    expect(said(pressed.last)).toContain(plainText(unreadableNotice().title));
    expect(said(pressed.last)).not.toContain("disk");
    expect(pressed.last.onlyFor).toBe(ann.id);
    broken = false;
    expect(said((await ann.press(last, "Long")).last)).toMatch(saying("mainnet", "testnet"));
  });

  test("of another version answer that they are too old", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const old = { type: "button", action_id: "press:0", text: { text: "Old" }, value: '{"v":0}' };
    const unknown = { type: "button", action_id: "press:1", text: { text: "Gone" }, value: '{"v":1,"key":"nothing"}' };
    const message = scene.fake.state.post({
      channel: scene.channel,
      text: "x",
      blocks: [{ type: "actions", elements: [old, unknown] }],
    });
    for (const label of ["Old", "Gone"]) {
      const answer = await ann.press(message, label);
      expect(answer.last.onlyFor).toBe(ann.id);
      expect(said(answer.last)).toMatch(saying(plainText(expiredNotice("").title), "/bell"));
    }
  });
});

describe("a form", () => {
  test("has a field for each option, fitting its kind", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.startPress((await ann.run(scene.channel, "order version:2")).last, "By its id");
    const form = await ann.form();
    const fields = form.blocks.flatMap(({ block_id: id, element }) => (id === undefined ? [] : [[id, element?.type]]));
    expect(fields).toEqual([
      ["option:id", "external_select"],
      ["option:version", "plain_text_input"],
    ]);
    expect(labelsOf(form.blocks)).toEqual(["Network and who sees it …"]);
    expect(form.blocks.find(({ block_id: id }) => id === "option:version")?.element?.initial_value).toBe("2");
  });

  test("completes while one types, says errors at the field, and answers where the command was typed", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "market show");
    const form = await ann.form();
    const offered = await ann.complete(form, "market", "");
    expect(offered.length).toBeGreaterThan(2);
    expect(await ann.complete(form, "market", "zzz")).toContain("zzz");
    const [market = ""] = offered;
    await ann.submit(form, { market });
    await dialog.answered();
    expect(dialog.last.onlyFor).toBe(ann.id);
    expect(labelsOf(dialog.last.blocks)).toContain("Share");
  });

  test("offers what was typed when completion takes too long", async () => {
    const slow = command({
      ...probe("probe slow", () => Promise.resolve(reply({ title: "x" }))),
      options: {
        note: {
          kind: "text",
          required: true,
          description: "Anything",
          example: "x",
          suggest: () => new Promise(() => undefined),
        },
      },
    });
    await using scene = await stage({ extra: [slow], timing: { suggestMillis: 20 } });
    const ann = scene.fake.person("ann");
    ann.type(scene.channel, "probe slow");
    expect(await ann.complete(await ann.form(), "note", "abc")).toEqual(["abc"]);
  });

  test("that is wrong stays open, with the sentence at the field that is wrong", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.type(scene.channel, "ledger export");
    const form = await ann.form();
    expect(await ann.submit(form, {})).toHaveProperty("asset");
    const errors = await ann.submit(form, { asset: "USDT", from: "yesterweek" });
    expect(errors["from"]).toContain("yesterweek");
    expect(errors["from"]).toMatchSnapshot();
  });

  test("for all to see", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "market show");
    const form = await ann.form();
    // An unknown market is said at its field, whatever was chosen.
    expect(await ann.submit(form, { market: "NOPE", private: "no" })).toHaveProperty("market");
    expect(dialog.messages).toEqual([]);
    expect(await ann.submit(form, { market: scene.simulator.samples.mainnet.marketCode, private: "no" })).toEqual({});
    await dialog.answered();
    expect(dialog.last.onlyFor).toBeUndefined();
  });

  test("that cannot be opened in time is said, with what to type", async () => {
    await using scene = await stage();
    scene.fake.expected.add("expired_trigger_id");
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "views.open", answer: { error: "expired_trigger_id" } });
    const dialog = await ann.run(scene.channel, "market show");
    expect(labelsOf(dialog.last.blocks)).toContain("Other values");
    scene.fake.fail({ method: "views.open", answer: { error: "expired_trigger_id" } });
    const pressed = await ann.press(dialog.last, "Other values");
    expect(said(pressed.last)).toMatch(saying("/bell market show", "/bell help market show"));
  });
});
