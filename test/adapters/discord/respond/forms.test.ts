import type { ComponentType } from "discord-api-types/v10";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";

import { ALERT_KINDS, KIND_GROUPS } from "../../../../src/alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../../../src/alerts/route/subscription.ts";
import { fieldLabel } from "../../../../src/bot/form.ts";
import { commands } from "../../../../commands/index.ts";
import { oneLine } from "../../../../src/reply/plain-text.ts";
import { aSubscription } from "../../../alerts/samples.ts";
import { type Dialog, labelsOf, type Person, textOf } from "../../../support/fake-discord/person.ts";
import { anyString } from "../../../support/arbitrary-reply.ts";
import { runs } from "../../../support/runs.ts";
import { stage, type Stage } from "../stage.ts";

// What is wrong in a form, and how it opens again. A form closes when it is sent, and no answer to it is a form.

let on: Stage;
let ann: Person;
let failing: "put" | "get" | "gone" | undefined;
beforeEach(async () => {
  failing = undefined;
  on = await stage({
    simulated: false,
    payloads: (own) => ({
      get: (key) => {
        if (failing === "get") return Promise.reject(new Error("locked"));
        return failing === "gone" ? Promise.resolve(undefined) : own.get(key);
      },
      put: (value, millis) => (failing === "put" ? Promise.reject(new Error("full")) : own.put(value, millis)),
    }),
  });
  ann = on.fake.person("Ann", { manages: true });
});
afterEach(() => on[Symbol.asyncDispose]());

async function subscribe(more: Partial<Subscription>): Promise<Subscription> {
  const subscription = aSubscription({
    id: "7k2mq",
    destination: { platform: "discord", channel: on.channel },
    style: "live",
    events: "usual",
    created: 0,
    by: { id: ann.id, name: "Ann" },
    ...more,
  });
  await on.engine.putSubscriptions([subscription], "Ann");
  return subscription;
}

/** A subscription of the channel, or of Ann alone, to these kinds. */
function subscribeTo(typed: string): Promise<Subscription> {
  const { samples } = on.simulator;
  const kinds = [...KIND_GROUPS.ops.filter(() => typed === "ops"), ...ALERT_KINDS.filter((kind) => kind === typed)];
  const isOwn = typed === "order.final";
  return subscribe({
    kinds,
    ...(typed === "ops" ? { groups: ["ops"] } : {}),
    subjects: typed === "market.price" ? [samples.mainnet.marketId] : isOwn ? [samples.mainnet.orderId] : [],
    parameters: typed === "market.price" ? { "market.price": { high: "70000" } } : {},
    ...(isOwn ? { personal: true, destination: { platform: "discord", channel: `user:${ann.id}` } } : {}),
  });
}

async function only(): Promise<Subscription> {
  const [one, ...others] = await on.engine.subscriptions();
  expect(others).toEqual([]);
  return one!;
}

interface Field {
  readonly custom_id: string;
  readonly type: ComponentType;
  readonly value?: string;
  readonly default_values?: readonly { readonly id: string; readonly type: string }[];
  readonly options?: readonly { readonly value: string; readonly default?: boolean }[];
}
interface Label {
  readonly label: string;
  readonly description?: string;
  readonly component: Field;
}

/** The fields of an open form by the names of their options: what stands in each, and what is said below its label. */
function fieldsIn({ interaction }: Dialog): Record<string, { readonly value: string; readonly below: string }> {
  const labels = (interaction.modal?.components ?? []) as unknown as readonly Label[];
  return Object.fromEntries(
    labels.map(({ description = "", component: { custom_id: name, options, value, default_values: people } }) => {
      const chosen =
        options?.filter((one) => one.default === true).map((one) => one.value) ??
        people?.map(({ id, type }) => (type === "role" ? `<@&${id}>` : `<@${id}>`));
      return [name, { value: chosen?.join(",") ?? value ?? "", below: description }];
    }),
  );
}

function labelOf(name: string): string {
  return fieldLabel(name, commands.find((one) => one.name === "alerts edit")?.options[name] ?? {});
}

type Wrong = Readonly<Record<string, string | readonly string[]>>;

/** Wrong values by the kinds of a subscription: each is sent in its form, those of one line together. */
const WRONG: readonly (readonly [kinds: string, wrong: Wrong, faulty?: readonly string[]])[] = [
  ["market.price", { high: "much" }],
  ["market.price", { high: "5%" }],
  ["market.price", { high: "0" }],
  ["market.price", { low: "-1" }],
  ["market.price", { low: "1,5" }],
  ["market.price", { high: "", low: "" }, ["high"]],
  ["market.price", { subjects: "NOPE/XY" }],
  ["market.price", { quiet: "late" }],
  ["market.price", { quiet: "22:00-22:00" }],
  ["market.price", { high: "much", low: "less", quiet: "25-7" }],
  ["market.bound", { percent: "near" }],
  ["market.bound", { percent: "0" }],
  ["network.stalled", { for: "5" }],
  ["network.stalled", { for: "0s" }],
  ["network.stalled", { "critical-for": "soon" }],
  ["network.stalled", { for: "10m", "critical-for": "1m" }, ["critical-for"]],
  ["network.clock", { drift: "a lot" }],
  ["watch.blind", { rounds: "0" }],
  ["node.down", { rounds: "many" }],
  ["node.down", { rounds: "1001" }],
  ["node.down", { rounds: "1.5" }],
  ["node.lagging", { behind: "5", blocks: "-3", for: "x" }],
  ["checkpoint.overdue", { factor: "0" }],
  ["checkpoint.overdue", { factor: "thrice", "at-least": "later" }],
  ["order.final", { zone: "Moon/Base" }],
  ["order.final", { quiet: "22:00-07:00", zone: "Moon/Base" }, ["zone"]],
  ["order.final", { runbook: "ftp://example.org" }],
  ["rotation.new", { subjects: "nobody" }],
  ["ops", { kinds: ["ops", "market.price"] }, ["high"]],
  ["ops", { mention: "@everyone", quiet: "night" }],
];

test.each(WRONG.map(([kinds, given, named]) => ({ kinds, given, named })))(
  "a form of $kinds with $given names what is wrong, keeps it, and changes nothing",
  async ({ kinds, given, named }) => {
    const before = await subscribeTo(kinds);
    // The role of everyone has the id of the server.
    const everyone = `<@&${on.fake.state.channels.get(on.channel)?.guild}>`;
    const wrong = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value === "@everyone" ? everyone : value]),
    );
    const opened = await ann.run(on.channel, "alerts edit", { id: before.id });
    const answer = await ann.submit(opened, wrong);
    expect(answer.last.onlyFor).toBe(ann.id);
    const said = textOf(answer.last).replaceAll("\\", "");
    for (const name of named ?? Object.keys(wrong)) {
      expect(said).toContain(labelOf(name));
      // What is missing was not typed.
      expect(said).toContain(shownAs(String(wrong[name] ?? "")));
    }
    expect(said).not.toMatch(/\b(?:high|low|for|critical-for|at-least|zone|quiet|kinds|subjects):/u);
    expect(await only()).toEqual(before);

    const again = await ann.press(answer.last, "Back to the form");
    const fields = fieldsIn(again);
    for (const [name, value] of Object.entries(wrong)) expect(fields[name]?.value).toBe(String(value));
    expect(await only()).toEqual(before);
  },
);

/** A typed value as the answer shows it. */
function shownAs(value: string): string {
  if (value === "1m") return "1 min";
  return value.startsWith("<@&") ? value.slice(3, -1) : value;
}

test("one form after the other takes the place of what was wrong, until all of it is right", async () => {
  const { id } = await subscribeTo("market.price");
  const wrong = { high: "much", low: "1,000", quiet: "late" };
  const first = await ann.submit(await ann.run(on.channel, "alerts edit", { id }), wrong);
  // What is right is kept, and what is wrong is said below its label.
  const opened = await ann.press(first.last, "Back to the form");
  expect(fieldsIn(opened)).toMatchObject({
    high: { value: "much", below: expect.stringContaining("much") as string },
    low: { value: "1,000", below: expect.not.stringContaining("1,000") as string },
    quiet: { value: "late", below: expect.stringContaining("late") as string },
  });
  const second = await ann.submit(opened, { high: "80k" });
  expect([second.last.id, second.messages.length]).toEqual([first.last.id, 1]);
  expect([textOf(second.last).includes("much"), textOf(second.last).includes("late")]).toEqual([false, true]);
  expect(labelsOf(second.last)).toEqual(["Back to the form"]);
  const third = await ann.submit(await ann.press(second.last, "Back to the form"), { quiet: "22-7", subjects: "NOPE" });
  expect([third.last.id, textOf(third.last).includes("NOPE")]).toEqual([first.last.id, true]);
  expect(labelsOf(third.last)).toEqual(["Back to the form"]);
  const done = await ann.submit(await ann.press(third.last, "Back to the form"), { subjects: "BTC/USDT" });
  expect([done.last.id, labelsOf(done.last)]).toEqual([first.last.id, expect.arrayContaining(["Change…"])]);
  expect(await only()).toMatchObject({
    parameters: { "market.price": { high: "80000", low: "1000" } },
    quietHours: { from: "22:00", to: "07:00" },
  });
});

test("a form opens again after a restart, also with more than a button holds", async () => {
  const { id } = await subscribeTo("order.final");
  const note = "Call the desk. ".repeat(15).trim();
  const wrong = await ann.submit(await ann.run(on.channel, "alerts edit", { id }), {
    note,
    quiet: "late",
    zone: "Berlin",
  });
  await on.restart();
  const opened = await ann.press(wrong.last, "Back to the form");
  expect(fieldsIn(opened)).toMatchObject({ note: { value: note }, quiet: { value: "late" } });
  await on.restart();
  // What was wrong may be emptied, too.
  await ann.submit(opened, { quiet: "", zone: "" });
  expect(await only()).toMatchObject({ guidance: { note } });
  expect((await only()).quietHours).toBeUndefined();
});

test("what was typed is in the answer where no form can open again", async () => {
  const { id } = await subscribeTo("order.final");
  const note = "Call the desk. ".repeat(15).trim();
  const opened = await ann.run(on.channel, "alerts edit", { id });
  failing = "put";
  const unkept = await ann.submit(opened, { note, quiet: "late" });
  expect(labelsOf(unkept.last)).toEqual([]);
  for (const typed of [note, "late", "Buttons missing here"]) expect(textOf(unkept.last)).toContain(typed);
  // A short one needs no store to be remembered, and one to open.
  const short = await ann.submit(opened, { quiet: "late" });
  const unopened = await ann.press(short.last, "Back to the form");
  expect([unopened.interaction.modal, textOf(unopened.last)]).toEqual([undefined, expect.stringContaining("late")]);
  failing = "get";
  const unread = await ann.submit(opened, { note, quiet: "late" });
  for (const typed of [note, "late"]) expect(textOf(unread.last)).toContain(typed);
  failing = "gone";
  const expired = await ann.submit(opened, { note, quiet: "late" });
  for (const typed of ["too old", note, "late"]) expect(textOf(expired.last)).toContain(typed);
  expect((await only()).guidance).toBeUndefined();
});

test("a field that the form has no room for keeps what was typed for it", async () => {
  const { id } = await subscribe({ kinds: [...KIND_GROUPS.markets], groups: ["markets"] });
  const wrong = await ann.submit(await ann.run(on.channel, "alerts edit", { id }), {
    kinds: ["markets", "market.price"],
    severity: "warning",
    style: "thread",
    quiet: "22-7",
    subjects: "BTC/USDT",
  });
  const opened = await ann.press(wrong.last, "Back to the form");
  expect(Object.keys(fieldsIn(opened))).toEqual(["high", "kinds", "severity", "style", "quiet"]);
  expect(fieldsIn(opened)["high"]?.below).toMatch(/^⚠️ “Above”/u);
  await ann.submit(opened, { high: "70k" });
  expect(await only()).toMatchObject({
    groups: ["markets"],
    subjects: [on.simulator.samples.mainnet.marketId],
    floor: "warning",
    style: "thread",
    quietHours: { from: "22:00" },
    parameters: { "market.price": { high: "70000" } },
  });
});

test("what nobody may change, or nobody can look up, is said with the way back", async () => {
  const { id } = await subscribeTo("market.price");
  const bob = on.fake.person("Bob");
  const opened = await ann.run(on.channel, "alerts edit", { id });
  // Whoever sent it, its rights are those of now.
  const refused = await bob.submit(opened, { high: "80000" });
  expect([refused.last.onlyFor, textOf(refused.last)]).toEqual([bob.id, expect.stringContaining("80000")]);
  expect(await only()).toMatchObject({ parameters: { "market.price": { high: "70000" } } });
});

test("a form sent as it opened says that nothing changed", async () => {
  const { id } = await subscribeTo("ops");
  const before = await only();
  const same = await ann.submit(await ann.run(on.channel, "alerts edit", { id }));
  expect(textOf(same.last)).toMatch(/^Nothing changed/u);
  const asTyped = await ann.submit(await ann.run(on.channel, "alerts edit", { id }), { kinds: ["ops"], style: "live" });
  expect(textOf(asTyped.last)).toMatch(/^Nothing changed/u);
  expect(await only()).toEqual(before);
});

test.each<Wrong>([
  { high: "" },
  { high: "5%" },
  { high: "-1", low: "few" },
  { subjects: "NOPE/XY" },
  { quiet: "always" },
  { high: "high", quiet: "quiet", subjects: "NOPE/XY" },
])("the form of a price, sent with %o, names what is wrong, keeps it, and subscribes nobody", async (wrong) => {
  const { last } = await ann.run(on.channel, "market show", { market: "BTC/USDT" });
  const answer = await ann.submit(await ann.press(last, "Tell me at …"), wrong);
  const [name, value] = Object.entries(wrong)[0] ?? ["", ""];
  for (const said of [labelOf(name), String(value)]) expect(textOf(answer.last)).toContain(said);
  const fields = fieldsIn(await ann.press(answer.last, "Back to the form"));
  expect(Object.entries(wrong).map(([field]) => fields[field]?.value)).toEqual(Object.values(wrong));
  expect(await on.engine.subscriptions()).toEqual([]);
});

test("who looks at a market is told at a price, alone, by a form that names the present one and begins beyond it", async () => {
  const bob = on.fake.person("Bob");
  const { last } = await bob.run(on.channel, "market show", { market: "BTC/USDT" });
  const opened = await bob.press(last, "Tell me at …");
  expect(Object.keys(fieldsIn(opened))).toEqual(["high", "low", "subjects", "quiet", "when"]);
  expect(fieldsIn(opened)).toMatchObject({
    high: { value: expect.stringMatching(/^\d{3}00$/u) as string },
    subjects: { value: "BTC/USDT" },
  });
  const [now = "", present = 0] = /Now ([\d,.]+)/u.exec(JSON.stringify(opened.interaction.modal)) ?? [];
  const asNumber = (written: unknown): number => Number(String(written).replaceAll(",", ""));
  const ratio = asNumber(fieldsIn(opened)["high"]?.value) / asNumber(present);
  expect([now, ratio > 1.009, ratio < 1.02]).toEqual([expect.any(String), true, true]);
  const wrong = await bob.submit(opened, { high: "much" });
  expect(wrong.last.id).not.toBe(last.id);
  // What the button filled in was not typed.
  for (const filled of [labelOf("kinds"), "Where to", "Network"]) expect(textOf(wrong.last)).not.toContain(filled);
  const again = await bob.press(wrong.last, "Back to the form");
  expect(fieldsIn(again)).toMatchObject({ high: { value: "much" }, subjects: { value: "BTC/USDT" } });
  const done = await bob.submit(again, { high: "70k", low: "50,000" });
  const own = { platform: "discord", channel: `user:${bob.id}` };
  const limits = { "market.price": { high: "70000", low: "50000" } };
  expect(await only()).toMatchObject({ destination: own, parameters: limits, by: { id: bob.id } });

  // He changes it where he asked, though he does not manage the channel; nobody else sees it there.
  const change = await bob.press(done.last, "Change…");
  await bob.submit(change, { low: "" });
  expect(await only()).toMatchObject({ destination: own, parameters: { "market.price": { high: "70000" } } });
  expect(textOf((await bob.run(on.channel, "alerts list")).last)).toContain("70,000");
  expect(textOf((await ann.run(on.channel, "alerts list")).last)).not.toContain("70,000");
});

test("whatever is typed, the form opens again with it, and no message is refused", async () => {
  const { id } = await subscribeTo("order.final");
  const before = await only();
  // Discord sends what its fields take, without space around it.
  const typed = (most: number) => anyString(most).map((one) => one.slice(0, most).toWellFormed().trim());
  const values = fc.record({ quiet: typed(200), zone: typed(200), note: typed(300), runbook: typed(500) });
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      // Nothing of it may be right.
      const wrong = { ...given, quiet: `late ${given.quiet}`.slice(0, 200).trim() };
      const answer = await ann.submit(await ann.run(on.channel, "alerts edit", { id }), wrong);
      expect(labelsOf(answer.last)).toContain("Back to the form");
      const fields = fieldsIn(await ann.press(answer.last, "Back to the form"));
      for (const [name, value] of Object.entries(wrong)) expect(fields[name]?.value).toBe(oneLine(value));
      expect(await only()).toEqual(before);
    }),
    runs(40),
  );
});

test.each([
  ["market show", { market: "BTCC" }],
  ["my party", { id: "zz" }],
  ["alerts silence", { what: "sim-99", for: "1h" }],
  ["ledger export", { party: "XYZ", asset: "soon" }],
])("a typed %s with a wrong value opens as a form that holds it, in place of the refusal", async (command, options) => {
  const refused = await ann.run(on.channel, command, options);
  const opened = await ann.press(refused.last, "Back to the form");
  const [[name, value] = []] = Object.entries(options);
  expect(fieldsIn(opened)[name ?? ""]?.value).toBe(value);
  expect(on.fake.complaints()).toEqual([]);
});

test("who may not do a thing is offered no form of it", async () => {
  const refused = await on.fake.person("Bob").run(on.channel, "alerts silence", { what: "all", for: "1h" });
  expect(labelsOf(refused.last)).not.toContain("Back to the form");
});

test("every wrong value of a command and of a form is named at once, also what only the network knows", async () => {
  const line = { kinds: "market.price", subjects: "NOPE/XYZ", high: "cheap", quiet: "never ever" };
  const answer = await ann.run(on.channel, "alerts add", line);
  for (const wrong of ["NOPE/XYZ", "cheap", "never ever"]) expect(textOf(answer.last)).toContain(wrong);
  const form = await ann.press(answer.last, "Back to the form");
  expect(fieldsIn(form)["high"]).toMatchObject({ value: "cheap", below: expect.stringContaining("cheap") as string });
  await subscribeTo("market.price");
  const opened = await ann.run(on.channel, "alerts edit", { id: "7k2mq" });
  const sent = await ann.submit(opened, { subjects: "NOPE/XYZ", high: "cheap" });
  for (const wrong of ["NOPE/XYZ", "cheap"]) expect(textOf(sent.last)).toContain(wrong);
  expect(textOf(sent.last)).toContain("2 fields need other values");
});

test("a subscription to remove is chosen from a menu, since no other value is right", async () => {
  await subscribeTo("ops");
  const asked = await ann.writes(on.channel, "@bot remove a subscription");
  const form = await ann.press(asked, labelsOf(asked)[0] ?? "");
  expect(menuIn(form)).toEqual(["7k2mq"]);
  await ann.submit(form, { id: "7k2mq" });
  expect(await only()).toMatchObject({ state: "removed" });
  expect(on.fake.complaints()).toEqual([]);
});

/** The values of the menu of an open form. */
function menuIn({ interaction }: Dialog): readonly string[] {
  const labels = (interaction.modal?.components ?? []) as unknown as readonly Label[];
  return labels.flatMap(({ component: { options = [] } }) => options.map(({ value }) => value));
}
