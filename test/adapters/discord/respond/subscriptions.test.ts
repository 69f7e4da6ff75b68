import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { COLORS } from "../../../../src/adapters/discord/render/embed.ts";
import type { Subscription } from "../../../../src/alerts/route/subscription.ts";
import { aSubscription } from "../../../alerts/samples.ts";
import { type Dialog, labelsOf, type Person, textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { saying } from "../../../support/said.ts";
import { stage, type Stage } from "../stage.ts";

// What people pick and fill in about subscriptions.

let on: Stage;
let ann: Person;
let bob: Person;
let failPut: boolean;
beforeEach(async () => {
  failPut = false;
  on = await stage({
    simulated: false,
    payloads: (own) => ({
      get: (key) => own.get(key),
      put: (value, millis) => (failPut ? Promise.reject(new Error("full")) : own.put(value, millis)),
    }),
  });
  ann = on.fake.person("Ann", { manages: true });
  bob = on.fake.person("Bob");
});
afterEach(() => on[Symbol.asyncDispose]());

const ROLE = "123456789012345678";

/** A subscription of the channel, whose first message nobody waits for. */
async function subscribe(): Promise<string> {
  const subscription = aSubscription({
    id: "7k2mq",
    destination: { platform: "discord", channel: on.channel },
    kinds: ["node.down"],
    style: "live",
    events: "usual",
    created: 0,
    by: { id: ann.id, name: "Ann" },
  });
  await on.engine.putSubscriptions([subscription], "Ann");
  return subscription.id;
}

async function only(): Promise<Subscription> {
  const [one, ...others] = await on.engine.subscriptions();
  expect(others).toEqual([]);
  return one!;
}

test.each([
  ["a role", () => `<@&${ROLE}>`, () => ROLE],
  ["a person", () => `<@${ann.id}>`, () => `user:${ann.id}`],
  // The role of everyone has the id of the server.
  ["everyone", () => `<@&${on.fake.state.channels.get(on.channel)?.guild}>`, () => undefined],
])("%s is picked to be notified", async (_who, picked, kept) => {
  await ann.run(on.channel, "alerts edit", { id: await subscribe(), mention: picked() });
  expect((await only()).mention).toBe(kept());
});

describe("the form of a subscription", () => {
  /** What its fields begin with. */
  const begins = ({ interaction }: Dialog): Record<string, unknown> =>
    Object.fromEntries(
      ((interaction.modal?.components ?? []) as { component: Field }[]).map(({ component: one }) => [
        one.custom_id,
        one.options?.filter((option) => option.default === true).map(({ value }) => value) ??
          one.default_values ??
          one.value,
      ]),
    );
  interface Field {
    readonly custom_id: string;
    readonly value?: string;
    readonly options?: readonly { readonly value: string; readonly default?: boolean }[];
    readonly default_values?: readonly object[];
  }

  test("opens from the answer to a bare alerts add, filled in, and changes what is changed", async () => {
    const added = await ann.run(on.channel, "alerts add");
    const opened = await ann.press(added.last, "Change…");
    expect(begins(opened)).toEqual({
      kinds: ["ops"],
      severity: ["info"],
      style: ["live"],
      quiet: undefined,
      mention: undefined,
    });
    const sent = await ann.submit(opened, {
      kinds: ["ops", "market.state"],
      severity: "warning",
      quiet: "22:00-07:00",
      mention: `<@&${ROLE}>`,
    });
    expect([sent.last.onlyFor, labelsOf(sent.last)]).toEqual([ann.id, expect.arrayContaining(["Change…", "Pause"])]);
    expect(await only()).toMatchObject({
      groups: ["ops"],
      kinds: expect.arrayContaining(["network.stalled", "market.state"]) as unknown,
      floor: "warning",
      style: "live",
      quietHours: { from: "22:00", to: "07:00" },
      mention: ROLE,
    });

    // It begins with that, wherever it is opened, and an emptied field takes away what was set.
    const again = await ann.run(on.channel, "alerts edit", { id: (await only()).id });
    expect(begins(again)).toEqual({
      kinds: ["ops", "market.state"],
      severity: ["warning"],
      style: ["live"],
      quiet: "22:00-07:00",
      mention: [{ id: ROLE, type: "role" }],
    });
    await ann.submit(again, { quiet: "", mention: [] });
    const emptied = await only();
    expect([emptied.floor, emptied.quietHours, emptied.mention]).toEqual(["warning", undefined, undefined]);
  });

  test("undoes nobody else's change, and changes nothing where nothing is changed", async () => {
    const id = await subscribe();
    const opened = await ann.run(on.channel, "alerts edit", { id });
    await ann.run(on.channel, "alerts edit", { id, severity: "critical" });
    await ann.submit(opened, { style: "thread" });
    expect(await only()).toMatchObject({ floor: "critical", style: "thread" });
    const before = await only();
    const nothing = await ann.submit(await ann.run(on.channel, "alerts edit", { id }));
    expect(textOf(nothing.last)).toMatch(saying("Nothing changed", id));
    expect(await only()).toEqual(before);
  });

  test("is refused to who may not change it, with the sentence of the command", async () => {
    const id = await subscribe();
    const refused = await bob.run(on.channel, "alerts edit", { id });
    const typed = await bob.run(on.channel, "alerts edit", { id, severity: "critical" });
    expect([refused.interaction.modal, refused.last.onlyFor]).toEqual([undefined, bob.id]);
    expect(textOf(refused.last)).toBe(textOf(typed.last));
    expect((refused.last.components[0] as { accent_color?: number }).accent_color).toBe(COLORS.warning);
    // One that was opened before the right was taken away is checked when it is sent.
    const opened = await ann.run(on.channel, "alerts edit", { id });
    await ann.run(on.channel, "alerts remove", { id });
    const late = await ann.submit(opened, { style: "plain" });
    expect(textOf(late.last)).toContain(id);
    expect((await only()).state).toBe("removed");
  });

  test("gives way to the answer of the command where it cannot be opened", async () => {
    const id = await subscribe();
    failPut = true;
    const unkept = await ann.run(on.channel, "alerts edit", { id });
    expect([unkept.interaction.modal, textOf(unkept.last)]).toEqual([undefined, expect.stringContaining(id)]);
    failPut = false;
    on.fake.fail({
      method: "POST",
      path: /callback$/u,
      answer: { status: 400, body: { code: 50_035, message: "Invalid Form Body" } },
    });
    const unopened = await ann.run(on.channel, "alerts edit", { id });
    expect([unopened.interaction.modal, textOf(unopened.last)]).toEqual([undefined, expect.stringContaining(id)]);
    // It may have opened: the next try finds that it has.
    on.fake.expected.add(40_060);
    on.fake.fail({ method: "POST", path: /callback$/u, answer: "cut-after" });
    const opened = await ann.run(on.channel, "alerts edit", { id });
    const { token } = opened.interaction;
    await until(() => on.fake.requests.some(({ path }) => path.includes(token)), "the next try");
    await ann.submit(opened, { style: "plain" });
    expect(await only()).toMatchObject({ style: "plain" });
  });

  test("is one press away after a mistake in it", async () => {
    const id = await subscribe();
    const wrong = await ann.submit(await ann.run(on.channel, "alerts edit", { id }), { quiet: "late" });
    expect([wrong.last.onlyFor, textOf(wrong.last)]).toEqual([ann.id, expect.stringContaining("late")]);
    const back = await ann.press(wrong.last, "Back to the form");
    await ann.submit(back, { quiet: "22:00-07:00" });
    expect(await only()).toMatchObject({ quietHours: { from: "22:00", to: "07:00" } });
  });

  test("of what one watches for oneself has what can be changed of it", async () => {
    const { orderId } = on.simulator.samples.mainnet;
    await bob.run(on.channel, "alerts add", { kinds: "order.final", subjects: orderId });
    const { id } = await only();
    const opened = await bob.run(on.channel, "alerts edit", { id });
    expect(Object.keys(begins(opened))).toEqual(["quiet", "zone", "note", "runbook"]);
    await bob.submit(opened, { quiet: "22:00-07:00" });
    expect(await only()).toMatchObject({ kinds: ["order.final"], quietHours: { from: "22:00" } });
  });
});
