import { expect, test } from "vitest";

import type { Subscription } from "../../../../src/adapters/chat/home-data.ts";
import { UserError } from "../../../../src/errors.ts";
import { strong, text } from "../../../../src/reply/text.ts";
import { down } from "../../../alerts/readings.ts";
import { alertsOn } from "../../../support/alert-service.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { buttonsOf, labelsOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { seeDown, seeNow } from "../../../support/see.ts";
import { probe, titled } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

/** The app's name, as the fake Slack tells it. */
const BOT = "bellwether";

test("the home tab says how the networks stand, and its buttons ask", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  expect(said(home)).toMatch(saying("*mainnet*", "*testnet*"));
  expect(said(home)).toMatch(saying("/bell my party", `/invite @${BOT}`));
  // The first word, until there is something of one's own.
  expect(said(home)).toContain("Bellwether answers");
  ann.pressAtHome(home, "Markets");
  expect(said(await ann.answerInView())).toContain("BTC/USDT");
  ann.closeViews();
  ann.pressAtHome(home, "Ask a question");
  expect(await ann.submit(await ann.form(), { "ask:line": "time network:testnet" })).toEqual({});
  expect(said(await ann.answerInView())).toContain("testnet");
  ann.closeViews();
  await ann.run(scene.channel, `my party ${"ab".repeat(32)} treasury`);
  const later = await ann.openHome();
  expect(said(later)).toContain("treasury");
  expect(said(later)).not.toContain("Bellwether answers");
  ann.pressAtHome(later, "Stake");
  await ann.answerInView();
  expect(ann.directMessages()).toEqual([]);
});

test("the home tab shows all that is one's own, page by page", async () => {
  const many = Array.from({ length: 45 }, (_, index): Subscription => ({
    text: text`watch ${index}.`,
    remove: { command: "alerts remove", options: { note: String(index) } },
  }));
  await using scene = await stage({ subscriptionsOf: () => Promise.resolve(many) });
  const ann = scene.fake.person("ann");
  let home = await ann.openHome();
  const seen: string[] = [];
  for (const page of [1, 2, 3]) {
    const before = home;
    ann.pressAtHome(home, `Page: Page ${page} of 3`);
    await until(() => scene.fake.state.homes.get(ann.id) !== before, "the page");
    home = scene.fake.state.homes.get(ann.id)!;
    seen.push(...[...said(home).matchAll(/watch (\d+)\./gu)].map(([, index = ""]) => index));
  }
  expect(seen).toEqual(many.map((_, index) => String(index)));
});

test("the home tab names what is open; Acknowledge is done where it was told, and shown", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  await ann.run(scene.channel, "alerts add node.down style:plain");
  await seeDown(alertsOn(scene.store));
  const home = await ann.openHome();
  const [button] = buttonsOf(home.blocks).filter(({ text: words }) => words?.text === "Acknowledge");
  expect(button).toMatchObject({ style: "primary" });
  expect(said(home)).not.toContain("healthy");
  ann.pressAtHome(home, "Acknowledge");
  await until(() => scene.fake.state.homes.get(ann.id) !== home, "the home tab anew");
  const after = scene.fake.state.homes.get(ann.id)!;
  expect(said(after)).toMatch(saying("acknowledged by ann"));
  expect(labelsOf(after.blocks)).not.toContain("Acknowledge");
});

test("the home tab shows all that is open, page by page", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  await ann.run(scene.channel, "alerts add node.down style:plain");
  await ann.run(scene.channel, `my party ${"ab".repeat(32)} treasury`);
  const nodes = Array.from({ length: 12 }, (_, index) => `n${index}:1`);
  const alerting = alertsOn(scene.store);
  for (const state of ["good", "bad", "bad", "bad"] as const)
    await seeNow(alerting, ...nodes.map((node) => down(state, node)));
  const home = await ann.openHome();
  expect(said(home)).toMatch(saying(2));
  ann.pressAtHome(home, "Page: Page 2 of 2");
  await until(() => scene.fake.state.homes.get(ann.id) !== home, "the page");
  const pages = [home, scene.fake.state.homes.get(ann.id)!];
  // A list that ends before the page is not shown as empty.
  for (const one of pages) expect(said(one)).toContain("treasury");
  const shown = pages.map((one) => nodes.filter((node) => said(one).includes(node)));
  expect(shown.map(({ length }) => length)).toEqual([10, 2]);
  expect(new Set(shown.flat())).toEqual(new Set(nodes));
});

test("the home tab lists this person's subscriptions, and removes one at a press", async () => {
  const subscribed = new Map<string, Subscription>();
  const keep = (id: string, more: Omit<Subscription, "remove">): void =>
    void subscribed.set(id, { ...more, remove: { command: "alerts remove", options: { note: id } } });
  keep("7", { text: text`Order ${strong("<@U1>")} is filled` });
  keep("8", { text: text`The network stands still`, channel: "C0123" });
  const remove = probe("alerts remove", ({ options }) => {
    const { note } = options;
    if (typeof note !== "string" || !subscribed.delete(note))
      throw new UserError("There is no such thing.", { remedy: "Name another." });
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
  expect(said(await ann.answerInView())).toContain("Taken away");
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
  expect(said(await bob.openHome())).toContain("*2 subscriptions*");
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
