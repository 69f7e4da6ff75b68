import { describe, expect, test } from "vitest";

import { commands } from "../../../../commands/index.ts";
import { renderForm } from "../../../../src/adapters/slack/render/form.ts";
import { withCommonOptions } from "../../../../src/bot/command.ts";
import type { Option } from "../../../../src/bot/options/options.ts";
import { FILE_COLUMNS } from "../../../../src/export/normalise/file-columns.ts";
import { alertsOn } from "../../../support/alert-service.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { fieldOf, initialOf, nameOf } from "../../../support/fake-slack/form-state.ts";
import { judgeView } from "../../../support/fake-slack/judge.ts";
import { labelsOf, type Person } from "../../../support/fake-slack/person.ts";
import type { Block, View } from "../../../support/fake-slack/state.ts";
import { opened } from "../opened.ts";
import { said } from "../shown.ts";
import { stage, type Stage } from "../stage.ts";
import { PLATFORMS } from "../../../support/platforms.ts";

/** The fields and headings of a form, in their order. */
function shape(view: { readonly blocks: readonly Block[] }): string[] {
  return view.blocks.flatMap(({ block_id: id, text, type }) =>
    id !== undefined ? [nameOf(id)] : type === "header" ? [`# ${text?.text ?? ""}`] : [],
  );
}

/** What a form's fields begin with, where they begin with something. */
function initials(view: View): Record<string, string> {
  const held = view.blocks.flatMap(({ block_id: id = "", element }) =>
    element === undefined ? [] : [[nameOf(id), initialOf(element)] as const],
  );
  return Object.fromEntries(held.filter(([, value]) => value !== ""));
}

/** Opens the form of a command, which may need no value. */
async function openForm(ann: Person, command: string): Promise<View> {
  ann.shortcut("Ask Bellwether");
  await ann.submit(await ann.form(), { "ask:command": command });
  return ann.form();
}

/** The form that takes the place of another one. */
async function after(scene: Stage, before: View, what: () => unknown): Promise<View> {
  what();
  const shown = () => scene.fake.state.views.get(before.id);
  await until(() => JSON.stringify(shown()?.blocks) !== JSON.stringify(before.blocks), "the form anew");
  return shown()!;
}

const subscriptions = (scene: Stage) => alertsOn(scene.store).engine.subscriptions();

/** A channel with one subscription. */
async function subscribed(line: string) {
  const scene = await stage();
  const ann = scene.fake.person("ann");
  const { last } = await ann.run(scene.channel, `alerts add ${line}`);
  const [one] = await subscriptions(scene);
  return { scene, ann, id: one?.id ?? "", last };
}

describe("a form", () => {
  test.each(commands.map((command) => withCommonOptions(command, PLATFORMS)))(
    "of $name names its fields as people do, and its button by what it does",
    (command) => {
      const view = renderForm(command, "id" in command.options ? { id: "7k2mq" } : {}, ["mainnet"], {
        command: command.name,
        shared: false,
        open: Object.values(command.options).flatMap(({ section }: Option) => section ?? []),
      });
      expect(judgeView(view)).toEqual([]);
      const labels = view.blocks.flatMap((block) => ("label" in block ? [block.label.text] : []));
      expect(labels.filter((label) => !/^[A-Z][a-z]+,?(?: [a-z,()]+)*$/u.test(label))).toEqual([]);
      expect(new Set(labels).size).toBe(labels.length);
      expect(view.submit?.text).toBe(command.verb);
      expect(view.submit?.text).not.toMatch(/^(?:Ask|Run|Submit|OK)$/u);
      // No single verb, and whole: "Export a ledger".
      expect(view.title.text).toMatch(/^[A-Z][a-z]+(?: [a-z]+)+$/u);
      // What only the terminal and the console take is no field.
      const ids = view.blocks.map((block) => block.block_id);
      const operators = Object.entries(command.options).filter(([, option]) => "operatorsOnly" in option);
      expect(operators.filter(([name]) => ids.includes(`option:${name}`))).toEqual([]);
    },
  );

  test("of an export offers the columns of its file to choose from, in the order chosen", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const form = await openForm(ann, "ledger export");
    const all = await after(scene, form, () => ann.pressInForm(form, "The file …"));
    expect(all.title?.text).toBe("Export a ledger");
    const { type, option_groups: groups = [] } = fieldOf(all, "columns")?.element ?? {};
    expect(type).toBe("multi_static_select");
    expect(groups.flatMap(({ options }) => options.map(({ value }) => value))).toEqual(FILE_COLUMNS);
  });

  test("of many options begins with those that matter; each heading opens the rest of its own, and keeps what is filled in", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const form = await openForm(ann, "alerts add");
    expect(shape(form)).toEqual(["kinds", "subjects", "severity", "quiet"]);
    expect(labelsOf(form.blocks)).toEqual([
      "Prices …",
      "When it is told …",
      "How it is told …",
      "Network and who sees it …",
    ]);
    const chosen = { kinds: "network.stalled,nodes" };
    const longer = await after(scene, form, () => ann.pressInForm(form, "How it is told …", chosen));
    expect(shape(longer)).toEqual(expect.arrayContaining(shape(form)));
    const how = ["# How it is told", "events", "zone", "mention", "pick:mention", "note", "runbook", "chart"];
    expect(shape(longer).slice(-how.length)).toEqual(how);
    expect(labelsOf(longer.blocks)).toEqual(["When it is told …", "Network and who sees it …"]);
    const longest = await after(scene, longer, () =>
      ann.pressInForm(longer, "When it is told …", { style: "plain", note: "Call us" }),
    );
    // Not what none of these kinds takes.
    expect(shape(longest)).toEqual(expect.arrayContaining([...how, "critical-for", "rounds"]));
    expect(shape(longest).filter((one) => ["high", "low", "percent", "factor"].includes(one))).toEqual([]);
    expect(initials(longest)).toMatchObject({ ...chosen, style: "plain", note: "Call us" });
    await ann.submit(longest, { "critical-for": "1h" });
    await ann.answerInView();
    expect(await subscriptions(scene)).toMatchObject([
      {
        style: "plain",
        groups: ["nodes"],
        guidance: { note: "Call us" },
        parameters: { "network.stalled": { criticalFor: 3_600_000 } },
      },
    ]);
  });

  test("has the fields that what is chosen in it needs, and keeps what is filled in", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const form = await openForm(ann, "alerts add");
    const price = await after(scene, form, () => ann.choose(form, "kinds", "market.price", { quiet: "22:00-07:00" }));
    const fields = (view: View) => shape(view).filter((one) => !one.startsWith("#"));
    expect(fields(price)).toEqual(expect.arrayContaining(["kinds", "subjects", "high", "low", "quiet"]));
    expect(fields(price).filter((one) => ["rounds", "critical-for", "percent", "mention"].includes(one))).toEqual([]);
    expect(initials(price)).toMatchObject({ kinds: "market.price", quiet: "22:00-07:00" });
    expect(await ann.submit(price, { high: "5%" })).toEqual({ high: expect.stringContaining("5%") as string });
    expect(await ann.submit(price, { high: "70,000" })).toEqual({
      subjects: expect.stringMatching(/market/u) as string,
    });
    const watch = await after(scene, price, () => ann.choose(price, "kinds", "order.final"));
    expect(fields(watch)).toEqual(expect.arrayContaining(["kinds", "subjects", "quiet"]));
    expect(fields(watch).filter((one) => ["high", "low", "style", "severity", "events"].includes(one))).toEqual([]);
    expect(initials(watch)).toMatchObject({ quiet: "22:00-07:00" });
    expect(await subscriptions(scene)).toEqual([]);
  });

  test("of a silence asks for no part of one alert, and no form for a network or an audience that is settled", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const form = await openForm(ann, "alerts silence");
    const kind = await after(scene, form, () => ann.choose(form, "what", "node.down"));
    expect(shape(kind)).toContain("subject");
    const market = await after(scene, kind, () => ann.choose(kind, "what", "BTC/USDT", { reason: "deploy" }));
    expect(shape(market)).not.toContain("subject");
    expect(initials(market)).toMatchObject({ what: "BTC/USDT", reason: "deploy" });
    for (const [command, fields] of [
      ["my zone", ["zone"]],
      ["answers set", ["markets"]],
      ["my party", ["id", "name", "network"]],
    ] as const) {
      ann.closeViews();
      expect(shape(await openForm(ann, command))).toEqual(fields);
    }
  });

  test("begins with what is so now, and says that nothing changed where it is sent as it is", async () => {
    const { scene, ann, id } = await subscribed("nodes");
    await using _scene = scene;
    await ann.run(scene.channel, "my zone Europe/Zurich");
    await ann.run(scene.channel, "answers set asker");
    for (const [line, name, value] of [
      ["my zone", "zone", "Europe/Zurich"],
      ["answers set", "markets", "asker"],
      [`alerts edit ${id}`, "kinds", "nodes"],
    ] as const) {
      ann.closeViews();
      const dialog = ann.type(scene.channel, line);
      const form = await ann.form();
      expect(initials(form)).toMatchObject({ [name]: value });
      expect(await ann.submit(form, {})).toEqual({});
      await dialog.answered();
      expect(said(dialog.last)).toContain("Nothing changed");
    }
  });

  test("offers several alerts from a list, and several markets as they are typed", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const form = await openForm(ann, "alerts add");
    expect(fieldOf(form, "kinds")?.element).toMatchObject({ type: "multi_static_select" });
    expect(fieldOf(form, "subjects")?.element).toMatchObject({ type: "multi_external_select" });
    const kinds = { kinds: "market.auction,market.state" };
    const offered = await ann.complete(form, "subjects", "", kinds);
    expect(offered).toEqual(expect.arrayContaining(["BTC/USDT", "ETH/USDT"]));
    await ann.submit(form, { ...kinds, subjects: "BTC/USDT,ETH/USDT" });
    await ann.answerInView();
    const [one] = await subscriptions(scene);
    expect(one?.kinds).toEqual(["market.auction", "market.state"]);
    expect(one?.subjects).toHaveLength(2);
  });

  test("with a network that only narrows the question begins with none", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    expect(initials(await openForm(ann, "alerts ack"))).not.toHaveProperty("network");
    scene.fake.state.views.clear();
    expect(initials(await openForm(ann, "market show"))).toMatchObject({ network: "mainnet" });
  });
});

test("a press on a market's answer opens the form of a price, which tells its sender alone", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { last } = await ann.run(scene.channel, "market show BTC/USDT");
  ann.startPress(last, "Tell me at …");
  const form = await ann.form();
  expect(initials(form)).toMatchObject({ kinds: "market.price", subjects: "BTC/USDT", to: "me" });
  expect(initials(form)["high"]).toMatch(/^\d{3}00$/u);
  expect(JSON.stringify(form.blocks)).toMatch(/Now \d\d,\d{3}/u);
  expect(await ann.submit(form, { high: "70k" })).toEqual({});
  await expect
    .poll(() => subscriptions(scene))
    .toMatchObject([{ destination: { channel: `user:${ann.id}` }, parameters: { "market.price": { high: "70000" } } }]);
});

describe("whom to notify, in a form", () => {
  const GROUPS = [
    ["S0123ABCD", { name: "On call", handle: "oncall", members: [] }],
    ["S0123ABCE", { name: "Traders", handle: "desk", members: [] }],
  ] as const;
  const adding = async (granted = true) => {
    const scene = await stage();
    for (const [id, group] of GROUPS) scene.fake.state.userGroups.set(id, group);
    if (!granted) {
      scene.fake.state.scopes.delete("usergroups:read");
      scene.fake.expected.add("missing_scope");
    }
    const ann = scene.fake.person("ann");
    const mentions = async () => (await subscriptions(scene)).map(({ mention }) => mention);
    const begun = await openForm(ann, "alerts add");
    const form = await after(scene, begun, () => ann.pressInForm(begun, "How it is told …"));
    return { scene, ann, form, mentions };
  };

  test("groups are offered by handle and name, and one is chosen", async () => {
    const { scene, ann, form, mentions } = await adding();
    await using _scene = scene;
    expect(await ann.complete(form, "mention", "")).toEqual(["S0123ABCD", "S0123ABCE"]);
    expect(await ann.complete(form, "mention", "@onc")).toEqual(["S0123ABCD", "@onc"]);
    expect(await ann.complete(form, "mention", "trad")).toEqual(["S0123ABCE", "trad"]);
    expect(await ann.submit(form, { kinds: "ops", mention: "S0123ABCD" })).toEqual({});
    await expect.poll(mentions).toEqual(["S0123ABCD"]);
  });

  test("a group's id is typed where its scope is not granted", async () => {
    const { scene, ann, form } = await adding(false);
    await using _scene = scene;
    expect(await ann.complete(form, "mention", "")).toEqual([]);
    expect(await ann.complete(form, "mention", "S0123ABCD")).toEqual(["S0123ABCD"]);
  });

  test("a typed @name is taken where it is one group's, and else refused with those that it may be", async () => {
    const { scene, ann, form, mentions } = await adding();
    await using _scene = scene;
    scene.fake.state.userGroups.set("S0123ABCF", { name: "On call", handle: "oncall-eu", members: [] });
    const refused = await ann.submit(form, { kinds: "ops", mention: "@on call" });
    expect(refused["mention"]).toMatch(/“@on call” .*@oncall: On call: S0123ABCD.*@oncall-eu: On call: S0123ABCF/u);
    const answer = said((await ann.run(scene.channel, "alerts add ops mention:@onc")).last);
    expect(answer).toMatch(/“@onc”[^]*S0123ABCD[^]*S0123ABCF/u);
    expect(answer).not.toContain("S0123ABCE");
    expect(said((await ann.run(scene.channel, "alerts add ops mention:@nobody")).last)).toContain("S0123ABCE");
    expect(await mentions()).toEqual([]);
    await ann.run(scene.channel, "alerts add ops mention:@Desk");
    expect(await mentions()).toEqual(["S0123ABCE"]);
  });

  test("a person is picked, and not a group with them", async () => {
    const { scene, ann, form, mentions } = await adding();
    await using _scene = scene;
    const both = await ann.submit(form, { kinds: "ops", mention: "S0123ABCD", "pick:mention": ann.id });
    expect(both).toEqual({ "pick:mention": expect.stringContaining("group") as string });
    expect(await ann.submit(form, { kinds: "ops", "pick:mention": ann.id })).toEqual({});
    await expect.poll(mentions).toEqual([`user:${ann.id}`]);
  });

  test("a person stays picked in the form that changes a subscription, gives way to a group, and to nobody", async () => {
    const { scene, ann, id } = await subscribed("ops mention:<@U0123ABCD|bob>");
    await using _scene = scene;
    const mentions = async () => (await subscriptions(scene)).map(({ mention }) => mention);
    expect(await mentions()).toEqual(["user:U0123ABCD"]);
    const changes: [Record<string, string>, Record<string, string>, string | undefined][] = [
      [{ "pick:mention": "U0123ABCD" }, { mention: "S0123ABCE", "pick:mention": "" }, "S0123ABCE"],
      [{ mention: "S0123ABCE" }, { mention: "", "pick:mention": ann.id }, `user:${ann.id}`],
      [{ "pick:mention": ann.id }, { "pick:mention": "" }, undefined],
    ];
    for (const [begins, values, mention] of changes) {
      ann.closeViews();
      ann.type(scene.channel, `alerts edit ${id}`);
      const form = await opened(scene, ann, await ann.form(), ["mention"]);
      const { mention: group, "pick:mention": person } = initials(form);
      expect({ mention: group, "pick:mention": person }).toEqual(begins);
      expect(await ann.submit(form, values)).toEqual({});
      await expect.poll(mentions).toEqual([mention]);
    }
  });
});

describe("a time in a form", () => {
  const silence = async (values: Record<string, string>) => {
    const scene = await stage();
    const ann = scene.fake.person("ann");
    const form = await opened(scene, ann, await openForm(ann, "alerts silence"), ["until"]);
    const errors = await ann.submit(form, { what: "node.down", ...values });
    const silences = async () => (await alertsOn(scene.store).service.silences()).map(({ until: end }) => end);
    return { scene, ann, errors, silences, form };
  };

  test("is picked, to the minute", async () => {
    const at = Math.trunc(Date.now() / 1000) + 7200;
    const { scene, ann, errors, silences } = await silence({ "pick:until": String(at) });
    await using _scene = scene;
    expect(errors).toEqual({});
    await ann.answerInView();
    expect(await silences()).toEqual([at * 1000]);
  });

  test("is typed, as far away as one says", async () => {
    const { scene, ann, errors, silences } = await silence({ until: "in 30m" });
    await using _scene = scene;
    expect(errors).toEqual({});
    await ann.answerInView();
    const [end = 0] = await silences();
    expect(end - Date.now()).toBeGreaterThan(25 * 60_000);
    expect(end - Date.now()).toBeLessThan(31 * 60_000);
  });

  test("is one of the two: both are said to be too many", async () => {
    const { scene, errors, silences } = await silence({ until: "22:00", "pick:until": "1900000000" });
    await using _scene = scene;
    expect(Object.keys(errors)).toEqual(["pick:until"]);
    expect(await silences()).toEqual([]);
  });

  test("of whole days is picked as a day, and stays picked when more is shown", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const form = await opened(scene, ann, await openForm(ann, "ledger export"), ["to"]);
    expect(fieldOf(form, "pick:from")?.element).toMatchObject({ type: "datepicker" });
    const longer = await after(scene, form, () =>
      ann.pressInForm(form, "The file …", { "pick:from": "2026-05-01", to: "7d" }),
    );
    expect(initials(longer)).toMatchObject({ "pick:from": "2026-05-01", to: "7d" });
    expect(initials(longer)).not.toHaveProperty("from");
    expect(await ann.submit(longer, { asset: "USDT", party: "ab".repeat(32) })).toEqual({});
    await ann.answerInView();
  });
});

describe("a form that changes a subscription", () => {
  test("first asks which one, then begins with what that has; one thing is changed and sent alone", async () => {
    const { scene, ann, id } = await subscribed("nodes severity:warning quiet:22:00-07:00 rounds:4");
    await using _scene = scene;
    const dialog = ann.type(scene.channel, "alerts edit");
    const form = await ann.form();
    expect(shape(form)).toEqual(["id"]);
    const [chosen = ""] = await ann.complete(form, "id", "");
    expect(chosen).toBe(id);
    const filled = await after(scene, form, () => ann.choose(form, "id", chosen));
    const begins = { id, kinds: "nodes", severity: "warning", style: "live", quiet: "22:00-07:00" };
    expect(initials(filled)).toEqual(begins);
    // What is set and not shown yet is counted, and has its value once it is.
    expect(labelsOf(filled.blocks)).toContain("When it is told (1) …");
    const longer = await opened(scene, ann, filled, ["rounds"]);
    expect(initials(longer)).toMatchObject({ ...begins, rounds: "4" });
    // Meanwhile somebody else changes another thing.
    await ann.run(scene.channel, `alerts edit ${id} severity:critical note:"Call us"`);
    expect(await ann.submit(longer, { style: "thread" })).toEqual({});
    await dialog.answered();
    expect(await subscriptions(scene)).toMatchObject([
      {
        floor: "critical",
        style: "thread",
        groups: ["nodes"],
        quietHours: { from: "22:00", to: "07:00" },
        guidance: { note: "Call us" },
      },
    ]);
  });

  test.each([
    [
      "its id is typed",
      async (ann: Person, { channel }: Stage, id: string) => void ann.type(channel, `alerts edit ${id}`),
    ],
    [
      "Change is pressed below it",
      async (ann: Person, { channel }: Stage) => {
        await ann.run(channel, "alerts list");
        const added = ann.sees(channel).find(({ blocks }) => labelsOf(blocks).includes("Change…"));
        ann.startPress(added!, "Change…");
      },
    ],
  ])("begins with what that has where %s; an emptied field takes it away", async (_name, ask) => {
    const { scene, ann, id } = await subscribed('market.price BTC/USDT high:70000 low:50000 note:"Call us"');
    await using _scene = scene;
    await ask(ann, scene, id);
    const form = await opened(scene, ann, await ann.form(), ["note"]);
    expect(initials(form)).toMatchObject({ id, subjects: "BTC/USDT", high: "70000", low: "50000", note: "Call us" });
    expect(await ann.submit(form, { low: "", note: "", high: "75000" })).toEqual({});
    await expect.poll(async () => JSON.stringify(await subscriptions(scene))).toContain("75000");
    const [one] = await subscriptions(scene);
    expect(one?.parameters).toEqual({ "market.price": { high: "75000" } });
    expect(one).not.toHaveProperty("guidance");
    expect(one?.subjects).toHaveLength(1);
  });

  test("keeps what was changed when a heading is opened, and changes nothing else", async () => {
    const { scene, ann, id } = await subscribed("ops mention:S0123ABCD");
    await using _scene = scene;
    const dialog = ann.type(scene.channel, `alerts edit ${id}`);
    const form = await ann.form();
    const first = await after(scene, form, () => ann.pressInForm(form, "How it is told (1) …"));
    const longer = await after(scene, first, () =>
      ann.pressInForm(first, "When it is told …", { mention: "", severity: "warning" }),
    );
    expect(await ann.submit(longer, { runbook: "https://example.org/run" })).toEqual({});
    await dialog.answered();
    const [one] = await subscriptions(scene);
    expect(one).toMatchObject({
      floor: "warning",
      style: "live",
      events: "usual",
      groups: ["ops"],
      guidance: { runbook: "https://example.org/run" },
    });
    expect(one).not.toHaveProperty("mention");
    expect(one).not.toHaveProperty("quietHours");
  });

  test("of another network asks there; what cannot be emptied is not", async () => {
    const { scene, ann, id } = await subscribed("market.auction BTC/USDT network:testnet");
    await using _scene = scene;
    const dialog = ann.type(scene.channel, `alerts edit ${id}`);
    const form = await ann.form();
    expect(initials(form)).toMatchObject({ network: "testnet" });
    const whole = await opened(scene, ann, form);
    for (const name of ["kinds", "severity", "style"]) {
      expect(fieldOf(whole, name)).toMatchObject({ optional: false });
    }
    expect(await ann.submit(whole, { subjects: "ETH/USDT" })).toEqual({});
    await dialog.answered();
    expect(await subscriptions(scene)).toMatchObject([{ network: "testnet" }]);
    expect(said(dialog.last)).toContain("ETH/USDT");
  });

  test("takes away what was emptied, also where other fields are shown meanwhile", async () => {
    const { scene, ann, id } = await subscribed('market.price BTC/USDT high:70000 low:5 note:"Call us"');
    await using _scene = scene;
    const dialog = ann.type(scene.channel, `alerts edit ${id}`);
    const form = await opened(scene, ann, await ann.form(), ["kinds", "note"]);
    const kinds = { kinds: "market.price,market.bound" };
    const wider = await after(scene, form, () => ann.choose(form, "kinds", kinds.kinds, { note: "", low: "" }));
    expect(shape(wider)).toEqual(expect.arrayContaining(["note", "low"]));
    const all = await opened(scene, ann, wider, ["percent"]);
    expect(await ann.submit(all, { percent: "5%" })).toEqual({});
    await dialog.answered();
    const [one] = await subscriptions(scene);
    expect(one).not.toHaveProperty("guidance");
    expect(one?.parameters).toEqual({ "market.price": { high: "70000" }, "market.bound": { percent: "5" } });
  });

  test("shows another one's values in fields that are new, and is not sent for the one before", async () => {
    const { scene, ann, id } = await subscribed("nodes severity:warning");
    await using _scene = scene;
    await ann.run(scene.channel, "alerts add markets severity:critical");
    const other = (await subscriptions(scene)).find((one) => one.id !== id)?.id ?? "";
    const dialog = ann.type(scene.channel, `alerts edit ${id}`);
    const form = await ann.form();
    // Sent before the form has changed.
    expect(Object.keys(await ann.submit(form, { id: other, style: "plain" }))).toEqual(["id"]);
    const second = await after(scene, form, () => ann.choose(form, "id", other, { style: "plain" }));
    expect(initials(second)).toMatchObject({ id: other, kinds: "markets", severity: "critical", style: "live" });
    expect(await ann.submit(second, { severity: "info" })).toEqual({});
    await dialog.answered();
    expect(await subscriptions(scene)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, floor: "warning", style: "live" }),
        expect.objectContaining({ id: other, floor: "info", style: "live" }),
      ]),
    );
  });

  test("whose values cannot be read is shown without them", async () => {
    const { scene, ann } = await subscribed("nodes");
    await using _scene = scene;
    ann.type(scene.channel, "alerts edit zzzzz");
    const form = await ann.form();
    expect(initials(form)).toMatchObject({ id: "zzzzz" });
    expect(await ann.submit(await opened(scene, ann, form, ["style"]), { style: "thread" })).toEqual({
      id: expect.stringContaining("zzzzz") as string,
    });
    expect(await subscriptions(scene)).toMatchObject([{ style: "live" }]);
  });
});
