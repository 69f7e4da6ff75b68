import { expect, test } from "vitest";

import type { Subscription } from "../../../../src/adapters/slack/home/home-data.ts";
import { UserError } from "../../../../src/errors.ts";
import { strong, text } from "../../../../src/reply/text.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { labelsOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { probe, titled } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

test("the home tab says what it is and how to begin, and its buttons ask", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  expect(said(home)).toContain("/bell market list");
  expect(said(home)).toContain("/bell my party");
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

test("the home tab lists this person's subscriptions, and removes one at a press", async () => {
  const subscribed = new Map<string, Subscription>();
  const keep = (id: string, more: Omit<Subscription, "remove">): void =>
    void subscribed.set(id, { ...more, remove: { command: "alerts remove", options: { note: id } } });
  keep("7", { text: text`Order ${strong("<@U1>")} is filled` });
  keep("8", { text: text`The network stands still`, channel: "C0123" });
  const remove = probe("alerts remove", ({ options }) => {
    const { note } = options;
    if (typeof note !== "string" || !subscribed.delete(note)) throw new UserError("There is no such thing.");
    return Promise.resolve(titled("Taken away"));
  });
  const asked: unknown[] = [];
  await using scene = await stage({
    extra: [remove],
    subscriptionsOf: (person) => {
      asked.push(person);
      return Promise.resolve([...subscribed.values()]);
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
  subscribed.clear();
  expect(said(await ann.openHome())).toContain("Nothing yet.");
});

test("the home tab lists the real subscriptions: one's own with a button, of channels their number", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const bob = scene.fake.person("bob");
  const direct = scene.fake.state.direct(ann.id).id;
  await ann.run(scene.channel, "alerts add ops");
  await ann.run(scene.channel, "alerts add markets");
  await ann.run(direct, "alerts add ops");
  const home = await ann.openHome();
  expect(said(home)).toMatch(saying(2, `<#${scene.channel}>`));
  expect(said(home)).toContain("/bell alerts list");
  expect(said(home)).toContain("*ops*");
  expect(labelsOf(home.blocks).filter((label) => label === "Remove")).toHaveLength(1);
  // What somebody watches for themselves is nobody else's business.
  expect(said(await bob.openHome())).not.toContain("*ops*");
  ann.pressAtHome(home, "Remove");
  await until(() => scene.fake.state.homes.get(ann.id) !== home, "the home tab anew");
  expect(labelsOf(scene.fake.state.homes.get(ann.id)!.blocks)).not.toContain("Remove");
  expect(said(await bob.openHome())).toContain("*2 alerts*");
});

test("the home tab is published once Slack's rate limit is over", async () => {
  await using scene = await stage();
  scene.fake.fail({ method: "views.publish", answer: { status: 429, retryAfter: 0 } });
  expect(said(await scene.fake.person("ann").openHome())).toContain("/bell market list");
});

test("the home tab is published where the store cannot be read", async () => {
  await using scene = await stage({ subscriptionsOf: () => Promise.reject(new Error("the store is gone")) });
  const home = await scene.fake.person("ann").openHome();
  expect(said(home)).toContain("/bell market list");
  expect(said(home)).toMatchSnapshot();
});
