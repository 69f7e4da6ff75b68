import { DatabaseSync } from "node:sqlite";
import { Writable } from "node:stream";

import { type APIActionRowComponent, type APIButtonComponent, ButtonStyle, ComponentType } from "discord-api-types/v10";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { answerFailedNotice } from "../../../../src/adapters/discord/respond/notices.ts";
import { refusedAnswerNotice } from "../../../../src/adapters/chat/notices.ts";
import { customIdsIn, decodePress, encodePress, storedPressId } from "../../../../src/adapters/discord/render/press.ts";
import { pressPayload } from "../../../../src/adapters/chat/press.ts";
import { createLog } from "../../../../src/log.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { labelsOf, type Person, textOf } from "../../../support/fake-discord/person.ts";
import type { StoredMessage } from "../../../support/fake-discord/state.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { disposed, LONG_ID, probes } from "../probe-commands.ts";
import { stage, type Stage } from "../stage.ts";

const lines: string[] = [];
const logged = new Writable({
  write(chunk, _encoding, done) {
    lines.push(String(chunk));
    done();
  },
});

let on: Stage;
let ann: Person;
let bob: Person;
let channel: string;

beforeAll(async () => {
  on = await stage({
    extra: probes,
    simulated: false,
    log: createLog("debug", logged),
    timing: { autocompleteMillis: 100 },
  });
  ann = on.fake.person("Ann");
  bob = on.fake.person("Bob");
});
beforeEach(() => {
  channel = on.fake.channel();
  disposed.length = 0;
});
afterAll(() => on[Symbol.asyncDispose]());

const ephemeral = 64;

/** A row as it stands in an alert. */
function buttonRow(label: string, customId: string): APIActionRowComponent<APIButtonComponent> {
  const button = { type: ComponentType.Button, style: ButtonStyle.Secondary, label, custom_id: customId } as const;
  return { type: ComponentType.ActionRow, components: [button] };
}

describe("who sees an answer", () => {
  test("the channel, where the command says so", async () => {
    await ann.run(channel, "probe buttons");
    expect(bob.sees(channel)).toHaveLength(1);
  });

  test("the asker alone, with private", async () => {
    const dialog = await ann.run(channel, "probe buttons", { private: true });
    expect([ann.sees(channel).length, bob.sees(channel).length, dialog.last.flags & ephemeral]).toEqual([
      1,
      0,
      ephemeral,
    ]);
  });

  test("the asker alone, for a mistake, at once and with a remedy", async () => {
    const dialog = await ann.run(channel, "order", { id: "zzz" });
    expect(bob.sees(channel)).toEqual([]);
    expect(textOf(dialog.last)).toMatch(/id|order/iu);
  });

  test("the asker alone, for an error that comes later; the public message goes", async () => {
    const dialog = await ann.run(channel, "probe fail", { how: "caller" });
    await until(() => dialog.messages.length === 1 && dialog.last.onlyFor === ann.id, "the error");
    expect(textOf(dialog.last)).toContain("That was a mistake.");
    expect(textOf(dialog.last)).toContain("Try the other one.");
    expect(bob.sees(channel)).toEqual([]);
  });

  test("a bug shows its id, never its words", async () => {
    const dialog = await ann.run(channel, "probe fail", { how: "bug", private: true });
    expect(textOf(dialog.last)).not.toContain("inner words");
    expect(textOf(dialog.last)).toMatch(/`[0-9a-f]{8}`/u);
  });

  test("a command for managers is refused to others, and only they see that", async () => {
    const boss = on.fake.person("Boss", { manages: true });
    const refused = await ann.run(channel, "probe manage");
    expect(textOf(refused.last)).toContain("probe manage");
    expect(bob.sees(channel)).toEqual([]);
    expect(textOf((await boss.run(channel, "probe manage")).last)).toContain("Managed");
  });
});

describe("buttons", () => {
  test("the asker turns the page in place; others get pages of their own", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const turned = await ann.press(asked.last, "Next");
    expect(textOf(turned.last)).toContain("Page 2 for Ann");
    expect(turned.last.id).toBe(asked.last.id);

    const copy = await bob.press(asked.last, "Next");
    expect(copy.last.onlyFor).toBe(bob.id);
    expect(textOf(copy.last)).toContain("Page 3 for Bob");
    expect(textOf(asked.last)).toContain("Page 2 for Ann");
    const further = await bob.press(copy.last, "Next");
    expect([further.last.id, textOf(further.last).split("\n")[0]]).toEqual([copy.last.id, "Page 4 for Bob"]);
  });

  test("a button that answers below leaves its message", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const below = await ann.press(asked.last, "Below");
    expect(textOf(asked.last)).toContain("Page 1");
    expect(textOf(below.messages.at(-1)!)).toContain("Page 50");
  });

  test("a destructive button asks first, and only the presser", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const question = await ann.press(asked.last, "Delete");
    const shown = question.last;
    expect([textOf(shown).split("\n")[0], shown.onlyFor]).toEqual(["Really delete it all?", ann.id]);
    const done = await ann.press(shown, "Yes, go on");
    expect([done.last.id, textOf(done.last).split("\n")[0]]).toEqual([shown.id, "Page 66 for Ann"]);
  });

  test("a page that fails stays as it was; the error comes beside it, for the presser alone", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const before = textOf(asked.last);
    const failed = ann.startPress(asked.last, "Broken");
    await until(() => failed.interaction.produced.length === 1, "the error");
    expect([textOf(asked.last), failed.last.onlyFor]).toEqual([before, ann.id]);
    const wrong = await ann.press(asked.last, "Wrong");
    expect([textOf(wrong.last).includes("1000") || textOf(wrong.last).includes("99"), wrong.last.onlyFor]).toEqual([
      true,
      ann.id,
    ]);
  });

  test("a command that is gone is answered, not ignored", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const gone = await ann.press(asked.last, "Gone");
    expect(textOf(gone.last)).toMatch(/no command/iu);
  });

  test("the ids that an alert shortens are one press away", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const ids = Array.from({ length: 12 }, (_, index) => ({ name: "", value: LONG_ID.slice(index) }));
    const press = { kind: "ids", ids } as const;
    const key = await on.store.payloads.put(pressPayload(press), 60_000);
    asked.last.components = [buttonRow("Full ids", storedPressId({ key }, 1))];
    const whole = await bob.press(asked.last, "Full ids");
    expect(textOf(whole.messages.at(-1)!)).toContain(LONG_ID);
    expect(ann.sees(channel)).toHaveLength(1);
  });

  test("an answer that an earlier version drew as an embed keeps it, and turns its page in a new message", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const press = { kind: "ask", ask: { command: "time", options: {} }, effect: "replace", asker: ann.id } as const;
    const embeds = [{ title: "Page 1" }];
    Object.assign(asked.last, { flags: 0, embeds, components: [buttonRow("Next", encodePress(press, 0)!)] });
    const next = await ann.press(asked.last, "Next");
    expect([asked.last.embeds, next.last.id === asked.last.id]).toEqual([embeds, false]);
  });

  test("Refresh asks again in place", async () => {
    const asked = await ann.run(channel, "time");
    const before = asked.last.edits;
    await ann.press(asked.last, "Refresh");
    expect(asked.last.edits).toBe(before + 1);
  });

  test("all of them work after a restart, stored ones, too", async () => {
    const asked = await ann.run(channel, "probe buttons");
    await on.restart();
    expect(textOf((await ann.press(asked.last, "Next")).last)).toContain("Page 2");
    expect(textOf((await ann.press(asked.last, "Details")).last)).toContain(LONG_ID);
  });

  test.each(["0a0:1", "1k0:unknown-key", "1d0:unknown-key", "1s0:unknown-key", "not ours"])(
    "one of another version says to run it again: %s",
    async (customId) => {
      const asked = await ann.run(channel, "probe buttons");
      asked.last.components = [buttonRow("Old", customId)];
      const old = await ann.press(asked.last, "Old");
      expect(textOf(old.messages.at(-1)!)).toMatch(/too old[\s\S]*again/u);
    },
  );
});

describe("Details", () => {
  test("show the asker the whole in place, and Less the first form again; files stay", async () => {
    const asked = await ann.run(channel, "probe files", { count: 2, ids: true });
    const [before, files] = [textOf(asked.last), asked.last.files];
    expect(before).toContain("`abababab…abab`");
    const whole = await ann.press(asked.last, "Details");
    expect([whole.last.id, whole.messages.length]).toEqual([asked.last.id, 1]);
    expect(textOf(asked.last)).toContain(LONG_ID);
    expect(labelsOf(asked.last)).not.toContain("Details");
    await ann.press(asked.last, "Less");
    expect([textOf(asked.last), asked.last.files]).toEqual([before, files]);
  });

  test("are a private copy for anyone else, whose buttons are that person's", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const before = textOf(asked.last);
    const copy = await bob.press(asked.last, "Details");
    expect([copy.last.onlyFor, textOf(asked.last)]).toEqual([bob.id, before]);
    expect(textOf(copy.last)).toContain(LONG_ID);
    const less = await bob.press(copy.last, "Less");
    expect([less.last.id, textOf(less.last)]).toEqual([copy.last.id, before]);
    const turned = await bob.press(copy.last, "Next");
    expect([turned.last.id, textOf(turned.last)]).toEqual([copy.last.id, expect.stringContaining("Page 2 for Bob")]);
  });

  test("are there after a restart, and for a day", async () => {
    const asked = await ann.run(channel, "probe buttons");
    const at = Date.now();
    await on.restart();
    expect(textOf((await ann.press(asked.last, "Details")).last)).toContain(LONG_ID);
    const press = customIdsIn(asked.last.components)
      .map(decodePress)
      .find((one) => one?.kind === "stored" && one.show !== undefined);
    const { key } = press as { key: string };
    using database = new DatabaseSync(on.database, { readOnly: true });
    const row = database.prepare("SELECT expires_at FROM button_payloads WHERE key = ?").get(key);
    expect(Math.round((Number(row?.["expires_at"]) - at) / 3_600_000)).toBe(24);
  });

  test("are not offered by a reply that says all at once", async () => {
    const said = await ann.run(channel, "probe manage");
    expect(labelsOf(said.last)).not.toContain("Details");
  });
});

describe("Share", () => {
  const parts = (message: StoredMessage) => textOf(message).split("\n");

  test("posts the reply as it was, with who shares it and when it was asked; once", async () => {
    const asked = await ann.run(channel, "probe buttons", { private: true });
    const before = parts(asked.last);
    const shared = ann.startPress(asked.last, "Share");
    await until(() => bob.sees(channel).length === 1, "the shared reply");
    const [post] = bob.sees(channel);
    const [first, ...rest] = parts(post!);
    expect(first).toMatch(new RegExp(`<@${ann.id}>.* <t:\\d+:R>$`, "u"));
    expect(rest).toEqual(before);
    expect(post?.pinged).toEqual([]);
    expect([labelsOf(asked.last).includes("Share"), labelsOf(post!).includes("Share")]).toEqual([false, false]);
    expect(shared.interaction.acknowledged).toBe(true);
    // Of its buttons only those go along that run nothing.
    expect(labelsOf(post!)).toEqual(["Site", "Details"]);
    const copy = await bob.press(post!, "Details");
    expect([textOf(copy.last).includes(LONG_ID), copy.last.onlyFor]).toEqual([true, bob.id]);
  });

  test("leaves the message as it is, whole or folded", async () => {
    const asked = await ann.run(channel, "probe buttons", { private: true });
    await ann.press(asked.last, "Details");
    const before = textOf(asked.last);
    ann.startPress(asked.last, "Share");
    await until(() => bob.sees(channel).length === 1, "the shared reply");
    expect(textOf(asked.last)).toBe(before);
    expect(textOf(bob.sees(channel)[0]!)).not.toContain(LONG_ID);
  });

  test("carries the files along", async () => {
    const asked = await ann.run(channel, "probe files", { count: 2 });
    ann.startPress(asked.last, "Share");
    await until(() => bob.sees(channel).length === 1, "the shared files");
    const [post] = bob.sees(channel);
    expect(post?.files.map((file) => [file.name, file.bytes.toString(), file.description])).toEqual(
      asked.last.files.map((file) => [file.name, file.bytes.toString(), file.description]),
    );
    expect(JSON.stringify(post?.components)).toContain("attachment://chart.png");
  });

  test("is not offered where nobody else is", async () => {
    const asked = await ann.run(on.fake.direct(ann), "probe buttons", { private: true });
    expect(labelsOf(asked.last)).not.toContain("Share");
  });
});

describe("completion", () => {
  test("keeps to what Discord shows", async () => {
    const offered = await ann.complete(channel, "probe complete", "word", "abc");
    expect(offered.length).toBeGreaterThan(20);
    expect(offered.every(({ name, value }) => name.length <= 100 && value.length <= 100)).toBe(true);
  });

  test("answers with nothing rather than too late", async () => {
    expect(await ann.complete(channel, "probe complete", "word", "never")).toEqual([]);
  });
});

describe("when Discord stumbles", () => {
  const original = /\/messages\/@original$/u;
  test.each([500, 502, 503])("an answer refused with %i is sent again", async (status) => {
    on.fake.fail({ method: "PATCH", path: original, answer: { status } });
    expect(textOf((await ann.run(channel, "probe buttons")).last)).toContain("Page 1");
  });

  test("an answer whose connection is cut is sent again, and appears once", async () => {
    on.fake.fail({ method: "PATCH", path: original, answer: "cut-after" });
    const dialog = await ann.run(channel, "probe buttons");
    await until(
      () => on.fake.requests.some((one) => one.path.includes(dialog.interaction.token) && one.method === "PATCH"),
      "the repeat",
    );
    expect(bob.sees(channel)).toHaveLength(1);
  });

  test.each([
    ["that it refuses for its content", 400, 1, ["small-0.csv", "its text"]],
    ["that it refuses for its files", 413, 1, ["its text"]],
    ["whose text it refuses, too,", 400, 2, []],
  ])("an answer %s becomes a word about that, with what it takes", async (_what, status, times, taken) => {
    for (let count = 0; count < times; count += 1) {
      const body = { code: 50_035, message: "Invalid Form Body" };
      on.fake.fail({ method: "PATCH", path: original, answer: { status, body } });
    }
    const { last } = await ann.run(channel, "probe files", { count: 1, ids: true });
    expect(textOf(last)).toContain(plainText(refusedAnswerNotice("Discord").title));
    const words = textOf(last).includes("Party ") ? ["its text"] : [];
    expect([...last.files.map(({ name }) => name), ...words]).toEqual(taken);
  });

  test("a 429 is waited for", async () => {
    const headers = { "retry-after": "0.05", "x-ratelimit-scope": "user" };
    on.fake.fail({
      method: "PATCH",
      path: original,
      answer: { status: 429, headers, body: { message: "slow", retry_after: 0.05, global: false } },
    });
    expect(textOf((await ann.run(channel, "probe buttons")).last)).toContain("Page 1");
  });
});

test("an answer that breaks on its way is not waited for for ever", async () => {
  const broken = await ann.run(channel, "probe fail", { how: "shapeless" });
  const failed = expect.stringContaining(plainText(answerFailedNotice().title));
  expect([textOf(broken.last), broken.messages.length]).toEqual([failed, 1]);
  const asked = await ann.run(channel, "probe buttons");
  const pressed = ann.startPress(asked.last, "Shapeless");
  await until(() => pressed.interaction.produced.length === 1, "a word about it");
  expect([textOf(pressed.last), textOf(asked.last)]).toEqual([failed, expect.stringContaining("Page 1")]);
});

test("an interaction that Discord no longer knows harms nothing", async () => {
  on.fake.expected.add(10_062);
  // The answer is there before the refusal can be: with a pause, the refusal may cancel it before it has a file.
  const dialog = ann.start(channel, "probe hold", { millis: 0 });
  on.fake.state.interactions.delete(dialog.interaction.id);
  await until(
    () => on.fake.requests.some((one) => one.path.includes(dialog.interaction.id) && one.status === 404),
    "the refusal",
  );
  expect(textOf((await ann.run(channel, "probe buttons")).last)).toContain("Page 1");
  await until(() => disposed.includes("late.csv"), "the file to be given up");
});

test("no token is in the log, whatever failed", () => {
  const text = lines.join("");
  const tokens = [...on.fake.state.interactions.values()].map((one) => one.token);
  expect(text).toContain('"event":"answer failed"');
  expect(tokens.filter((token) => text.includes(token))).toEqual([]);
  expect(text).not.toContain(on.fake.state.token);
});
