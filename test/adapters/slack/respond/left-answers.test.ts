import { expect, test } from "vitest";

import { KeyRing } from "../../../../src/adapters/chat/key-ring.ts";
import { restartedNotice } from "../../../../src/adapters/chat/notices.ts";
import { Left } from "../../../../src/adapters/slack/respond/place.ts";
import { command } from "../../../../src/bot/command.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { labelsOf } from "../../../support/fake-slack/person.ts";
import { rememberedIn } from "../../../support/open-answers.ts";
import { titled, waiting } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { type Stage, stage, type StageOptions } from "../stage.ts";

const QUESTION = { kind: "code", text: "x" } as const;
const CLOSED = plainText(restartedNotice(QUESTION, undefined, false).title);
const UNCERTAIN = plainText(restartedNotice(QUESTION, undefined, true).title);

/** The first word of progress at once, and nothing more for an hour. */
const timing = { progressAtMillis: [1, 3_600_000], progressEveryMillis: 3_600_000 };

/** A bot with a command that takes as long as the test says. The first process is never told that it is dead. */
async function withJob(options: StageOptions = {}) {
  const job = waiting("probe wait");
  const scene = await stage({ extra: [job.command], rememberedAfter: 30, timing, ...options });
  return {
    job,
    scene,
    ann: scene.fake.person("ann"),
    async [Symbol.asyncDispose]() {
      job.finish(titled("too late"));
      await scene[Symbol.asyncDispose]();
    },
  };
}

const rowsOf = ({ database }: Stage) => rememberedIn(database);

/** Where the answer stands, as it is remembered. */
function placeOf(scene: Stage): Partial<Record<string, unknown>> | undefined {
  const [row] = rowsOf(scene);
  const opened = row && new KeyRing([new Uint8Array(32)]).open(row.sealed, `open answer slack/${row.id}`);
  return opened === undefined ? undefined : Left.parse(JSON.parse(opened)).place;
}

/** Resolves once the answer is remembered; with `progress`, that as well. */
const remembered = (scene: Stage, progress?: "shown" | "posted" | "direct"): Promise<void> =>
  until(() => {
    const place = placeOf(scene);
    return place !== undefined && (progress === undefined || Boolean(place[progress]));
  }, "the note");
const closed = (scene: Stage): Promise<void> => until(() => rowsOf(scene).length === 0, "the end");

test("a command's answer is closed once, in place of its progress, with a button that asks again", async () => {
  await using made = await withJob();
  const { ann, scene } = made;
  const dialog = ann.type(scene.channel, "probe wait note:secret");
  await remembered(scene, "shown");
  expect(rowsOf(scene)[0]!.sealed).not.toMatch(/secret|respond|probe/u);
  await scene.twin();
  await closed(scene);
  expect(dialog.messages).toHaveLength(1);
  expect(said(dialog.last)).toContain(CLOSED);
  expect(said(dialog.last)).toContain("secret");
  expect(dialog.last.onlyFor).toBe(ann.id);
  expect(labelsOf(dialog.last.blocks)).toEqual(["Ask again"]);
  const { uses } = dialog;
  await scene.twin();
  expect(dialog.uses).toBe(uses);
  expect(ann.directMessages()).toEqual([]);
});

test("progress in a direct message goes, and the answer is closed where it was asked for", async () => {
  await using made = await withJob({ timing: { progressAtMillis: [1, 2, 3], progressEveryMillis: 1 } });
  const { ann, job, scene } = made;
  const dialog = ann.type(scene.channel, "probe wait");
  await until(() => {
    job.progress(titled("step"));
    return ann.directMessages().length === 1;
  }, "progress in a direct message");
  await remembered(scene, "direct");
  // The first process goes on.
  scene.fake.expected.add("message_not_found");
  await scene.twin();
  await closed(scene);
  expect(said(dialog.last)).toContain(CLOSED);
  expect(ann.directMessages()).toEqual([]);
});

test("public progress of a mention goes, and the asker alone is told", async () => {
  await using made = await withJob();
  const { ann, scene } = made;
  ann.mention(scene.channel, "probe wait private:no", "1.000001");
  const others = scene.fake.person("bob");
  const inThread = (who: typeof ann) => who.sees(scene.channel).filter(({ thread }) => thread === "1.000001");
  await until(() => inThread(others).length === 2, "the first word");
  await remembered(scene, "posted");
  // The first process goes on.
  scene.fake.expected.add("message_not_found");
  await scene.twin();
  await until(() => inThread(ann).some((one) => said(one).includes(CLOSED)), "the notice");
  await until(() => inThread(others).length === 1, "the end of the progress");
  await closed(scene);
});

test("an answer in a modal is closed there", async () => {
  await using made = await withJob();
  const { ann, scene } = made;
  ann.shortcut("Ask Bellwether");
  const form = await ann.form();
  await ann.submit(form, { "ask:line": "probe wait" });
  await remembered(scene);
  await scene.twin();
  expect(said(await ann.answerInView())).toContain(CLOSED);
  await closed(scene);
});

test("a quick answer is not remembered", async () => {
  await using made = await withJob({ rememberedAfter: 600_000 });
  const { ann, scene } = made;
  const dialog = ann.type(scene.channel, "probe wait");
  await until(() => dialog.uses === 1, "the first word");
  await scene.twin();
  expect(rowsOf(scene)).toEqual([]);
  expect(dialog.uses).toBe(1);
});

test("an answer that was given is remembered no longer", async () => {
  await using made = await withJob();
  const { ann, job, scene } = made;
  const dialog = ann.type(scene.channel, "probe wait");
  await remembered(scene);
  job.finish(titled("done"));
  await dialog.answered();
  await closed(scene);
  const { uses } = dialog;
  await scene.twin();
  expect(dialog.uses).toBe(uses);
});

test("an answer that may have arrived stays: a second message says what to do if it is missing", async () => {
  await using made = await withJob();
  const { ann, job, scene } = made;
  const dialog = ann.type(scene.channel, "probe wait");
  await remembered(scene, "shown");
  scene.fake.fail({ method: "respond", answer: "hang-after" });
  job.finish(titled("here it is"));
  await until(() => said(dialog.last).includes("here it is"), "the answer");
  expect(rowsOf(scene)).toMatchObject([{ answering: 1 }]);
  await scene.twin();
  await until(() => dialog.messages.length === 2, "the second message");
  expect(said(dialog.messages[0]!)).toContain("here it is");
  expect(said(dialog.last)).toContain(UNCERTAIN);
  await closed(scene);
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
  await using made = await withJob({ extra: [changing] });
  const { ann, scene } = made;
  const dialog = ann.type(scene.channel, "probe change");
  await remembered(scene, "shown");
  await scene.twin();
  await closed(scene);
  expect(said(dialog.last)).toContain("alerts list");
  expect(labelsOf(dialog.last.blocks)).toEqual([]);
  resolve(titled("too late"));
});

test("another key closes nothing and deletes nothing; the right one does", async () => {
  const keys = [1, 2, 1].map((fill) => new Uint8Array(32).fill(fill));
  await using made = await withJob({ secretKeys: keys });
  const { ann, scene } = made;
  const dialog = ann.type(scene.channel, "probe wait");
  await until(() => dialog.uses === 1 && rowsOf(scene).length === 1, "the note");
  await scene.twin();
  expect(dialog.uses).toBe(1);
  expect(rowsOf(scene)).toHaveLength(1);
  await scene.twin();
  await until(() => said(dialog.last).includes(CLOSED), "the end");
});
