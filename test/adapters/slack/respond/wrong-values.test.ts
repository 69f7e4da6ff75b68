import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, inject, test } from "vitest";

import { commands } from "../../../../commands/index.ts";
import { type AnyCommand, command, withCommonOptions } from "../../../../src/bot/command.ts";
import { isRequired } from "../../../../src/bot/grammar/usage.ts";
import type { Option } from "../../../../src/bot/options/options.ts";
import { dumpTables } from "../../../support/dump-tables.ts";
import { fieldOf, initialOf } from "../../../support/fake-slack/form-state.ts";
import type { Person } from "../../../support/fake-slack/person.ts";
import type { View } from "../../../support/fake-slack/state.ts";
import { PLATFORMS } from "../../../support/platforms.ts";
import { UserError } from "../../../../src/errors.ts";
import { opened } from "../opened.ts";
import { probe } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage, type Stage } from "../stage.ts";

// Every wrong value of every form, over the wire: named under its field, in the words of its label; the form stays open
// with all that was typed, and nothing is kept.

/** Of each option the first wrong value, of commands each third one; all of them where cases are many. */
const few = <T>(all: readonly T[], every = Infinity): readonly T[] =>
  inject("manyRuns") ? all : all.filter((_, index) => index % every === 0);

/** Words of a typed line: `for:2h`, `--for`, an option's own name; and a colon that announces a line. */
const LINE_WORDS = /\b[a-z-]+:[^\s/]|--[a-z]|\b(?:critical-for|at-least|sha256:)\b|:$/u;
/** Any words do. */
const FREE = ["note", "reason", "name", "alerts log what"];

/** What is wrong for an option by itself. */
function wrongValues(command: AnyCommand, name: string, option: Option): string[] {
  if ([name, `${command.name} ${name}`].some((one) => FREE.includes(one))) return [];
  switch (option.kind) {
    case "integer":
      return ["x", "1.5", "1,00", String(option.min - 1), String(option.max + 1)];
    case "time":
      return ["yesterweek", "99"];
    case "text":
      // Of a list nothing else can be chosen.
      if (Array.isArray(option.several)) return [];
      return name === "percent" ? ["zz?!", "0%", "-1"] : ["zz?!", "5%"];
    case "choice":
    case "flag":
    case "network":
    case "file":
      return [];
  }
}

/** The form of a command in the channel, with these fields; left out, with all of them. */
async function formOf(
  scene: Stage,
  ann: Person,
  command: string,
  { line, fields }: { line?: string; fields?: readonly string[] } = {},
): Promise<View> {
  ann.closeViews();
  if (line !== undefined) ann.type(scene.channel, line);
  else {
    ann.shortcut("Ask Bellwether");
    await ann.submit(await ann.form(), { "ask:command": command, "ask:channel": scene.channel });
  }
  return opened(scene, ann, await ann.form(), fields);
}

/** Sends wrong values, and gives the errors: the form stays, and the store is as before. */
async function refused(scene: Stage, ann: Person, form: View, values: Record<string, string>) {
  const before = dumpTables(scene.database);
  const errors = await ann.submit(form, values);
  expect(scene.fake.state.views.get(form.id)?.callback_id).toBe("form");
  expect(dumpTables(scene.database)).toEqual(before);
  expect(Object.values(errors).filter((words) => LINE_WORDS.test(words))).toEqual([]);
  return errors;
}

const all = commands.map((command) => withCommonOptions(command, PLATFORMS));

describe("a wrong value", () => {
  test.each(few(all.filter(hasWrongValues), 3))(
    "of $name is named at its field, each by itself and all at once",
    async (declared) => {
      await using scene = await stage();
      const ann = scene.fake.person("ann");
      await ann.run(scene.channel, "alerts add all");
      const [one] = await scene.alerts.subscriptions();
      const line = declared.edits === undefined ? undefined : `${declared.name} ${one?.id ?? ""}`;
      const form = await formOf(scene, ann, declared.name, line === undefined ? {} : { line });
      const asked = Object.entries(declared.options).filter(([name]) => fieldOf(form, name) !== undefined);
      const everyWrong: Record<string, string> = {};
      for (const [name, option] of asked) {
        if (name === declared.edits?.option) continue;
        for (const wrong of few(wrongValues(declared, name, option))) {
          const errors = await refused(scene, ann, form, { ...valid(scene, declared), [name]: wrong });
          expect(errors, `${name} ${wrong}`).toEqual({ [name]: expect.stringMatching(/\S/u) as string });
          everyWrong[name] = wrong;
        }
      }
      const byThemselves = asked.filter(
        ([name, option]) => name in everyWrong && (option.kind !== "text" || option.reads !== undefined),
      );
      const errors = await refused(scene, ann, form, { ...valid(scene, declared), ...everyWrong });
      expect(Object.keys(errors)).toEqual(expect.arrayContaining(byThemselves.map(([name]) => name)));
    },
  );
});

test.each<[string, Record<string, string>]>([
  ["order", { id: "ab".repeat(32), version: "x" }],
  ["alerts add", { kinds: "order.final", subjects: "ab".repeat(32), quiet: "night" }],
])("an order that only the network does not know is named beside what else is wrong in %s", async (name, values) => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const form = await formOf(scene, ann, name, { fields: Object.keys(values) });
  const errors = await refused(scene, ann, form, values);
  const wrong = Object.keys(values).filter((one) => one !== "kinds");
  expect(Object.keys(errors).toSorted()).toEqual(wrong.toSorted());
  expect(errors[wrong[0] ?? ""]).toContain("knows of no order");
});

function hasWrongValues(command: AnyCommand): boolean {
  return Object.entries(command.options).some(
    ([name, option]) => !("operatorsOnly" in option) && wrongValues(command, name, option).length > 0,
  );
}

/** Right values for what a command needs. */
function valid(scene: Stage, { edits, name, options }: AnyCommand): Record<string, string> {
  const { orderId, partyId, assetSymbol, marketCode, nodeId, proposalId } = scene.simulator.samples.mainnet;
  const id = name === "my party" ? partyId : orderId;
  const known: Record<string, string> = {
    id,
    party: partyId,
    asset: assetSymbol,
    market: marketCode,
    node: nodeId,
    proposal: proposalId,
    code: "abcd1234",
    episode: "node.down",
    zone: "UTC",
    markets: "everyone",
    ...(name === "chart" ? { what: "network" } : {}),
  };
  const needed = Object.entries(options).filter(
    ([one, option]) =>
      one !== edits?.option && (isRequired(option) || "needed" in option || (name === "order" && one === "id")),
  );
  const given = needed.flatMap(([one]) => (one in known ? [[one, known[one]!]] : []));
  return { ...Object.fromEntries(given), ...(name === "alerts silence" ? { what: "all", for: "1h" } : {}) };
}

/** What is wrong only beside other values, or as things stand: the field at fault, and its words. */
const TOGETHER: readonly [command: string, values: Record<string, string>, field: string, words: RegExp][] = [
  ["alerts add", { kinds: "market.price", high: "5" }, "subjects", /needs a market/u],
  ["alerts add", { kinds: "market.price", subjects: "BTC/USDT" }, "high", /“Above”, “Below”, or both/u],
  [
    "alerts add",
    { kinds: "market.price", subjects: "BTC/USDT", high: "1k", low: "2,000" },
    "low",
    /“Below” \(2,000\)/u,
  ],
  [
    "alerts add",
    { kinds: "market.price", subjects: "BTC/USDT", high: "1", when: "within" },
    "low",
    /“Beyond or within”/u,
  ],
  ["alerts add", { kinds: "node.down", high: "5" }, "high", /“Above” is for market.price alone/u],
  ["alerts add", { kinds: "network.stalled", for: "5m", "critical-for": "1m" }, "critical-for", /shorter than “Told/u],
  ["alerts add", { kinds: "nodes,order.final" }, "kinds", /watched by one person/u],
  ["alerts add", { kinds: "order.final" }, "subjects", /needs an order/u],
  ["alerts add", { kinds: "order.final", subjects: "abcd" }, "subjects", /abcd/u],
  ["alerts add", { kinds: "nodes", zone: "Europe/Berlin" }, "zone", /“Quiet hours” 22:00-07:00/u],
  ["alerts silence", { what: "all" }, "for", /for how long\?/u],
  ["alerts silence", { what: "all", for: "1h", until: "tomorrow" }, "until", /“For how long” and “Ends”/u],
  ["alerts silence", { what: "all", for: "60d" }, "for", /too long/u],
  ["alerts silence", { what: "all", for: "1h", from: "2020-01-01" }, "from", /in the past.*“Begins”/u],
  ["alerts silence", { what: "all", from: "in 3h", until: "in 1h" }, "until", /end before it begins/u],
  ["alerts silence", { what: "all", until: "resolved" }, "until", /open alert/u],
  ["alerts silence", { what: "all", for: "1h", every: "day" }, "until", /within a year/u],
  ["alerts silence", { what: "all", for: "2d", every: "day", until: "2027-01-01" }, "for", /never end/u],
  ["ledger export", { asset: "USDT", from: "2023-05-02", to: "2023-04-01" }, "to", /earlier than “From”/u],
  ["ledger export", { asset: "USDT", from: "2999" }, "from", /“From” lies in the future/u],
  ["ledger export", { asset: "USDT", columns: "quantity", raw: "yes" }, "columns", /cannot go together/u],
  ["alerts told", { when: "yesterday", since: "7d" }, "since", /name two beginnings/u],
  ["alerts told", { since: "today", until: "yesterday" }, "until", /not behind/u],
  ["alerts log", { page: "999" }, "page", /no page 999/u],
  ["order", { version: "2000" }, "version", /no version 2000/u],
  ["my party", { name: "all" }, "name", /cannot be called/u],
];

test("what is refused after the form has closed opens it again, as it was filled in", async () => {
  const late = command({
    ...probe("probe late", async () => {
      await sleep(200);
      throw new UserError((named) => `${named("note")} is too late.`, { option: "note", remedy: "Be early." });
    }),
    options: { note: { kind: "text", description: "A note", example: "x", required: true } },
  });
  await using scene = await stage({ extra: [late], timing: { formMillis: 50 } });
  const ann = scene.fake.person("ann");
  const dialog = ann.type(scene.channel, "probe late");
  expect(await ann.submit(await ann.form(), { note: "all that I typed" })).toEqual({});
  await dialog.answered();
  expect(said(dialog.last)).toContain("too late");
  ann.startPress(dialog.last, "Fill in");
  expect(initialOf(fieldOf(await ann.form(), "note")!.element!)).toBe("all that I typed");
});

/** The same of a subscription to prices that is changed. */
const CHANGED: readonly [values: Record<string, string>, field: string, words: RegExp][] = [
  [{ subjects: "FOO/BAR" }, "subjects", /FOO\/BAR/u],
  [{ subjects: "" }, "subjects", /needs a market/u],
  [{ high: "1" }, "low", /“Below” \(2\) is not below “Above” \(1\)/u],
  [{ high: "", low: "" }, "high", /“Above”, “Below”, or both/u],
  [{ high: "70%" }, "high", /not a percentage/u],
  [{ quiet: "night" }, "quiet", /from when to when/u],
  [{ zone: "Mars" }, "zone", /no time zone/u],
  [{ runbook: "wiki" }, "runbook", /https/u],
];

describe("what is wrong together", () => {
  test.each(CHANGED)("in a change to %j is named at its field", async (values, field, words) => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    await ann.run(scene.channel, "alerts add market.price BTC/USDT high:5 low:2 quiet:22:00-07:00");
    const [one] = await scene.alerts.subscriptions();
    const form = await formOf(scene, ann, "alerts edit", {
      line: `alerts edit ${one?.id ?? ""}`,
      fields: [...Object.keys(values), field],
    });
    const errors = await refused(scene, ann, form, values);
    expect(errors).toEqual({ [field]: expect.stringMatching(words) as string });
  });

  test.each(TOGETHER)("in %s with %j is named at its field", async (name, values, field, words) => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const declared = all.find((one) => one.name === name)!;
    const form = await formOf(scene, ann, name, { fields: [...Object.keys(values), field] });
    const given = name === "alerts silence" ? values : { ...valid(scene, declared), ...values };
    const errors = await refused(scene, ann, form, given);
    expect(errors).toEqual({ [field]: expect.stringMatching(words) as string });
  });
});
