import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type Dialog, type Person, textOf } from "../../../support/fake-discord/person.ts";
import type { StoredInteraction } from "../../../support/fake-discord/state.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { nastyStrings } from "../../../support/nasty-strings.ts";
import { probes } from "../probe-commands.ts";
import { stage, type Stage } from "../stage.ts";
import { watchForRejections } from "../watch-for-rejections.ts";
import { runs } from "../../../support/runs.ts";

// Input that Discord never sends, or sends to another version of this bot: it is answered once, and harms nothing.

watchForRejections();

let on: Stage;
let ann: Person;
let channel: string;

beforeAll(async () => {
  on = await stage({ simulated: false, extra: probes, timing: { autocompleteMillis: 50 } });
  // Forged presses belong to no message.
  on.fake.expected.add(10_008);
  ann = on.fake.person("Ann");
});
beforeEach(() => {
  channel = on.fake.channel();
});
afterAll(() => on[Symbol.asyncDispose]());

const shown = {
  id: "1000",
  channel_id: "2000",
  type: 0,
  flags: 0,
  content: "",
  embeds: [],
  components: [],
  attachments: [],
  timestamp: new Date(0).toISOString(),
  edited_timestamp: null,
};
const valid = {
  command: { data: { id: "1", type: 1, name: "probe", options: [{ type: 1, name: "buttons", options: [] }] } },
  press: { data: { custom_id: '1a0:1,"5","probe buttons",0', component_type: 2 }, message: shown },
  submit: {
    data: {
      custom_id: "1k0:unknown",
      components: [{ type: 18, id: 1, component: { type: 4, id: 2, custom_id: "quiet", value: "22:00-07:00" } }],
    },
  },
  complete: {
    data: {
      id: "1",
      type: 1,
      name: "probe",
      options: [{ type: 1, name: "complete", options: [{ type: 3, name: "word", value: "abc", focused: true }] }],
    },
  },
};

async function acknowledged(dialog: Dialog): Promise<void> {
  await until(() => dialog.interaction.acknowledged, "an acknowledgement");
}

describe("a press of unknown origin", () => {
  test.each([
    "",
    "1",
    "1a0:",
    "1a0:{",
    '1a0:1,"5","probe buttons",{"page":{}}',
    '1a0:1,"5","probe buttons",[1]',
    '1a0:1,"5",7,0',
    '1a0:1,"5","__proto__",{"__proto__":{"page":1}}',
    '1a0:1,"5","probe buttons",0,{"not":"a question"}',
    "1i0:[]",
    '1i0:["a"]',
    "1k0:",
    `1k0:${"x".repeat(96)}`,
    "1z0:x",
    `2a0:1,"5","time",0`,
    `1s0:`.repeat(20),
    "🙈".repeat(50),
    ...nastyStrings.map((one) => Array.from(one).slice(0, 40).join("")),
  ])("%j", async (customId) => {
    await acknowledged(
      ann.forge(channel, "press", { data: { custom_id: customId, component_type: 2 }, message: shown }),
    );
  });
});

test.each<[string, StoredInteraction["kind"], object]>([
  ["nobody who sent it", "command", { ...valid.command, member: undefined, user: undefined }],
  ["no data", "command", { data: undefined }],
  ["no permissions", "command", { ...valid.command, member: { user: { id: "5", username: "x" } } }],
  ["permissions that are no number", "press", { ...valid.press, member: { user: { id: "5" }, permissions: "all" } }],
  ["a command of a person's menu", "command", { data: { id: "1", type: 2, name: "Look up", target_id: "5" } }],
  ["an unknown command", "command", { data: { id: "1", type: 1, name: "gone", options: [] } }],
  ["options that are no list", "command", { data: { id: "1", type: 1, name: "time", options: { network: 1 } } }],
  ["a form that was never shown", "press", { type: 5, data: { custom_id: "form", components: [] } }],
  ["a form that is no longer known", "submit", valid.submit],
  ["a form without fields", "submit", { data: { custom_id: "1k0:unknown" } }],
  ["a menu", "press", { data: { custom_id: "menu", component_type: 3, values: ["a"] }, message: shown }],
  ["no message", "press", { data: valid.press.data, message: undefined }],
  ["a share without what is shared", "press", { data: { custom_id: "1s0:", component_type: 2 }, message: {} }],
  ["completion of nothing", "complete", { data: { id: "1", type: 1, name: "probe", options: [] } }],
  ["completion of an unknown command", "complete", { data: { id: "1", type: 1, name: "gone", options: [] } }],
  ["completion without data", "complete", { data: null }],
])("an interaction with %s is answered", async (_what, kind, more) => {
  const dialog = ann.forge(channel, kind, more);
  await acknowledged(dialog);
  if (kind !== "complete") await until(() => dialog.messages.every((one) => !one.thinking), "the answer");
});

test("whatever is broken in an interaction, it is answered once", async () => {
  const kind = fc.constantFrom<StoredInteraction["kind"]>("command", "press", "submit", "complete");
  const wrecks = fc.array(fc.tuple(fc.nat(), fc.jsonValue()), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(kind, wrecks, async (which, changes) => {
      const whole = { ...valid[which], member: { user: { id: ann.id, username: "ann" }, roles: [], permissions: "0" } };
      await acknowledged(ann.forge(channel, which, wreck(whole, changes)));
    }),
    runs(400),
  );
  expect(textOf((await ann.run(channel, "probe buttons")).last)).toContain("Page 1");
});

test.each([
  { id: "no number" },
  { id: undefined },
  { id: "1".repeat(40), token: {} },
  { token: undefined },
  { type: 99 },
])("one that cannot even be answered harms nobody: %j", async (more) => {
  // Nobody there knows it.
  for (const code of [0, 10_062, 50_035]) on.fake.expected.add(code);
  const lost = ann.forge(channel, "command", { ...valid.command, ...more });
  expect(textOf((await ann.run(channel, "probe buttons")).last)).toContain("Page 1");
  on.fake.state.interactions.delete(lost.interaction.id);
});

test.each<[string, object | null]>([
  ["INTERACTION_CREATE", null],
  ["MESSAGE_CREATE", null],
  ["MESSAGE_CREATE", {}],
  ["MESSAGE_CREATE", { id: "1", type: 0, content: "time" }],
  ["MESSAGE_CREATE", { id: "1", type: 0, content: null, author: { id: "5", username: "x" } }],
])("an event that lacks what it needs is passed over: %s %j", async (type, data) => {
  on.fake.gateway.dispatch(type, data);
  expect(textOf((await ann.run(channel, "probe buttons")).last)).toContain("Page 1");
});

test("the same interaction delivered twice is carried out once", async () => {
  const dialog = ann.start(channel, "probe hold", { millis: 50 });
  on.fake.gateway.repeat();
  await dialog.answered();
  await ann.run(channel, "probe buttons");
  expect(on.fake.requests.filter((one) => one.path.startsWith(`/interactions/${dialog.interaction.id}/`))).toHaveLength(
    1,
  );
});

test.each(nastyStrings.map((one, index) => [index, one] as const))(
  "names and values of any script come through (%i)",
  async (_index, nasty) => {
    const value = Array.from(nasty).slice(0, 100).join("");
    const dialog = ann.forge(channel, "command", {
      data: {
        id: "1",
        type: 1,
        name: "market",
        options: [{ type: 1, name: "show", options: [{ type: 3, name: "market", value }] }],
      },
      member: { user: { id: ann.id, username: "ann", global_name: nasty }, nick: nasty, roles: [], permissions: "0" },
    });
    await dialog.answered();
    expect(dialog.messages.flatMap((one) => one.pinged)).toEqual([]);
  },
);

/** A copy with one place after the other replaced or taken away. */
function wreck(whole: object, changes: readonly [number, fc.JsonValue][]): object {
  const copy = JSON.parse(JSON.stringify(whole)) as Record<string, unknown>;
  for (const [at, value] of changes) {
    const places = placesIn(copy);
    const place = places[at % places.length];
    if (place === undefined) continue;
    if (value === null) Reflect.deleteProperty(place.holder, place.key);
    else place.holder[place.key] = value;
  }
  return copy;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesIn(holder: Record<string, unknown>): Place[] {
  return Object.entries(holder).flatMap(([key, value]) => [
    { holder, key },
    ...(typeof value === "object" && value !== null ? placesIn(value as Record<string, unknown>) : []),
  ]);
}
