import { type APIModalInteractionResponseCallbackComponent, ComponentType } from "discord-api-types/v10";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { commands as declared } from "../../../../commands/index.ts";
import { findKind } from "../../../../src/answers/alerts/alert-kinds.ts";
import { changedOptions, formValues, renderModal } from "../../../../src/adapters/discord/render/modal.ts";
import { KIND_CHOICES } from "../../../../src/answers/alerts/alert-kinds.ts";
import { withCommonOptions } from "../../../../src/bot/command.ts";
import { anyString } from "../../../support/arbitrary-reply.ts";
import { modalRefusals } from "../judge-modal.ts";
import { PLATFORMS } from "../../../support/platforms.ts";
import { runs } from "../../../support/runs.ts";

const commands = declared.map((one) => withCommonOptions(one, PLATFORMS));
const edit = commands.find(({ name }) => name === "alerts edit")!;

const NOW = {
  kinds: "ops,market.state",
  severity: "warning",
  style: "thread",
  quiet: "22:00-07:00",
  zone: "Europe/Berlin",
  mention: "123456789012345678",
  network: "mainnet",
};

test("the form of a subscription, as Discord gets it", async () => {
  const modal = renderModal(edit, formValues(edit, NOW), { networks: ["mainnet"], customId: "1k0:key" });
  expect(modalRefusals({ ...modal })).toEqual([]);
  await expect(`${JSON.stringify(modal, undefined, 1)}\n`).toMatchFileSnapshot(
    "../../../golden/adapters/discord/subscription-form.json",
  );
});

test("any command's form is within every limit of Discord, whatever it begins with", () => {
  const value = fc.oneof(
    anyString(300),
    fc.array(anyString(20), { maxLength: 40 }).map((all) => all.join(",")),
  );
  // One whose options are all under headings, or name the thing, has none.
  const withForm = commands.filter(
    (one) => renderModal(one, {}, { networks: ["mainnet"], customId: "1k0:key" }).components.length > 0,
  );
  fc.assert(
    fc.property(fc.constantFrom(...withForm), value, (command, given) => {
      const values = Object.fromEntries(Object.keys(command.options).map((name) => [name, given]));
      for (const begun of [values, {}]) {
        const modal = renderModal(command, formValues(command, begun), {
          networks: ["mainnet", "testnet"],
          customId: "1k0:key",
        });
        expect(modalRefusals({ ...modal })).toEqual([]);
      }
    }),
    runs(60),
  );
});

test("no form's heading is cut", () => {
  const titles = commands.map((one) => renderModal(one, {}, { networks: ["mainnet"], customId: "1k0:key" }).title);
  expect(titles.filter((title) => title.endsWith("…"))).toEqual([]);
});

test("no field of a subscription's form begins its description with its label", () => {
  const fields = renderModal(edit, formValues(edit, NOW), { networks: ["mainnet"], customId: "1k0:key" }).components;
  const doubled = fields.flatMap((one) =>
    one.type === ComponentType.Label && one.description?.startsWith(one.label) === true ? [one.label] : [],
  );
  expect(doubled).toEqual([]);
});

test("every kind can be chosen in the form, by itself or by a set that stands for it, whatever it begins with", () => {
  const together = KIND_CHOICES.filter(({ apart }) => apart !== true).flatMap(({ choices }) => choices);
  const valuesOf = (choices: typeof together): string[] => choices.map(({ value }) => value);
  const kinds = valuesOf(together.filter(({ covers }) => covers === undefined));
  const sets = valuesOf(together.filter(({ covers }) => covers !== undefined));
  fc.assert(
    // All that can be chosen together is a set: so many of them stand one by one at most.
    // A price alone has its thresholds in their place.
    fc.property(fc.subarray(kinds, { maxLength: 20 }), fc.subarray(sets, { maxLength: 2 }), (single, groups) => {
      const chosen = [...groups, ...single];
      fc.pre(chosen.join() !== "market.price");
      const modal = renderModal(edit, formValues(edit, { kinds: chosen.join(",") }), {
        networks: ["mainnet"],
        customId: "1k0:key",
      });
      const offered = modal.components.flatMap((one) => (labelOf(one) === "Alerts" ? optionsIn(one) : []));
      const covered = together.flatMap(({ value, covers = [] }) => (offered.includes(value) ? [value, ...covers] : []));
      expect(covered).toEqual(expect.arrayContaining([...kinds, ...chosen]));
      expect(offered.length).toBeLessThanOrEqual(25);
    }),
    runs(100),
  );
});

test.each([
  ["ops", ["Alerts", "Severity at least", "Messages", "Quiet hours", "Whom to notify"]],
  ["market.price", ["Above", "Below", "Markets or nodes", "Quiet hours", "Beyond or within"]],
  ["ops,market.price", ["Above", "Below", "Alerts", "Severity at least", "Messages"]],
  ["network.stalled", ["Told after", "Critical after", "Quiet hours", "Alerts", "Whom to notify"]],
  ["node.down", ["Looks in a row", "Quiet hours", "Alerts", "Messages", "Pictures"]],
  ["rotation.new", ["Quiet hours", "Alerts", "Messages", "Markets or nodes", "Frequent events"]],
  ["order.final", ["Quiet hours", "Time zone", "Note", "Runbook"]],
])("the form of a subscription to %s has what makes a difference to it", (kinds, labels) => {
  const modal = renderModal(edit, formValues(edit, { kinds, severity: "info" }), {
    networks: ["mainnet"],
    customId: "1k0:key",
  });
  expect(modal.components.map((one) => labelOf(one))).toEqual(labels);
});

function labelOf(one: APIModalInteractionResponseCallbackComponent): string | undefined {
  return one.type === ComponentType.Label ? one.label : undefined;
}

function optionsIn(label: APIModalInteractionResponseCallbackComponent | undefined): string[] {
  const component = label?.type === ComponentType.Label ? label.component : undefined;
  return component?.type === ComponentType.StringSelect ? component.options.map(({ value }) => value) : [];
}

test("a form asks for what was changed in it, and an emptied field for nothing to be set", () => {
  const before = formValues(edit, NOW);
  const asks = (after: object): unknown => changedOptions(edit, before, { ...before, ...after });
  expect(asks({})).toEqual({});
  expect(asks({ kinds: "market.state,ops" })).toEqual({});
  expect(asks({ kinds: "ops", quiet: "", mention: "" })).toEqual({ kinds: "ops", quiet: "off", mention: "off" });
  expect(asks({ mention: "<@223456789012345678>", severity: "info" })).toEqual({
    mention: "<@223456789012345678>",
    severity: "info",
  });
  expect(asks({ unknown: "x" })).toEqual({});
});

test("a text field has words for a key, and the words are taken for it", () => {
  const silence = commands.find(({ name }) => name === "alerts silence")!;
  const { components } = renderModal(silence, { what: "node.down", for: "90m" }, { networks: [], customId: "1k0:key" });
  const fields = components.flatMap((one) => ("component" in one ? [one.component] : []));
  const [what, length] = fields.map((one) => ("value" in one ? one.value : undefined));
  expect([what, length]).toEqual(["A node does not answer", "1 h 30 min"]);
  expect(findKind(what ?? "")).toBe("node.down");
});
