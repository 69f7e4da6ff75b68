import { expect, test } from "vitest";

import { restartedNotice } from "../../../../src/adapters/chat/notices.ts";
import { type AnyCommand, command } from "../../../../src/bot/command.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { reply, type Reply } from "../../../../src/reply/reply.ts";
import type { FakeDiscord } from "../../../support/fake-discord/fake-discord.ts";
import { labelsOf, textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { rememberedIn } from "../../../support/open-answers.ts";
import { titled, waiting } from "../../slack/probe-commands.ts";
import { type Stage, stage, type StageOptions } from "../stage.ts";

const QUESTION = { kind: "code", text: "x" } as const;
const CLOSED = plainText(restartedNotice(QUESTION, undefined, false).title);
const UNCERTAIN = plainText(restartedNotice(QUESTION, undefined, true).title);

/** A bot with a command that takes as long as the test says. The first process is never told that it is dead. */
async function withJob(options: StageOptions = {}, job = waiting("probe wait")) {
  const scene = await stage({ extra: [job.command], rememberedAfter: 30, simulated: false, ...options });
  return {
    job,
    scene,
    async [Symbol.asyncDispose]() {
      job.finish(titled("too late"));
      await scene[Symbol.asyncDispose]();
    },
  };
}

const rowsOf = ({ database }: Stage) => rememberedIn(database);

/** How often something was said about an interaction after its acknowledgement. */
function sentIn({ requests }: FakeDiscord): number {
  return requests.filter(({ path }) => path.startsWith("/webhooks/")).length;
}

test("what a dead process left open is closed by one edit, with a button that asks again; never twice", async () => {
  await using made = await withJob();
  const { scene } = made;
  const ann = scene.fake.person("Ann");
  const dialog = ann.start(scene.channel, "probe wait", { note: "secret words" });
  await until(() => rowsOf(scene).length === 1, "the note");
  // Neither the question nor the token stands there in plain words.
  expect(rowsOf(scene)[0]!.sealed).not.toMatch(/secret|token|probe/u);
  await scene.twin();
  await until(() => rowsOf(scene).length === 0, "the end");
  expect(textOf(dialog.last)).toContain(CLOSED);
  expect(textOf(dialog.last)).toContain("secret words");
  expect(labelsOf(dialog.last)).toEqual(["Ask again"]);
  expect(dialog.messages).toHaveLength(1);
  const sent = sentIn(scene.fake);
  await scene.twin();
  expect(sentIn(scene.fake)).toBe(sent);
});

test("progress that stands there is replaced as well", async () => {
  await using made = await withJob();
  const { job, scene } = made;
  const dialog = scene.fake.person("Ann").start(scene.channel, "probe wait");
  await until(() => rowsOf(scene).length === 1, "the note");
  job.progress(titled("asking the node"));
  await until(() => textOf(dialog.last).includes("asking the node"), "progress");
  await scene.twin();
  await until(() => textOf(dialog.last).includes(CLOSED), "the end");
  expect(textOf(dialog.last)).not.toContain("asking the node");
});

test("a quick answer is not remembered, nor one that was given", async () => {
  await using made = await withJob({ rememberedAfter: 600_000 });
  const { job, scene } = made;
  const dialog = scene.fake.person("Ann").start(scene.channel, "probe wait");
  await until(() => dialog.messages.length === 1, "the acknowledgement");
  const sent = sentIn(scene.fake);
  await scene.twin();
  expect(rowsOf(scene)).toEqual([]);
  expect(sentIn(scene.fake)).toBe(sent);
  job.finish(titled("done"));
  await dialog.answered();

  await using later = await withJob();
  const asked = later.scene.fake.person("Bob").start(later.scene.channel, "probe wait");
  await until(() => rowsOf(later.scene).length === 1, "the note");
  later.job.finish(titled("done"));
  await asked.answered();
  await until(() => rowsOf(later.scene).length === 0, "its end");
  expect(textOf(asked.last)).toContain("done");
});

test("an answer that may have arrived is not overwritten: a second message says what to do if it is missing", async () => {
  await using made = await withJob();
  const { job, scene } = made;
  const ann = scene.fake.person("Ann");
  const dialog = ann.start(scene.channel, "probe wait");
  await until(() => rowsOf(scene).length === 1, "the note");
  // Discord takes it, and the process dies before it hears so.
  scene.fake.fail({ method: "PATCH", path: /@original$/u, answer: "hang-after" });
  job.finish(titled("here it is"));
  await until(() => textOf(dialog.last).includes("here it is"), "the answer");
  expect(rowsOf(scene)).toMatchObject([{ answering: 1 }]);
  await scene.twin();
  await until(() => dialog.messages.length === 2, "the second message");
  const [answer, notice] = dialog.messages;
  expect(textOf(answer!)).toContain("here it is");
  expect(textOf(notice!)).toContain(UNCERTAIN);
  expect(notice!.onlyFor).toBe(ann.id);
  await until(() => rowsOf(scene).length === 0, "the end");
});

test("a page stays where its next one is broken off: the notice stands below, for who turned it", async () => {
  const job = waiting("probe wait");
  let calls = 0;
  const page = reply({
    title: "page 1",
    actions: [{ label: "Next", invocation: { command: "probe wait", options: {} }, effect: "replace" }],
  });
  const turned: AnyCommand = {
    ...job.command,
    run: (context) => (++calls === 1 ? Promise.resolve(page) : job.command.run(context)),
  };
  await using made = await withJob({}, { ...job, command: turned });
  const { scene } = made;
  const ann = scene.fake.person("Ann");
  const first = await ann.run(scene.channel, "probe wait");
  // A busy machine may have taken so long for it that it was remembered.
  await until(() => rowsOf(scene).length === 0, "the end of the first page");
  const pressed = ann.startPress(first.last, "Next");
  await until(() => rowsOf(scene).length === 1, "the note");
  await scene.twin();
  await until(() => pressed.messages.length === 2, "the notice");
  expect(textOf(pressed.messages[0]!)).toContain("page 1");
  expect(textOf(pressed.last)).toContain(CLOSED);
  expect(pressed.last.onlyFor).toBe(ann.id);
});

test("a command that changes something may be done: it has no button, and names the command that shows it", async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const changing = command({
    name: "probe change",
    summary: "Changes something",
    examples: [],
    access: "everyone",
    changes: true,
    shownBy: "alerts list",
    run: () => promise,
  });
  await using scene = await stage({ extra: [changing], rememberedAfter: 30, simulated: false });
  const dialog = scene.fake.person("Ann").start(scene.channel, "probe change");
  await until(() => rowsOf(scene).length === 1, "the note");
  await scene.twin();
  await until(() => rowsOf(scene).length === 0, "the end");
  expect(textOf(dialog.last)).toMatch(/alerts list/u);
  expect(textOf(dialog.last)).not.toContain(CLOSED);
  expect(labelsOf(dialog.last)).toEqual([]);
  resolve(titled("too late"));
});

test("another key closes nothing and deletes nothing; the right one does", async () => {
  const keys = [1, 2, 1].map((fill) => new Uint8Array(32).fill(fill));
  await using made = await withJob({ secretKeys: keys });
  const { scene } = made;
  const dialog = scene.fake.person("Ann").start(scene.channel, "probe wait");
  await until(() => rowsOf(scene).length === 1, "the note");
  const sent = sentIn(scene.fake);
  await scene.twin();
  expect(sentIn(scene.fake)).toBe(sent);
  expect(rowsOf(scene)).toHaveLength(1);
  await scene.twin();
  await until(() => textOf(dialog.last).includes(CLOSED), "the end");
});

test("after 15 minutes nothing is closed", async () => {
  await using made = await withJob();
  const { scene } = made;
  const dialog = scene.fake.person("Ann").start(scene.channel, "probe wait");
  await until(() => rowsOf(scene).length === 1, "the note");
  const { expires_at: expiresAt } = (await scene.store.openAnswers.left("discord", "none"))[0]!;
  expect(expiresAt - dialog.interaction.createdAt).toBeLessThanOrEqual(15 * 60_000 + 1000);
  const sent = sentIn(scene.fake);
  const left = { ...(await scene.store.openAnswers.left("discord", "none"))[0]!, expires_at: Date.now() };
  await scene.store.openAnswers.put(left);
  await scene.twin();
  expect(sentIn(scene.fake)).toBe(sent);
});
