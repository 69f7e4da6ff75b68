import { expect, test } from "vitest";

import { commands } from "../../../../commands/index.ts";
import { slackManifest } from "../../../../src/adapters/slack/manifest.ts";
import type { Subscription } from "../../../../src/adapters/chat/home-data.ts";
import { UserError } from "../../../../src/errors.ts";
import { strong, text } from "../../../../src/reply/text.ts";
import { down } from "../../../alerts/readings.ts";
import { alertsOn } from "../../../support/alert-service.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { buttonsOf, labelsOf, type Person } from "../../../support/fake-slack/person.ts";
import type { View } from "../../../support/fake-slack/state.ts";
import { saying } from "../../../support/said.ts";
import { seeDown, seeNow } from "../../../support/see.ts";
import { probe, titled } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage, type Stage } from "../stage.ts";

/** The app's name, as the fake Slack tells it. */
const BOT = "bellwether";

test("the home tab says how the networks stand, and its buttons ask", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  expect(said(home)).toMatch(saying("*mainnet*", "*testnet*"));
  expect(said(home)).toMatch(saying(`/invite @${BOT}`, "Save my party"));
  // In the Messages tab nobody can type.
  expect(slackManifest(commands).features.app_home).toMatchObject({ messages_tab_read_only_enabled: true });
  expect(said(home)).not.toContain("Messages");
  // The first word, until there is something of one's own.
  expect(said(home)).toContain("Bellwether answers");
  ann.pressAtHome(home, "Markets");
  expect(said(await ann.answerInView())).toContain("markets trade");
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
  const overview = await ann.openHome();
  expect(said(overview)).not.toContain("watch 0.");
  ann.pressAtHome(overview, "Show");
  let home = await anew(scene, ann, overview);
  const seen: string[] = [];
  for (let page = 1; page <= 12; page += 1) {
    const before = home;
    ann.pressAtHome(home, `Page: Who is told, page ${page} of 12`);
    home = await anew(scene, ann, before);
    seen.push(...[...said(home).matchAll(/watch (\d+)\./gu)].map(([, index = ""]) => index));
  }
  expect(seen).toEqual(many.map((_, index) => String(index)));
  // A button of an earlier version, with a page alone, leads to the overview, as Overview does.
  ann.pressAtHome(home, "Overview");
  expect(labelsOf((await anew(scene, ann, home)).blocks)).toEqual(labelsOf(overview.blocks));
});

/** What the tab of a person shows once it is published anew. */
async function anew(scene: Stage, person: Person, before: View): Promise<View> {
  const { homes } = scene.fake.state;
  await until(() => homes.get(person.id) !== before, "the home tab anew");
  return homes.get(person.id)!;
}

test("the home tab says first what is wrong, then how the networks stand, and as of when", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  expect(said(await ann.openHome())).toMatch(saying("Nothing is watched yet", "As of"));
  await ann.run(scene.channel, "alerts add node.down style:plain");
  await seeDown(alertsOn(scene.store));
  const home = await ann.openHome();
  expect(said(home)).toMatch(
    saying("1 alert is open", "As of", "`a:1` on *mainnet* does not answer", "Networks", "*mainnet*"),
  );
  expect(JSON.stringify(home.blocks[0])).toMatch(/As of <!date\^\d+\^/u);
  ann.pressAtHome(home, "Refresh");
  const refreshed = await anew(scene, ann, home);
  expect(labelsOf(refreshed.blocks)).toEqual(labelsOf(home.blocks));
});

test("what is pressed in the home tab is done where it was told, and shown there at once", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  await ann.run(scene.channel, "alerts add node.down style:plain");
  await seeDown(alertsOn(scene.store));
  let home = await ann.openHome();
  const [button] = buttonsOf(home.blocks).filter(({ text: words }) => words?.text === "Acknowledge");
  expect(button).toMatchObject({ style: "primary" });
  expect(said(home)).not.toContain("healthy");
  ann.pressAtHome(home, "Acknowledge");
  home = await anew(scene, ann, home);
  expect(said(home)).toMatch(saying("✅ *SIMULATED* · Acknowledged", "acknowledged by ann"));
  expect(labelsOf(home.blocks)).not.toContain("Acknowledge");
  ann.pressAtHome(home, "Silence 1 h");
  home = await anew(scene, ann, home);
  expect(said(home)).toMatch(
    saying("✅ *SIMULATED* · Silenced", "· silenced", "Silenced", `<#${scene.channel}>, until`, "by ann"),
  );
  expect(labelsOf(home.blocks)).not.toContain("Silence 1 h");
  const [silence] = await scene.alerts.silences();
  expect(silence?.scope.destination).toContain(scene.channel);
  ann.pressAtHome(home, "End");
  const after = await anew(scene, ann, home);
  expect(said(after)).toMatch(saying("✅ *SIMULATED* · Ended the silence"));
  expect(labelsOf(after.blocks)).toEqual(expect.arrayContaining(["Silence 1 h", "Why"]));
  expect(labelsOf(after.blocks)).not.toContain("End");
  // A button of an earlier tab says what is so by now.
  ann.pressAtHome(home, "End");
  expect(said(await anew(scene, ann, after))).toMatch(saying("Over already"));
  // Nothing was opened above the tab, and nothing came as a direct message.
  expect([...scene.fake.state.views.values()].filter(({ type }) => type === "modal")).toEqual([]);
  expect(ann.directMessages()).toEqual([]);
});

test("a channel that is chosen in the home tab is subscribed with a form, and listed", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  ann.chooseChannel(home, scene.channel);
  const form = await ann.form();
  // It can be chosen once more.
  expect((await anew(scene, ann, home)).blocks.flatMap(({ block_id: id }) => id ?? [])).not.toEqual(
    home.blocks.flatMap(({ block_id: id }) => id ?? []),
  );
  expect(await ann.submit(form, { kinds: "nodes" })).toEqual({});
  expect(said(await ann.answerInView())).toMatch(saying("Subscribed"));
  const [subscription] = await scene.alerts.subscriptions();
  expect(subscription?.destination).toMatchObject({ platform: "slack", channel: scene.channel });
  const after = await ann.openHome();
  expect(said(after)).toMatch(saying("Who is told", `<#${scene.channel}>: the *nodes* alerts on *mainnet*`));
  ann.closeViews();
  ann.pressAtHome(after, "Show");
  expect(said(await ann.answerInView())).toMatch(saying("*the nodes alerts on mainnet*", "active"));
  // Direct messages of others are not offered.
  expect(() => ann.chooseChannel(after, scene.fake.state.direct(ann.id).id)).toThrow("no menu offers");
});

test("Subscribe me subscribes whoever presses it", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  ann.pressAtHome(home, "Subscribe me");
  expect(await ann.submit(await ann.form(), { kinds: "network" })).toEqual({});
  expect(said(await anew(scene, ann, home))).toMatch(saying("Who is told", "You: the *network* alerts on *mainnet*"));
  const [subscription] = await scene.alerts.subscriptions();
  expect(subscription?.destination).toMatchObject({ platform: "slack", channel: `user:${ann.id}` });
});

test("the home tab names no channel that somebody else subscribed, and offers a guest nothing that is refused", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const bob = scene.fake.person("bob");
  const guest = scene.fake.person("gil", { is_restricted: true });
  await ann.run(scene.channel, "alerts add node.down style:plain");
  await ann.run(scene.channel, "alerts silence market.auction 1h");
  await seeDown(alertsOn(scene.store));
  expect(said(await ann.openHome())).toMatch(saying("auctions", `<#${scene.channel}>`));
  for (const person of [bob, guest]) {
    const home = await person.openHome();
    expect(said(home)).toContain("`a:1` on *mainnet* does not answer");
    expect(said(home)).not.toContain(scene.channel);
    expect(said(home)).not.toContain("auctions");
    expect(labelsOf(home.blocks).includes("Acknowledge")).toBe(person === bob);
    // While an alert is open, who is told takes a line and a press.
    expect(said(home)).not.toContain("Subscribe a channel");
    person.pressAtHome(home, "Show");
    await until(() => scene.fake.state.homes.get(person.id) !== home, "who is told");
    const told = scene.fake.state.homes.get(person.id)!;
    expect(said(told)).toContain("1 alert is open");
    expect(said(told).includes("Subscribe a channel")).toBe(person === bob);
  }
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
  const named = (view: View): readonly string[] => nodes.filter((node) => said(view).includes(node));
  // The overview names the worst, and counts what stands in the lists.
  expect(named(home)).toHaveLength(2);
  expect(said(home)).toMatch(saying("*10* more", "1 party"));
  ann.pressAtHome(home, "All alerts");
  const first = await anew(scene, ann, home);
  const lists = [first];
  for (const page of [2, 3, 4]) {
    ann.pressAtHome(lists.at(-1)!, `Page: Open alerts, page ${page} of 4`);
    lists.push(await anew(scene, ann, lists.at(-1)!));
  }
  const shown = lists.map(named);
  expect(shown.map(({ length }) => length)).toEqual([3, 3, 3, 3]);
  expect(new Set(shown.flat())).toEqual(new Set(nodes));
  // What is done in a list is shown there.
  const last = lists.at(-1)!;
  ann.pressAtHome(last, "Acknowledge");
  const done = await anew(scene, ann, last);
  expect(said(done)).toMatch(saying("Acknowledged", "page 4 of 4"));
  ann.pressAtHome(done, "Page: Your parties");
  expect(said(await anew(scene, ann, done))).toContain("treasury");
});

test("the home tab lists this person's subscriptions, and removes one at a press", async () => {
  const subscribed = new Map<string, Subscription>();
  const keep = (id: string, more: Omit<Subscription, "remove">): void =>
    void subscribed.set(id, { ...more, remove: { command: "alerts remove", options: { note: id } } });
  keep("7", { text: text`Order ${strong("<@U1>")} is filled` });
  keep("8", { text: text`The network stands still`, trouble: text`nothing arrives` });
  const remove = probe("alerts remove", ({ options }) => {
    const { note } = options;
    if (typeof note !== "string" || !subscribed.delete(note))
      throw new UserError("There is no such thing.", { remedy: "Name another." });
    return Promise.resolve(titled("Taken away"));
  });
  const asked: unknown[] = [];
  await using scene = await stage({
    extra: [remove],
    subscriptionsOf: ({ here, caller }) => {
      asked.push([here.workspace, here.channel, caller.id, caller.mayManageChannel]);
      return Promise.resolve([...subscribed.values()]);
    },
  });
  const ann = scene.fake.person("ann");
  const home = await ann.openHome();
  expect(asked).toEqual([["T01", undefined, ann.id, true]]);
  expect(said(home)).toContain("Order *<@U1>* is filled");
  expect(said(home)).toContain("The network stands still\n⛔ nothing arrives");
  expect(home.blocks.flatMap(({ accessory }) => (accessory?.confirm === undefined ? [] : ["asks first"]))).toHaveLength(
    2,
  );
  // What does not arrive comes first.
  ann.pressAtHome(home, "Remove");
  expect(said(await ann.answerInView())).toContain("Taken away");
  const after = await anew(scene, ann, home);
  expect(said(after)).toContain("is filled");
  expect(said(after)).not.toContain("stands still");
  expect(labelsOf(after.blocks).filter((label) => label === "Remove")).toHaveLength(1);
  subscribed.clear();
  expect(said(await ann.openHome())).toContain("You are told of nothing yet.");
});

test("the home tab lists the real subscriptions: one's own with a button, of channels what they get", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const bob = scene.fake.person("bob");
  const direct = scene.fake.state.direct(ann.id).id;
  await ann.run(scene.channel, "alerts add ops");
  await ann.run(scene.channel, "alerts add markets");
  await ann.run(direct, "alerts add nodes");
  const home = await ann.openHome();
  expect(said(home)).toMatch(saying("*nodes*", `<#${scene.channel}>`, "*markets*", "*ops*"));
  expect(said(home)).toContain("/bell alerts list");
  expect(labelsOf(home.blocks).filter((label) => label === "Remove")).toHaveLength(1);
  // What somebody watches for themselves is nobody else's business.
  expect(said(await bob.openHome())).not.toContain("*nodes*");
  ann.pressAtHome(home, "Remove");
  expect(labelsOf((await anew(scene, ann, home)).blocks)).not.toContain("Remove");
});

test("the home tab names what tells often, with a form that changes it, and leaves it as it is at a press", async () => {
  const words = "node.lagging told 31 times this week; with behind:2m it would have been 4";
  let [id, published] = ["", 0];
  await using scene = await stage({
    subscriptionsOf: async () => {
      const askOf = (more: Record<string, string>) => ({ command: "alerts edit", options: { id, ...more } });
      const one = { text: text`${words}`, change: askOf({ behind: "2m" }), leave: askOf({ leave: "node.lagging" }) };
      const noise = (published += 1) === 1 ? { noise: [one] } : {};
      return [
        { text: text`Node lags`, remove: { command: "alerts remove", options: { id } }, ...noise },
        { text: text`Nodes`, channel: scene.channel, ...noise },
      ];
    },
  });
  const ann = scene.fake.person("ann");
  await ann.run(scene.fake.state.direct(ann.id).id, "alerts add node.lagging");
  [{ id } = { id }] = await scene.alerts.subscriptions();
  const home = await ann.openHome();
  expect(said(home).split(words)).toHaveLength(3);
  expect(labelsOf(home.blocks).filter((label) => /^(?:Change|Leave it)$/u.test(label))).toHaveLength(4);
  ann.pressAtHome(home, "Change");
  expect(JSON.stringify(await ann.form())).toMatch(saying("Change a subscription", "2m"));
  ann.closeViews();
  ann.pressAtHome(home, "Leave it");
  const after = said(await anew(scene, ann, home));
  expect(after).toContain("Left as it is");
  expect(after).not.toContain(words);
});

test("the home tab is published once Slack's rate limit is over", async () => {
  await using scene = await stage();
  scene.fake.fail({ method: "views.publish", answer: { status: 429, retryAfter: 0 } });
  expect(said(await scene.fake.person("ann").openHome())).toContain("/bell help");
});

test("the home tab is published where the store cannot be read", async () => {
  await using scene = await stage({ subscriptionsOf: () => Promise.reject(new Error("the store is gone")) });
  const home = await scene.fake.person("ann").openHome();
  expect(said(home)).toContain("/bell help");
  expect(said(home).replace(/As of .*/u, "As of <time>")).toMatchSnapshot();
});
