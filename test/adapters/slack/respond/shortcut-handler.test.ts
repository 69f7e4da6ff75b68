import { describe, expect, test } from "vitest";

import { noAlertNotice } from "../../../../src/adapters/chat/why-this-alert.ts";
import { command } from "../../../../src/bot/command.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { alertsOn } from "../../../support/alert-service.ts";
import { fieldOf } from "../../../support/fake-slack/form-state.ts";
import { textOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { probe, titled } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

/** Stands in for the story of an alert: says of which. */
const why = command({
  ...probe("alerts why", ({ options }) => Promise.resolve(titled(`story of ${JSON.stringify(options["episode"])}`))),
  options: { episode: { kind: "text", description: "Which", example: "x", maxLength: 900, required: true } },
});

const details = (episode: string) => ({
  label: "Details",
  invocation: { command: "alerts why", options: { episode } },
  effect: "reply" as const,
});
const others = ["Acknowledge", "Silence", "Runbook", "More"].map((label) => ({
  label,
  invocation: { command: "time", options: {} },
  effect: "reply" as const,
}));

describe("Why this alert?", () => {
  test.each([
    ["a button", [details("ep-7")]],
    ["a menu", [...others, details("ep-7")]],
    ["the store", [details(`ep-7${"x".repeat(700)}`)]],
  ])("tells the story that %s of the message knows, to whoever asks alone", async (_name, actions) => {
    await using scene = await stage({ extra: [why] });
    const { signal } = new AbortController();
    const ann = scene.fake.person("ann");
    const delivery = { id: "d1", destination: { platform: "slack", channel: scene.channel } };
    const receipt = await scene.adapter.send(delivery, reply({ title: "down", actions }), signal);
    const dialog = ann.shortcut("Why this alert?", scene.fake.state.message(receipt.message));
    await dialog.answered();
    expect(said(dialog.last)).toContain('story of "ep-7');
    expect(dialog.last.onlyFor).toBe(ann.id);
  });

  test("Details of an alert is a modal, however often it is pressed: the channel gets no copy", async () => {
    await using scene = await stage({ extra: [why] });
    const { signal } = new AbortController();
    const ann = scene.fake.person("ann");
    const delivery = { id: "d1", destination: { platform: "slack", channel: scene.channel } };
    const actions = [details("ep-7")];
    const receipt = await scene.adapter.send(delivery, reply({ title: "down", actions }), signal);
    for (const _press of ["first", "second"]) {
      ann.startPress(scene.fake.state.message(receipt.message)!, "Details");
      const view = await ann.answerInView();
      expect(said(view)).toContain('story of "ep-7');
      ann.closeViews();
    }
    expect(ann.sees(scene.channel).filter(({ onlyFor }) => onlyFor !== undefined)).toEqual([]);
  });

  test("of another message says what to choose it on", async () => {
    await using scene = await stage({ extra: [why] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "time private:no");
    const dialog = ann.shortcut("Why this alert?", last);
    await dialog.answered();
    expect(said(dialog.last)).toContain(plainText(noAlertNotice().title));
    expect(dialog.last.onlyFor).toBe(ann.id);
  });
});

describe("Ask Bellwether", () => {
  test("answers a typed line in its place", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.shortcut("Ask Bellwether");
    expect(await ann.submit(await ann.form(), { "ask:line": "market list" })).toEqual({});
    expect(said(await ann.answerInView())).toContain("markets");
    expect(ann.directMessages()).toEqual([]);
  });

  test.each([
    ["a command that is chosen", { "ask:command": "order" }, "version", undefined, "BTC/USDT"],
    ["a line that lacks a value", { "ask:line": "my party name:desk" }, "name", "desk", "desk"],
  ])("opens the form of %s in its place", async (name, values, option, initial, words) => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.shortcut("Ask Bellwether");
    await ann.submit(await ann.form(), values);
    const form = await ann.form();
    expect(form.callback_id).toBe("form");
    const field = form.blocks.find(({ block_id: id }) => id === `option:${option}`)?.element;
    expect(field?.initial_value).toBe(initial);
    const { orderId, partyId } = scene.simulator.samples.mainnet;
    const id = name.includes("chosen") ? { id: orderId, version: "1" } : { id: partyId };
    expect(await ann.submit(form, id)).toEqual({});
    expect(said(await ann.answerInView())).toContain(words);
  });

  test("asks first where: the channel in view, and the network", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.shortcut("Ask Bellwether");
    const asking = await ann.form();
    const channel = fieldOf(asking, "ask:channel")?.element;
    expect(channel).toMatchObject({ type: "conversations_select", default_to_current_conversation: true });
    const where = { "ask:channel": scene.channel, "ask:network": "testnet" };
    await ann.submit(asking, { "ask:command": "alerts add", ...where });
    const form = await ann.form();
    expect(textOf(form)).toContain(`<#${scene.channel}>`);
    expect(fieldOf(form, "network")?.element?.initial_option?.value).toBe("testnet");
    expect(await ann.submit(form, { kinds: "nodes" })).toEqual({});
    await ann.answerInView();
    ann.closeViews();
    ann.shortcut("Ask Bellwether");
    await ann.submit(await ann.form(), { "ask:line": "alerts add markets", ...where });
    await ann.answerInView();
    const there = { destination: { platform: "slack", channel: scene.channel }, network: "testnet" };
    const told = await alertsOn(scene.store).engine.subscriptions();
    expect(told).toEqual([expect.objectContaining(there), expect.objectContaining(there)]);
  });

  test.each([
    ["nothing", {}, /./u],
    ["a line that cannot be read", { "ask:line": "markt lsit" }, saying("market list")],
    ["a value that is none", { "ask:line": "order ab version:x" }, saying("version")],
  ])("says at its field what is wrong with %s", async (_name, values, words) => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.shortcut("Ask Bellwether");
    const errors = await ann.submit(await ann.form(), values);
    expect(errors["ask:line"]).toMatch(words);
    expect(ann.directMessages()).toEqual([]);
  });
});
