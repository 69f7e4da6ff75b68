import { expect, it } from "vitest";

import type { DispatchDependencies } from "../../../../src/alerts/deliver/dispatch/dispatch.ts";
import { SendError } from "../../../../src/alerts/sender.ts";
import { memoryAttachment } from "../../../../src/reply/reply.ts";
import type { SendOutcome } from "../../../support/fake-sender.ts";
import { describeAlert, isRepeat } from "../../../support/gist.ts";
import { openStage, type Stage, type StageOptions } from "../../stage.ts";
import { message, ops, owedWithout } from "./killed.ts";

// The words of a message arrive first. Its files follow, and hold up no other message of its channel.

/** A message whose words have arrived, and this has become of its files. */
async function posted(outcome: SendOutcome, options: StageOptions = {}) {
  const stage = await openStage(options);
  const [sender] = stage.senders;
  sender!.outcome = () => outcome;
  const id = await stage.owe(ops, message);
  await rest(stage);
  sender!.outcome = () => "ok";
  return { stage, sender: sender!, id, row: async () => (await stage.delivery(id))!.row };
}

/** All that is due now comes to its end. */
async function rest(stage: Stage): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await stage.pass(0);
}

const revise = async (stage: Stage, id: string): Promise<void> => {
  await stage.store.transaction(({ alerts: { outbox } }) => outbox.revise([id], {}, stage.now(), stage.now()));
  stage.dispatcher.wake();
  await rest(stage);
};

it("another message of the channel arrives while files are on their way, and the words are there once", async () => {
  const { stage, sender, id, row } = await posted("files-hang");
  expect(await row()).toMatchObject({ state: "sending", shown: 0, settled_at: stage.now() });
  expect((await stage.delivery(id))?.receipt).toMatchObject({ message: "1" });
  const next = await stage.owe(ops, message);
  await rest(stage);
  expect(sender.posts.map(({ delivery }) => delivery.id)).toEqual([id, next]);
  sender.outcome = () => ({ files: "ok" });
  await stage.pass(59_999);
  expect([sender.files, (await row()).state]).toEqual([[], "sending"]);
  await stage.pass(1);
  expect(await row()).toMatchObject({ state: "owed", shown: 0, uncertain_since: null });
  await stage.pass(1000);
  expect([sender.files, sender.posts.length, sender.edits.length]).toEqual([["1"], 2, 1]);
  expect(await row()).toMatchObject({ state: "sent", shown: 0 });
  sender.take();
  sender.takeEdits();
});

it("edits of other messages go on; one of its own follows once the files have ended", async () => {
  const { stage, sender, id } = await posted("ok");
  sender.outcome = () => "files-hang";
  const slow = await stage.owe(ops, message);
  await rest(stage);
  sender.outcome = () => "ok";
  await revise(stage, id);
  expect(sender.edits.map((edit) => edit.message)).toEqual(["1"]);
  // It must not wait for its own edit, either.
  await revise(stage, slow);
  await revise(stage, id);
  expect(sender.edits.map((edit) => edit.message)).toEqual(["1", "1"]);
  await stage.pass(61_000);
  expect(sender.edits.map((edit) => edit.message)).toEqual(["1", "1", "2"]);
  expect((await stage.delivery(slow))?.row).toMatchObject({ state: "sent", revision: 1, shown: 1 });
  sender.take();
  sender.takeEdits();
});

it("an edit that brings files holds up nothing, either", async () => {
  const { stage, sender, id, row } = await posted("ok");
  const other = await stage.owe(ops, message);
  await rest(stage);
  sender.outcome = () => "files-hang";
  await revise(stage, id);
  expect(await row()).toMatchObject({ state: "sending", revision: 1, shown: 1 });
  sender.outcome = () => "ok";
  await revise(stage, other);
  expect(sender.edits.map((edit) => edit.message)).toEqual(["1", "2"]);
  const next = await stage.owe(ops, message);
  await rest(stage);
  expect(sender.posts.at(-1)?.delivery.id).toBe(next);
  sender.take();
  sender.takeEdits();
});

it("a process that is killed in between leaves the files to the next one, which does not post the words again", async () => {
  const { stage, sender, start, row } = await owedWithout();
  const first = await start("files-hang");
  expect(await row()).toMatchObject({ state: "sending", shown: 0 });
  first.kill();
  await start({ files: "ok" });
  expect(await row()).toMatchObject({ state: "owed", shown: 0, uncertain_since: null, interruptions: 1 });
  await stage.clock.advance(9999);
  expect(sender.files).toEqual([]);
  await stage.clock.advance(1);
  expect(await row()).toMatchObject({ state: "sent", interruptions: 0 });
  expect([sender.files, sender.posts.length]).toEqual([["1"], 1]);
  expect(sender.edits.map(({ reply }) => isRepeat(reply))).toEqual([false]);
  sender.take();
  sender.takeEdits();
});

it("files whose process is killed each time come 8 times within an hour at most, and their words once", async () => {
  const { stage, sender, start } = await owedWithout();
  for (let restart = 0; restart < 720; restart += 1) {
    const process = await start("files-hang");
    await stage.clock.advance(4900);
    process.kill();
    await stage.clock.advance(100);
  }
  expect([sender.posts.length, sender.edits.length]).toEqual([1, 7]);
  sender.take();
  sender.takeEdits();
}, 60_000);

it("a process that is stopped leaves the files to the next one at once", async () => {
  const { sender, start, row } = await owedWithout();
  await (await start("files-hang")).stop();
  expect(await row()).toMatchObject({ state: "owed", shown: 0, interruptions: 0 });
  await start({ files: "ok" });
  expect([sender.files, sender.posts.length]).toEqual([["1"], 1]);
  sender.take();
  sender.takeEdits();
});

it.each(["content", "permanent", "gone"] as const)(
  "where files are refused (%s), an edit makes the message plain text, and its channel stays reachable",
  async (kind) => {
    const { stage, sender, row } = await posted({ files: new SendError(kind, "no files here") });
    expect(await row()).toMatchObject({ state: "sent", revision: 1, shown: 1, last_error: null });
    expect(sender.edits.map(({ plain }) => plain)).toEqual([true]);
    expect(await stage.engine.decisions({ destination: "fake//ops/", limit: 9 })).toMatchObject([
      { what: "content refused" },
    ]);
    sender.take();
    sender.takeEdits();
  },
);

it("a wait that the platform asks for files holds for them alone", async () => {
  const limited = new SendError("retry", "429", { retryAfterMillis: 30_000 });
  const { stage, sender, id, row } = await posted({ files: limited });
  expect(await row()).toMatchObject({ state: "owed", run_at: stage.now() + 30_000 });
  const next = await stage.owe(ops, message);
  await rest(stage);
  expect(sender.posts.map(({ delivery }) => delivery.id)).toEqual([id, next]);
  sender.take();
});

it("files are tried with growing pauses, and a change of the words waits for none of them", async () => {
  const failing = { files: new SendError("retry", "no answer") };
  const { stage, sender, id, row } = await posted(failing);
  sender.outcome = () => failing;
  for (const pause of [1000, 2000, 4000]) {
    expect((await row()).run_at).toBe(stage.now() + pause);
    await stage.pass(pause);
  }
  expect([sender.posts.length, sender.edits.length]).toEqual([1, 3]);
  sender.outcome = () => ({ files: "ok" });
  await revise(stage, id);
  expect(await row()).toMatchObject({ state: "sent", revision: 1, shown: 1 });
  expect(sender.files).toEqual(["1"]);
  sender.take();
  sender.takeEdits();
});

it("where files cannot be brought for a day, an edit makes the message plain text", async () => {
  const { stage, sender, row } = await posted({ files: new SendError("retry", "no answer") });
  sender.outcome = () => ({ files: new SendError("retry", "no answer") });
  await stage.pass(86_400_000);
  await stage.pass(1_000_000);
  expect(await row()).toMatchObject({ state: "sent", revision: 1, shown: 1 });
  expect([sender.posts.length, sender.edits.at(-1)?.plain]).toEqual([1, true]);
  sender.take();
  sender.takeEdits();
}, 60_000);

it("what joins a message while its files are on their way is an edit", async () => {
  const { stage, sender, id, row } = await posted("files-hang");
  await revise(stage, id);
  expect(await row()).toMatchObject({ state: "sending", revision: 1, shown: 0 });
  const next = await stage.owe(ops, message);
  await rest(stage);
  expect(sender.posts.at(-1)?.delivery.id).toBe(next);
  await stage.pass(61_000);
  expect(await row()).toMatchObject({ state: "sent", revision: 1, shown: 1 });
  sender.take();
  sender.takeEdits();
});

it("the message about an export holds up nothing while its file is packed", async () => {
  const packing = Promise.withResolvers<void>();
  const describe: DispatchDependencies["describe"] = async (alert, context) => {
    if (alert.type === "export") await packing.promise;
    return describeAlert(alert, context);
  };
  const stage = await openStage({ describe });
  const ended = { type: "export", job: "7k2m9xqd", at: "1" } as const;
  const slow = await stage.owe(ops, ended);
  await rest(stage);
  const next = await stage.owe(ops, message);
  await rest(stage);
  expect(stage.sender.posts.map(({ delivery }) => delivery.id)).toEqual([next]);
  packing.resolve();
  await rest(stage);
  expect(stage.sender.posts.map(({ delivery }) => delivery.id)).toEqual([next, slow]);
  stage.sender.take();
});

it("a message with files counts once, and its files are given up when it has ended", async () => {
  let disposed = 0;
  const csv = { ...memoryAttachment("a.csv", "text/csv", "a\n"), dispose: async () => void (disposed += 1) };
  const describe: DispatchDependencies["describe"] = (alert, context) => ({
    ...describeAlert(alert, context),
    attachments: [csv],
  });
  const outcomes: string[] = [];
  const { stage, sender, row } = await posted(
    { files: "ok" },
    { describe, onOutcome: ({ outcome }) => outcomes.push(outcome) },
  );
  expect([(await row()).state, outcomes, disposed]).toEqual(["sent", ["sent"], 1]);
  sender.outcome = () => new SendError("permanent", "400");
  await stage.owe(ops, message);
  await rest(stage);
  expect([outcomes, disposed]).toEqual([["sent", "dead"], 2]);
  sender.take();
});
