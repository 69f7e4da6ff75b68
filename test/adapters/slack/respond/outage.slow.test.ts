import { PassThrough } from "node:stream";

import { describe, expect, test } from "vitest";

import { expiredNotice, POSSIBLE_DUPLICATE } from "../../../../src/adapters/slack/respond/notices.ts";
import { createLog } from "../../../../src/log.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { toText } from "../../../../src/reply/text.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { labelsOf, PROMISES_NOTHING } from "../../../support/fake-slack/person.ts";
import { countedFile, probe, titled, waiting } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";
import { VirtualWaits } from "../virtual-waits.ts";

const MINUTE = 60_000;

/** No progress comes in between. */
const quiet = { progressAtMillis: [], progressEveryMillis: 3_600_000 };

describe("Slack is gone when an answer is ready", () => {
  test.each([
    ["offline", 8 * MINUTE, {}],
    // Each call hangs until it is given up; what takes long on a busy machine must not be.
    ["silent", MINUTE / 2, { callMillis: 400 }],
  ] as const)("%s for %d ms: the answer comes, once", async (how, millis, more) => {
    const job = waiting("probe wait");
    const waits = new VirtualWaits();
    await using scene = await stage({ extra: [job.command], waits, timing: { ...quiet, ...more } });
    const { fake } = scene;
    const ann = fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    fake[how] = true;
    job.finish(titled("here at last"));
    await waits.pass(millis);
    expect(fake.state.messages).toEqual([]);
    expect(dialog.uses).toBe(0);
    fake[how] = false;
    await waits.passUntil(() => ann.directMessages().length + dialog.messages.length > 0, "the answer");
    fake.release();
    const [answer] = [...ann.directMessages(), ...dialog.messages];
    expect(said(answer!)).toContain("here at last");
    // Each try broke off without a word: nobody knows whether one of them arrived.
    expect(said(answer!)).toContain(POSSIBLE_DUPLICATE);
    await until(() => waits.waiting === 0, "nothing more to be tried");
    expect(fake.state.messages).toHaveLength(1);
  });

  test("a mention's answer comes into its thread when Slack is back within the minute", async () => {
    const job = waiting("probe wait");
    const waits = new VirtualWaits();
    await using scene = await stage({ extra: [job.command], waits, timing: quiet });
    const { fake } = scene;
    const ann = fake.person("ann");
    const mention = ann.mention(scene.channel, "probe wait", "1.000001");
    await until(() => mention.acknowledgedAfter !== undefined, "the acknowledgement");
    for (const method of ["chat.postMessage", "conversations.open"]) {
      fake.fail({ method, answer: { status: 503 } });
    }
    job.finish(titled("in the thread"));
    await waits.passUntil(() => ann.sees(scene.channel).length === 2, "the answer");
    const answer = ann.sees(scene.channel)[1]!;
    expect(answer).toMatchObject({ thread: "1.000001", onlyFor: undefined });
    // A 503 is certain: nothing arrived.
    expect(said(answer)).not.toContain(POSSIBLE_DUPLICATE);
  });

  test("one that may have arrived in its thread before says so there, too", async () => {
    const waits = new VirtualWaits();
    await using scene = await stage({ waits, timing: quiet });
    const { fake } = scene;
    const ann = fake.person("ann");
    fake.fail({ method: "chat.postEphemeral", answer: "cut-after" });
    fake.fail({ method: "conversations.open", answer: { status: 503 } });
    ann.mention(scene.channel, "help", "1.000001");
    const answers = () => ann.sees(scene.channel).slice(1);
    await waits.passUntil(() => answers().length === 2, "the answer again");
    expect(answers().map((message) => said(message).includes(POSSIBLE_DUPLICATE))).toEqual([false, true]);
  });

  test("its files are sent with it, each once", async () => {
    const files = [countedFile("a.csv", "a\n"), countedFile("b.csv", "b\n")];
    const asked = probe("probe files", () =>
      Promise.resolve(reply({ title: "two files", attachments: files.map(({ file }) => file) })),
    );
    const waits = new VirtualWaits();
    await using scene = await stage({ extra: [asked], waits, timing: quiet });
    const { fake } = scene;
    const ann = fake.person("ann");
    // One file does not arrive at first, and the answer nowhere.
    fake.fail({ method: "files.getUploadURLExternal", answer: "cut-before" });
    fake.fail({ method: "respond", answer: { status: 503 } });
    fake.fail({ method: "chat.postMessage", answer: { status: 503 } });
    const dialog = ann.type(scene.channel, "probe files");
    await waits.passUntil(() => ann.sees(scene.channel).length > 0, "the answer");
    expect(said(dialog.last)).toContain("two files");
    const sent = ann.directMessages().flatMap((message) => message.files.map(({ name }) => name));
    expect(sent.toSorted()).toEqual(["SIMULATED-a.csv", "SIMULATED-b.csv"]);
    await until(() => files.every(({ disposed }) => disposed() === 1), "the files to be given up");
  });

  test("for longer than half an hour: it is given up, and the log says so", async () => {
    const file = countedFile("a.csv", "a\n");
    const job = waiting("probe wait");
    const waits = new VirtualWaits();
    await using scene = await stage({ extra: [job.command], waits, timing: quiet });
    const { fake } = scene;
    const ann = fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    fake.offline = true;
    job.finish(reply({ title: "never seen", attachments: [file.file] }));
    await waits.passUntil(() => file.disposed() > 0, "another try, or the end");
    expect(waits.passed).toBeGreaterThan(25 * MINUTE);
    expect(waits.passed).toBeLessThanOrEqual(30 * MINUTE);
    fake.offline = false;
    expect(said((await ann.run(scene.channel, "help")).last)).toContain("market list");
    expect(fake.state.messages.filter(({ channel }) => channel === scene.channel)).toHaveLength(1);
    // The answer is lost, but the asker is notified, and asks again by a button.
    await waits.passUntil(() => ann.directMessages().length > 0, "a word about it");
    const [word] = ann.directMessages();
    expect(said(word!)).toContain("/bell probe wait");
    expect(labelsOf(word!.blocks)).toEqual(["Ask again"]);
    await ann.press(word!, "Ask again");
    expect(said(word!)).toContain("never seen");
  });

  test.each(["a question", "Send as file"])("for a day: after that, %s is for the log alone", async (asked) => {
    const rows = Array.from({ length: 150 }, (_, index) => [toText(`row ${index}`)]);
    const table = { kind: "table" as const, columns: [{ title: "Row" }], rows, name: "rows" };
    const long = probe("probe table", () => Promise.resolve(reply({ title: "many", blocks: [table] })));
    const waits = new VirtualWaits();
    let lines = "";
    const logged = new PassThrough().on("data", (line: Buffer) => (lines += line.toString()));
    await using scene = await stage({ extra: [long], waits, timing: quiet, log: createLog("error", logged) });
    const { fake } = scene;
    const ann = fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe table");
    fake.offline = true;
    if (asked === "Send as file") ann.startPress(last, asked);
    else ann.type(scene.channel, "probe table");
    await waits.passUntil(() => lines.includes("answer dropped"), "it to be given up");
    expect(waits.passed).toBeLessThanOrEqual(30 * MINUTE);
    await waits.passUntil(() => lines.split("answer dropped").length > 2, "the end");
    expect(waits.passed).toBeGreaterThan(24 * 60 * MINUTE);
    expect(waits.passed).toBeLessThanOrEqual(24.5 * 60 * MINUTE);
    fake.offline = false;
    expect(ann.directMessages()).toEqual([]);
  });

  test("a button's word waits for Slack, too", async () => {
    const waits = new VirtualWaits();
    await using scene = await stage({ waits, timing: quiet });
    const { fake } = scene;
    const ann = fake.person("ann");
    const old = { type: "button", action_id: "press:0", text: { text: "Old" }, value: '{"v":0}' };
    const message = fake.state.post({
      channel: scene.channel,
      text: "x",
      blocks: [{ type: "actions", elements: [old] }],
    });
    fake.offline = true;
    const press = ann.startPress(message, "Old");
    await waits.pass(MINUTE / 2);
    fake.offline = false;
    await waits.passUntil(() => ann.directMessages().length + press.messages.length > 0, "the word");
    expect(said([...ann.directMessages(), ...press.messages][0]!)).toContain(plainText(expiredNotice("").title));
  });

  test("a form that Slack does not open in time is told of at once", async () => {
    await using scene = await stage({ timing: { triggerMillis: 60 } });
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "views.open", answer: "hang-before" });
    const dialog = ann.type(scene.channel, "order");
    await dialog.answered();
    expect(said(dialog.last)).toContain("Which order?");
    scene.fake.release();
  });
});

describe("the bot is stopped in the middle", () => {
  test("a waiting asker is notified, and asks again with a button that outlives it", async () => {
    let calls = 0;
    const slow = probe("probe slow", ({ signal }) => {
      calls += 1;
      if (calls > 1) return Promise.resolve(titled("done this time"));
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    await using scene = await stage({ extra: [slow], timing: { progressAtMillis: [5] } });
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe slow");
    await until(() => dialog.messages.length === 1, "the progress");
    const mention = ann.mention(scene.channel, "help");
    await until(() => mention.acknowledgedAfter !== undefined, "the other answer");
    await scene.restart();
    expect(dialog.messages).toHaveLength(1);
    expect(said(dialog.last)).toContain("probe slow");
    expect(said(dialog.last)).not.toContain(PROMISES_NOTHING);
    expect(labelsOf(dialog.last.blocks)).toContain("Ask again");
    await ann.press(dialog.last, "Ask again");
    expect(said(dialog.last)).toContain("done this time");
  });

  test("with Slack gone, too: it ends in time, nothing comes later, and what stands promises nothing", async () => {
    const job = waiting("probe wait");
    const waits = new VirtualWaits();
    await using scene = await stage({
      extra: [job.command],
      waits,
      timing: { ...quiet, progressAtMillis: [5] },
    });
    const { fake } = scene;
    const ann = fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.messages.length === 1, "the progress");
    fake.offline = true;
    job.finish(titled("lost"));
    await until(() => waits.waiting === 1, "a wait");
    await scene.adapter.stop();
    fake.offline = false;
    await scene.restart();
    await ann.run(scene.channel, "help");
    expect(fake.state.messages).toHaveLength(2);
    expect(said(dialog.last)).toContain(PROMISES_NOTHING);
  });
});
