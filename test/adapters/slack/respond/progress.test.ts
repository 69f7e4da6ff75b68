import { Readable } from "node:stream";

import { describe, expect, test } from "vitest";

import { CONTINUES_IN_DIRECT_MESSAGES } from "../../../../src/adapters/slack/respond/notices.ts";
import { command } from "../../../../src/bot/command.ts";
import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { labelsOf, type Person, PROMISES_NOTHING } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { probe, titled, waiting } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { type Stage, stage } from "../stage.ts";

/** As soon as there is something to show, and then often. */
const timing = { progressAtMillis: [1, 20, 40], progressEveryMillis: 1 };

/** Each direct message that shows progress, as it stands, and the number of its edits. */
async function toldDirectly(who: Person, words: string): Promise<void> {
  await until(() => who.directMessages().some((message) => said(message).includes(words)), `“${words}”`);
  expect(who.directMessages()).toHaveLength(1);
  expect(said(who.directMessages()[0]!)).toContain(PROMISES_NOTHING);
}

async function atWork(extra?: Parameters<typeof stage>[0]): Promise<{ job: ReturnType<typeof waiting>; scene: Stage }> {
  const job = waiting("probe wait");
  return { job, scene: await stage({ extra: [job.command], timing, ...extra }) };
}

/** A command whose first answer is there at once, and whose page is turned by a work that takes its time. */
function pages() {
  const job = waiting("probe wait");
  let calls = 0;
  const turned = command({
    ...job.command,
    run: (context) => {
      calls += 1;
      return calls === 1 ? Promise.resolve(titled("page 1")) : job.command.run(context);
    },
  });
  return { job, turned, calls: () => calls };
}

describe("progress", () => {
  test("at a mention for all to see: one message in the thread, which becomes the answer", async () => {
    // What follows the first word costs nothing there: no hour is waited for.
    const { job, scene: made } = await atWork({ timing: { progressAtMillis: [1, 3_600_000], progressEveryMillis: 1 } });
    await using scene = made;
    const ann = scene.fake.person("ann");
    ann.mention(scene.channel, "probe wait private:no", "1.000001");
    const inThread = () =>
      ann
        .sees(scene.channel)
        .filter(({ thread }) => thread === "1.000001")
        .slice(1);
    await until(() => inThread().length === 1, "the first word");
    expect(said(inThread()[0]!)).toContain("Asking mainnet …");
    for (const step of ["step 1", "step 2", "step 3", "step 4", "step 5"]) {
      job.progress(titled(step));
      await until(() => said(inThread()[0]!).includes(step), step);
    }
    job.finish(titled("all done"));
    await until(() => said(inThread()[0]!).includes("all done"), "the answer");
    expect(inThread()).toHaveLength(1);
    expect(inThread()[0]).toMatchObject({ onlyFor: undefined, edits: 6 });
    expect(ann.directMessages()).toEqual([]);
  });

  test("at a command where Slack replaces nothing: what remains is true, and the answer is there", async () => {
    const { job, scene: made } = await atWork();
    await using scene = made;
    scene.fake.replacesNothing = true;
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.uses === 1, "the first word");
    job.progress(titled("step 1"));
    await until(() => dialog.uses === 2, "the second word");
    job.finish(titled("all done"));
    await dialog.answered();
    const seen = ann.sees(scene.channel).map((message) => said(message));
    expect(seen[0]).toContain("Asking mainnet …");
    expect(seen.some((words) => words.includes("all done"))).toBe(true);
    for (const words of seen) expect(words).not.toMatch(/place|replace/u);
  });

  test("of an upload is shown while it lasts", async () => {
    const release = Promise.withResolvers<void>();
    const slow = {
      ...memoryAttachment("ledger.csv", "text/csv", "first\nlast\n"),
      open: () =>
        Readable.from(
          (async function* () {
            yield "first\n";
            await release.promise;
            yield "last\n";
          })(),
        ),
    };
    const asked = probe("probe slow", () => Promise.resolve(reply({ title: "a file", attachments: [slow] })));
    await using scene = await stage({ extra: [asked], timing: { progressAtMillis: [100], progressEveryMillis: 100 } });
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe slow");
    await until(() => dialog.uses === 1, "a sign of life");
    expect(said(dialog.last)).toMatch(saying("ledger.csv", PROMISES_NOTHING));
    release.resolve();
    await until(() => said(dialog.last).includes("your direct messages"), "the answer");
  });

  test("at a command: three times where it was typed, then direct messages, which go", async () => {
    const { job, scene: made } = await atWork();
    await using scene = made;
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.uses === 1, "the first word");
    for (const uses of [2, 3]) {
      job.progress(titled(`step ${uses}`));
      await until(() => dialog.uses === uses, `step ${uses}`);
    }
    expect(said(dialog.last)).toContain(CONTINUES_IN_DIRECT_MESSAGES);
    for (const step of ["step 4", "step 5"]) {
      job.progress(titled(step));
      await toldDirectly(ann, step);
    }
    expect(said(dialog.last)).toContain("step 3");
    job.finish(titled("all done"));
    await until(() => said(dialog.last).includes("all done"), "the answer");
    expect(dialog.messages).toHaveLength(1);
    expect(dialog.uses).toBe(4);
    await until(() => ann.directMessages().length === 0, "the other to go");
  });

  test("its buttons stand below it, and are its asker's", async () => {
    const { job, scene: made } = await atWork();
    await using scene = made;
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.messages.length === 1, "the first word");
    const action = { label: "How is time?", invocation: { command: "time", options: {} }, effect: "reply" } as const;
    const shown = (): boolean => labelsOf(dialog.last.blocks).includes("How is time?");
    while (!shown() && dialog.uses < 3) {
      job.progress(reply({ title: "step", actions: [action] }));
      await until(() => shown() || dialog.uses === 3, "the step");
    }
    const pressed = await ann.press(dialog.last, "How is time?");
    expect(said(pressed.last)).toContain("etwork");
    job.finish(titled("all done"));
    await until(() => said(dialog.last).includes("all done"), "the answer");
    expect(labelsOf(dialog.last.blocks)).not.toContain("How is time?");
  });

  test("at a mention whose answer fails: what all saw goes, the error is the asker's", async () => {
    const { job, scene: made } = await atWork();
    await using scene = made;
    const ann = scene.fake.person("ann");
    ann.mention(scene.channel, "probe wait private:no", "1.000001");
    await until(() => ann.sees(scene.channel).length === 2, "the first word");
    const [, standing] = ann.sees(scene.channel);
    job.finish(reply({ title: "It went wrong", failure: "network", tone: "bad" }));
    await until(() => standing!.gone, "it to go");
    const left = ann.sees(scene.channel).slice(1);
    expect(left.map((message) => [message.onlyFor, said(message).includes("It went wrong")])).toEqual([[ann.id, true]]);
  });

  test("at a mention for the asker alone: a first word there, then direct messages, which go", async () => {
    const { job, scene: made } = await atWork();
    await using scene = made;
    const ann = scene.fake.person("ann");
    ann.mention(scene.channel, "probe wait private:yes", "1.000001");
    await until(() => ann.sees(scene.channel).length === 2, "the first word");
    expect(said(ann.sees(scene.channel)[1]!)).toContain("Asking mainnet …");
    job.progress(titled("step 1"));
    await toldDirectly(ann, "step 1");
    job.progress(titled("step 2"));
    await toldDirectly(ann, "step 2");
    job.finish(titled("all done"));
    await until(() => ann.sees(scene.channel).length === 3, "the answer");
    expect(said(ann.sees(scene.channel)[2]!)).toContain("all done");
    await until(() => ann.directMessages().length === 0, "the other to go");
  });

  test("at a button: a first word there, then direct messages, which go", async () => {
    const job = waiting("probe wait");
    const asked = command({
      ...job.command,
      name: "probe first",
      run: () =>
        Promise.resolve(
          reply({
            title: "first",
            actions: [{ label: "Below", invocation: { command: "probe wait", options: {} }, effect: "reply" }],
          }),
        ),
    });
    await using scene = await stage({ extra: [job.command, asked], timing });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe first");
    const press = ann.startPress(last, "Below");
    await until(() => press.messages.length === 1, "the first word");
    expect(press.messages[0]!.onlyFor).toBe(ann.id);
    job.progress(titled("step 1"));
    await toldDirectly(ann, "step 1");
    job.progress(titled("step 2"));
    await toldDirectly(ann, "step 2");
    job.finish(titled("all done"));
    await press.answered();
    expect(said(press.last)).toContain("all done");
    expect(press.last.onlyFor).toBe(ann.id);
    expect(press.uses).toBe(2);
    await until(() => ann.directMessages().length === 0, "the other to go");
  });

  test("at a page that is turned: the page stays, direct messages tell, and it is changed once", async () => {
    const { job, turned, calls } = pages();
    await using scene = await stage({ extra: [turned], timing });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe wait");
    const press = ann.startPress(last, "Refresh");
    await until(() => calls() === 2, "the work");
    job.progress(titled("step 1"));
    await toldDirectly(ann, "step 1");
    expect(said(last)).toContain("page 1");
    job.finish(titled("page 2"));
    await until(() => said(last).includes("page 2"), "the page");
    expect(last.edits).toBe(1);
    expect(press.uses).toBe(1);
    await until(() => ann.directMessages().length === 0, "the other to go");
  });

  test("at a page that is turned soon: nothing", async () => {
    const { job, turned, calls } = pages();
    await using scene = await stage({
      extra: [turned],
      timing: { progressAtMillis: [1], progressEveryMillis: 3_600_000 },
    });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe wait");
    ann.startPress(last, "Refresh");
    await until(() => calls() === 2, "the work");
    for (const line of ["help", "help time"]) await ann.run(scene.channel, line);
    expect(ann.directMessages()).toEqual([]);
    job.finish(titled("page 2"));
    await until(() => said(last).includes("page 2"), "the page");
  });

  test("at a form that a button opened: the same", async () => {
    const job = waiting("probe wait");
    const asking = command({
      ...job.command,
      options: { note: { kind: "text", required: true, description: "Anything", example: "x" } },
    });
    await using scene = await stage({ extra: [asking], timing });
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "views.open", answer: { error: "expired_trigger_id" } });
    const { last } = await ann.run(scene.channel, "probe wait");
    const press = ann.startPress(last, "Fill in");
    expect(await ann.submit(await ann.form(), { note: "x" })).toEqual({});
    await until(() => press.messages.length === 1, "the first word");
    job.progress(titled("step 1"));
    await toldDirectly(ann, "step 1");
    job.finish(titled("all done"));
    await until(() => press.messages.length === 2, "the answer");
    expect(said(press.last)).toContain("all done");
    await until(() => ann.directMessages().length === 0, "the other to go");
  });

  test("that cannot be shown, or is taken away meanwhile, spoils no answer", async () => {
    const { job, scene: made } = await atWork();
    await using scene = made;
    const ann = scene.fake.person("ann");
    scene.fake.expected.add("message_not_found");
    ann.mention(scene.channel, "probe wait private:no", "1.000001");
    await until(() => ann.sees(scene.channel).length === 2, "the first word");
    ann.sees(scene.channel)[1]!.gone = true;
    job.finish(titled("all done"));
    await until(() => ann.sees(scene.channel).some((message) => said(message).includes("all done")), "the answer");
    scene.fake.fail({ method: "chat.postEphemeral", answer: { error: "user_not_in_channel" } });
    const second = ann.mention(scene.channel, "time", "1.000002");
    await until(() => second.acknowledgedAfter !== undefined, "the acknowledgement");
    await until(
      () => [...ann.sees(scene.channel), ...ann.directMessages()].some((message) => said(message).includes("etwork")),
      "the other answer",
    );
  });
});
