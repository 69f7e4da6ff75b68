import { parse as parseCsv } from "csv-parse/sync";
import { GatewayIntentBits } from "discord-api-types/v10";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { commands } from "../../../commands/index.ts";
import { answerFailedNotice, expiredNotice, shareFailedNotice } from "../../../src/adapters/discord/respond/notices.ts";
import { refusedAnswerNotice } from "../../../src/adapters/chat/notices.ts";
import type { AnyCommand } from "../../../src/bot/command.ts";
import type { Option } from "../../../src/bot/options/options.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { labelsOf, type Person, textOf, type Where } from "../../support/fake-discord/person.ts";
import type { StoredMessage } from "../../support/fake-discord/state.ts";
import { until } from "../../support/fake-discord/until.ts";
import { componentsIn } from "./judge.ts";
import { stage, type Stage } from "./stage.ts";

function isLink(message: StoredMessage, label: string): boolean {
  return componentsIn(message.components).some((one) => "url" in one && "label" in one && one.label === label);
}

function valueOf(option: Option): string | number | boolean {
  switch (option.kind) {
    case "text":
      if (option.mention !== undefined) return "<@&123456789012345678>";
      return "x";
    case "integer":
      return option.max;
    case "choice":
      return option.choices.at(-1)?.value ?? "x";
    case "flag":
      return true;
    case "time":
      return "2h";
    case "file":
      return "123456789012345678";
    case "network":
      return "mainnet";
  }
}

// Every command, as people use it on Discord, from the gateway to the message they read.

const FAULTS = [expiredNotice(undefined), refusedAnswerNotice("Discord"), shareFailedNotice(), answerFailedNotice()];

let on: Stage;
let ann: Person;

beforeAll(async () => {
  on = await stage();
  ann = on.fake.person("Ann");
});
afterAll(() => on[Symbol.asyncDispose]());

const mainnet = (): Stage["simulator"]["samples"]["mainnet"] => on.simulator.samples.mainnet;

describe("every command answers", () => {
  test.each<[string, () => Record<string, string | number | boolean>, RegExp]>([
    ["time", () => ({}), /Network time/iu],
    ["info", () => ({}), /version/iu],
    ["market list", () => ({}), /markets trade/iu],
    // The simulated market goes through auctions.
    ["market show", () => ({ market: mainnet().marketCode }), /trades at|in an auction/u],
    ["order", () => ({ id: mainnet().orderId }), /Active/u],
    ["order", () => ({ id: mainnet().orderId, version: 1 }), /version/iu],
    ["stake", () => ({}), /stake/iu],
    ["stake", () => ({ party: mainnet().partyId }), /stake/iu],
    ["rotations", () => ({}), /rotation/iu],
    ["snapshots", () => ({}), /snapshot/iu],
    ["checkpoints", () => ({}), /checkpoint/iu],
    ["chart", () => ({ what: "network" }), /kept/u],
    ["bundle list-asset", () => ({ asset: mainnet().assetId }), /signature/iu],
    ["bundle asset-limits", () => ({ proposal: mainnet().proposalId }), /656,000 USDT/u],
    ["help", () => ({}), /market show/u],
  ])("/%s", async (command, options, expected) => {
    const dialog = await ann.run(on.channel, command, options());
    expect(dialog.messages).toHaveLength(1);
    expect(textOf(dialog.last)).toMatch(expected);
    expect(textOf(dialog.last)).toContain("SIMULATED");
  });
});

describe("a question is answered wherever the app can be used", () => {
  // https://docs.discord.com/developers/resources/application#installation-context
  test.each<[string, () => Where, RegExp]>([
    ["a server", () => ({ channel: on.channel }), /manage this channel/u],
    ["direct messages with the bot", () => ({ channel: on.fake.direct(ann) }), /direct message/u],
    [
      "a conversation with others, to which somebody brought it along",
      () => ({ channel: on.fake.direct(ann), context: 2, broughtAlong: true }),
      /direct message/u,
    ],
    ["a server that has not installed it", () => ({ channel: on.channel, broughtAlong: true }), /direct message/u],
  ])("in %s; alerts of a channel are for those who manage it", async (_where, place, alerts) => {
    const where = place();
    const asked = await ann.run(where, "time");
    expect([asked.messages.length, textOf(asked.last)]).toEqual([1, expect.stringMatching(/Network time/iu)]);
    const subscribed = await ann.run(where, "alerts add", { kinds: "ops" });
    await until(() => subscribed.messages.some((one) => !one.thinking), "the answer");
    expect([textOf(subscribed.last), subscribed.last.onlyFor]).toEqual([expect.stringMatching(alerts), ann.id]);
  });
});

describe("every button of every answer does something", () => {
  test.each<[string, () => Record<string, string | number | boolean>]>([
    ["time", () => ({})],
    ["info", () => ({})],
    ["market list", () => ({})],
    ["market show", () => ({ market: mainnet().marketCode })],
    ["order", () => ({ id: mainnet().orderId })],
    ["stake", () => ({})],
    ["rotations", () => ({ first: 2 })],
    ["snapshots", () => ({ first: 2 })],
    ["checkpoints", () => ({ first: 2 })],
    ["bundle list-asset", () => ({ asset: mainnet().assetId })],
    ["bundle asset-limits", () => ({ proposal: mainnet().proposalId })],
    ["alerts add", () => ({ kinds: "markets" })],
    ["alerts list", () => ({})],
    ["alerts silence", () => ({ what: "all", for: "1h" })],
    ["alerts silences", () => ({})],
    ["alerts status", () => ({})],
    ["alerts log", () => ({})],
    ["answers show", () => ({})],
    ["my party", () => ({ id: mainnet().partyId, name: "mine" })],
    ["my parties", () => ({})],
    ["help", () => ({})],
  ])("/%s", async (command, options) => {
    const boss = on.fake.person("Boss", { manages: true });
    const channel = on.fake.channel();
    const first = await boss.run(channel, command, options());
    const labels = labelsOf(first.last);
    let asked = first;
    for (const label of labels) {
      // The button before it may have changed the message.
      if (!labelsOf(asked.last).includes(label)) asked = await boss.run(channel, command, options());
      if (isLink(asked.last, label)) continue;
      const pressed = boss.startPress(asked.last, label);
      await pressed.answered();
      await until(() => pressed.messages.every((one) => !one.thinking), `an answer to ${label}`);
      const said = pressed.messages.map((one) => textOf(one)).join("\n");
      expect(said).not.toMatch(/`[0-9a-f]{8}`/u);
      for (const { title } of FAULTS) expect(said).not.toContain(plainText(title));
    }
    expect(labels.length).toBeGreaterThan(0);
  });
});

describe("whatever is typed, an answer comes that is no fault of ours", () => {
  // As little, and as much, as the form takes.
  const values = (command: AnyCommand, all: boolean): Record<string, string | number | boolean> =>
    Object.fromEntries(
      Object.entries(command.options)
        .filter(([, option]) => !("operatorsOnly" in option) && option.within === undefined)
        .filter(([, option]) => all || ("required" in option && option.required))
        .map(([name, option]) => [name, valueOf(option)]),
    );
  test.each(commands.map((command) => [command.name, command] as const))("/%s", async (name, command) => {
    const boss = on.fake.person("Boss", { manages: true });
    for (const [who, all] of [
      [ann, false],
      [ann, true],
      [boss, true],
    ] as const) {
      const dialog = who.start(on.channel, name, values(command, all));
      await dialog.answered();
      const opensForm = !all && command.lacks?.({}) === true;
      expect(dialog.interaction.modal !== undefined).toBe(opensForm);
      if (opensForm) continue;
      await until(() => dialog.messages.length === 1 && !dialog.last.thinking, "one answer");
      expect(textOf(dialog.last)).not.toMatch(/`[0-9a-f]{8}`/u);
    }
  });
});

test("the ledger export arrives as the file that the reply describes", async () => {
  const { partyId, assetId } = on.simulator.samples.mainnet;
  const dialog = await ann.run(on.channel, "ledger export", { party: partyId, asset: assetId, from: "2d" });
  await until(() => dialog.last.files.length > 0, "the file");
  const file = dialog.last.files.find(({ name }) => /^SIMULATED-ledger-.*\.csv$/u.test(name));
  const rows = parseCsv(file?.bytes ?? "", { columns: true });
  const stated = /([\d,]+)\*?\*? entr(?:y|ies)/u.exec(textOf(dialog.last))?.[1]?.replaceAll(",", "");
  expect(rows).toHaveLength(Number(stated));
});

test("pages turn in place, and back", async () => {
  const dialog = await ann.run(on.channel, "checkpoints", { first: 5 });
  const first = textOf(dialog.last);
  const next = labelsOf(dialog.last).find((label) => /next|older/iu.test(label)) ?? "";
  const turned = await ann.press(dialog.last, next);
  expect(turned.last.id).toBe(dialog.last.id);
  expect(textOf(turned.last)).not.toBe(first);
  expect(
    ann.sees(on.channel).filter((message) => message.command === "checkpoints" && textOf(message) === first),
  ).toEqual([]);
});

describe("completion", () => {
  test.each<[string, string, () => string]>([
    ["market show", "market", () => on.simulator.samples.mainnet.marketCode.slice(0, 3)],
    ["bundle list-asset", "asset", () => on.simulator.samples.mainnet.assetSymbol.slice(0, 2)],
    ["rotations", "node", () => on.simulator.samples.mainnet.nodeName.slice(0, 3)],
    ["ledger export", "from", () => "last"],
  ])("/%s %s", async (command, option, typed) => {
    const offered = await ann.complete(on.channel, command, option, typed());
    expect(offered.length).toBeGreaterThan(0);
  });

  test("offers the order and the party that were seen before", async () => {
    const { orderId, partyId } = on.simulator.samples.mainnet;
    await ann.run(on.channel, "order", { id: orderId });
    await ann.run(on.channel, "stake", { party: partyId });
    const orders = await ann.complete(on.channel, "order", "id", orderId.slice(0, 6));
    const parties = await ann.complete(on.channel, "stake", "party", partyId.slice(0, 6));
    expect([orders[0]?.value, parties[0]?.value]).toEqual([orderId, partyId]);
  });
});

test("a saved party is private, the default everywhere, and first in completion", async () => {
  const { partyId, assetId } = on.simulator.samples.mainnet;
  const eve = on.fake.person("Eve");
  const saved = await eve.run(on.channel, "my party", { id: partyId, name: "treasury" });
  const listed = await eve.run(on.channel, "my parties");
  expect([saved.last.onlyFor, listed.last.onlyFor]).toEqual([eve.id, eve.id]);
  expect(textOf(listed.last)).toContain("treasury");
  expect(textOf((await eve.run(on.channel, "stake")).last)).toContain("stakes");
  const [first] = await eve.complete(on.channel, "ledger export", "party", "", { asset: assetId });
  expect(first?.value).toBe(partyId);
  expect(textOf((await ann.run(on.channel, "my parties")).last)).not.toContain("treasury");
  const forgotten = await eve.press(listed.last, "Forget treasury");
  expect(textOf(forgotten.last)).toContain("Forgotten");
});

test("every acknowledgement came in time, and the session asked for no privileged intent", () => {
  const waits = [...on.fake.state.interactions.values()].map(
    (one) => one.acknowledgedAfter ?? Number.POSITIVE_INFINITY,
  );
  expect(waits.every((millis) => millis <= 3000)).toBe(true);
  expect(on.fake.gateway.intents).toBe(GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages);
});
