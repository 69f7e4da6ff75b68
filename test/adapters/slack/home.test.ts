import { expect, test } from "vitest";

import type { Subscription } from "../../../src/adapters/slack/person.ts";
import { UserError } from "../../../src/errors.ts";
import { strong, text } from "../../../src/reply/text.ts";
import { until } from "../../support/fake-discord/until.ts";
import { labelsOf, textOf } from "../../support/fake-slack/person.ts";
import { probe, titled } from "./probe-commands.ts";
import { readable } from "./shown.ts";
import { stage } from "./stage.ts";

const said = (message: Parameters<typeof textOf>[0]): string => readable(textOf(message)).replaceAll("\u200B", "");

test("the home tab says what it is and how to begin, and its buttons ask", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  expect(said(home)).toContain("/bell market list");
  expect(said(home)).toContain("You have saved none");
  ann.pressAtHome(home, "time");
  await until(() => ann.directMessages().length === 1, "the answer");
  ann.pressAtHome(home, "market show");
  const form = await ann.form();
  expect(await ann.submit(form, { market: "nothing like it" })).toEqual({});
  await until(() => ann.directMessages().length === 2, "the answer to the form");
  await ann.run(scene.channel, `my party ${"ab".repeat(32)} treasury`);
  const later = await ann.openHome();
  expect(said(later)).toContain("treasury");
  expect(labelsOf(later.blocks)).toContain("Stake of treasury");
});

test("the home tab lists what this person is told of, and takes it away at a press", async () => {
  const kept = new Map<string, Subscription>();
  const keep = (id: string, more: Omit<Subscription, "remove">): void =>
    void kept.set(id, { ...more, remove: { command: "alerts remove", options: { note: id } } });
  keep("7", { text: text`Order ${strong("<@U1>")} is filled` });
  keep("8", { text: text`The network stands still`, channel: "C0123" });
  const remove = probe("alerts remove", ({ options }) => {
    const { note } = options;
    if (typeof note !== "string" || !kept.delete(note)) throw new UserError("There is no such thing.");
    return Promise.resolve(titled("Taken away"));
  });
  const asked: unknown[] = [];
  await using scene = await stage({
    extra: [remove],
    subscriptionsOf: (person) => {
      asked.push(person);
      return Promise.resolve([...kept.values()]);
    },
  });
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  expect(asked).toEqual([{ id: ann.id, workspace: "T01" }]);
  expect(said(home)).toContain("Order *<@U1>* is filled");
  expect(said(home)).toContain("The network stands still in <#C0123>");
  expect(home.blocks.flatMap(({ accessory }) => (accessory?.confirm === undefined ? [] : ["asks first"]))).toHaveLength(
    2,
  );
  ann.pressAtHome(home, "Remove");
  await until(() => ann.directMessages().length === 1, "the answer");
  expect(said(ann.directMessages()[0]!)).toContain("Taken away");
  await until(() => scene.fake.state.homes.get(ann.id) !== home, "the home tab anew");
  const after = scene.fake.state.homes.get(ann.id)!;
  expect(said(after)).not.toContain("is filled");
  expect(labelsOf(after.blocks).filter((label) => label === "Remove")).toHaveLength(1);
  kept.clear();
  expect(said(await ann.openHome())).toContain("Nothing yet.");
});

test("the home tab stands where what somebody keeps cannot be read", async () => {
  await using scene = await stage({ subscriptionsOf: () => Promise.reject(new Error("the store is gone")) });
  const home = await scene.fake.person("ann").openHome();
  expect(said(home)).toContain("It cannot be read for the moment");
  expect(said(home)).toContain("/bell market list");
});
