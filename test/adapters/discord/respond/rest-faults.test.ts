import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { shareFailedNotice } from "../../../../src/adapters/discord/respond/notices.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import type { Misbehaviour } from "../../../support/fake-discord/fake-discord.ts";
import { type Person, textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { probes } from "../probe-commands.ts";
import { stage, type Stage } from "../stage.ts";
import { watchForRejections } from "../watch-for-rejections.ts";

// Each call of an answer meets each fault that Discord or the way to it may have; the answer arrives nevertheless, once.

watchForRejections();

let on: Stage;
let ann: Person;
let bob: Person;
let channel: string;

beforeAll(async () => {
  on = await stage({ simulated: false, extra: probes });
  // Discord's answer to a retry whose first try had arrived.
  for (const code of [40_060, 10_008]) on.fake.expected.add(code);
  ann = on.fake.person("Ann");
  bob = on.fake.person("Bob");
});
beforeEach(() => {
  channel = on.fake.channel();
});
afterAll(() => on[Symbol.asyncDispose]());

const faults: [string, Misbehaviour][] = [
  ["a 500", { status: 500 }],
  ["a 503", { status: 503 }],
  ["a connection cut before", "cut-before"],
  ["a connection cut afterwards", "cut-after"],
];
const callback = { method: "POST", path: /\/callback$/u };
const edit = { method: "PATCH", path: /@original$/u };
const remove = { method: "DELETE", path: /@original$/u };
const followUp = { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/u };

describe.each(faults)("%s at the acknowledgement", (_name, answer) => {
  test("of a command that takes its time", async () => {
    on.fake.fail({ ...callback, answer });
    const dialog = await ann.run(channel, "probe buttons");
    expect(textOf(dialog.last)).toContain("Page 1");
    expect(bob.sees(channel)).toHaveLength(1);
  });

  test("of a mistake, which is answered at once", async () => {
    on.fake.fail({ ...callback, answer });
    const dialog = await ann.run(channel, "probe buttons", { page: 1000 });
    expect([dialog.last.onlyFor, ann.sees(channel).length]).toEqual([ann.id, 1]);
  });

  test("of a press", async () => {
    const asked = await ann.run(channel, "probe buttons");
    on.fake.fail({ ...callback, answer });
    expect(textOf((await ann.press(asked.last, "Next")).last)).toContain("Page 2");
  });

  test("of completion", async () => {
    on.fake.fail({ ...callback, answer });
    expect((await ann.complete(channel, "probe complete", "word", "abc")).length).toBeGreaterThan(20);
  });
});

test.each(["hang-before", "hang-after"] as const)("no answer to the acknowledgement (%s)", async (answer) => {
  on.fake.fail({ ...callback, answer });
  const dialog = await ann.run(channel, "probe buttons");
  expect(textOf(dialog.last)).toContain("Page 1");
  expect([bob.sees(channel).length, (dialog.interaction.acknowledgedAfter ?? 3000) < 3000]).toEqual([1, true]);
});

test("an acknowledgement that is refused again and again is tried for as long as Discord waits", async () => {
  for (let count = 0; count < 3; count += 1) on.fake.fail({ ...callback, answer: { status: 502 } });
  const dialog = await ann.run(channel, "probe buttons", { page: 1000 });
  expect(on.fake.requests.filter((one) => one.path.includes(dialog.interaction.token))).toHaveLength(4);
});

describe.each(faults)("%s", (_name, answer) => {
  test("at the answer: it appears once", async () => {
    on.fake.fail({ ...edit, answer });
    on.fake.fail({ ...edit, answer });
    expect(textOf((await ann.run(channel, "probe buttons")).last)).toContain("Page 1");
    expect(bob.sees(channel)).toHaveLength(1);
  });

  test("where an error takes the place of a public answer", async () => {
    for (const call of [remove, followUp, followUp]) on.fake.fail({ ...call, answer });
    const dialog = ann.start(channel, "probe fail", { how: "caller" });
    await until(() => ann.sees(channel).some((one) => textOf(one).includes("That was a mistake.")), "the error");
    expect([bob.sees(channel), dialog.messages.every((one) => one.onlyFor === ann.id)]).toEqual([[], true]);
  });
});

test("a moderator who deletes the answer first is no obstacle to the error", async () => {
  on.fake.onRequest = ({ method, path }) => {
    if (method !== "DELETE") return;
    const interaction = [...on.fake.state.interactions.values()].find((one) => path.includes(one.token));
    on.fake.state.messages.delete(interaction?.original ?? "");
  };
  const dialog = ann.start(channel, "probe fail", { how: "caller" });
  await until(() => dialog.messages.some((one) => textOf(one).includes("That was a mistake.")), "the error");
  on.fake.onRequest = () => {};
});

test("an answer waits for Discord longer than a few tries", async () => {
  on.fake.misbehave = ({ path }) => (path.endsWith("@original") ? { status: 502 } : undefined);
  const dialog = ann.start(channel, "probe buttons");
  const tries = (): number =>
    on.fake.requests.filter((one) => one.path.includes(dialog.interaction.token) && one.status === 502).length;
  await until(() => tries() >= 4, "the tries");
  on.fake.misbehave = () => undefined;
  await dialog.answered();
  expect(textOf(dialog.last)).toContain("Page 1");
});

test("a shared reply of uncertain outcome is not shared twice without a notice", async () => {
  const asked = await ann.run(channel, "probe buttons", { private: true });
  for (let count = 0; count < 2; count += 1) on.fake.fail({ ...followUp, answer: { status: 500 } });
  const pressed = ann.startPress(asked.last, "Share");
  const failed = plainText(shareFailedNotice().title);
  await until(() => pressed.messages.some((one) => textOf(one).includes(failed)), "the word about it");
  expect(bob.sees(channel)).toEqual([]);
});

test("an answer that Discord does not take for as long as it may be given comes as a direct message, once", async () => {
  on.fake.misbehave = ({ path }) => (path.endsWith("@original") ? { status: 502 } : undefined);
  const posted = /^\/channels\/\d+\/messages$/u;
  on.fake.fail({ method: "POST", path: posted, answer: "cut-after" });
  const dialog = ann.start(channel, "probe buttons");
  await until(
    () => on.fake.requests.some((one) => one.path.includes(dialog.interaction.token) && one.status === 502),
    "a try",
  );
  on.fake.state.advance(16 * 60_000);
  const directMessages = (): string[] =>
    [...on.fake.state.channels.values()]
      .filter((one) => one.recipient === ann.id)
      .flatMap((one) => ann.sees(one.id).map((message) => textOf(message)));
  await until(() => on.fake.requests.some(({ path }) => posted.test(path)), "the repeat of the direct message");
  on.fake.misbehave = () => undefined;
  expect(directMessages()).toEqual([expect.stringContaining("Page 1")]);
});
