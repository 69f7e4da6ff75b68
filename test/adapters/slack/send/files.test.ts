import { PassThrough, Readable } from "node:stream";

import { describe, expect, test } from "vitest";

import { refusedAnswerNotice } from "../../../../src/adapters/chat/notices.ts";
import { createLog } from "../../../../src/log.ts";
import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { toText } from "../../../../src/reply/text.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { labelsOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { countedFile, probe } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";
import { VirtualWaits } from "../virtual-waits.ts";

/** A command whose answer carries one file. */
function withFile(content: string) {
  const counted = countedFile("ledger.csv", content);
  const asked = probe("probe file", () => Promise.resolve(reply({ title: "a file", attachments: [counted.file] })));
  return { ...counted, asked };
}

const bytesOf = (message: { files: readonly { bytes: Buffer | undefined }[] }): string =>
  message.files.map(({ bytes }) => bytes?.toString() ?? "").join();

/** What a message says about a file. */
function lineOf(message: Parameters<typeof said>[0], file: string): string {
  return (
    said(message)
      .split("\n")
      .find((line) => line.includes(file)) ?? ""
  );
}

const REFUSED = plainText(refusedAnswerNotice("Slack").title);

describe("files", () => {
  test("a ledger export comes whole into the app's direct messages, and the answer says so", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const stakes = await ann.run(scene.channel, "stake all");
    const party = /\b[0-9a-f]{64}\b/u.exec(JSON.stringify(stakes.last.blocks))?.[0];
    const form = ann.type(scene.channel, "ledger export");
    const view = await ann.form();
    const [first = ""] = await ann.complete(view, "party", "");
    const [asset = ""] = await ann.complete(view, "asset", "");
    await ann.submit(view, { party: party ?? first, asset });
    await form.answered();
    const message = ann.directMessages().at(-1);
    expect(said(form.last)).toContain(message?.files[0]?.name);
    expect(said(form.last)).toContain("your direct messages");
    expect(message?.files[0]?.name).toMatch(/^SIMULATED-(?:PARTIAL-HISTORY-)?ledger-.*\.csv$/u);
    expect(bytesOf(message!)).toContain("vega_time");
    expect(form.last.onlyFor).toBe(ann.id);
  });

  test("for all: into the channel or its thread, where the app must be", async () => {
    const file = withFile("a,b\n1,2\n");
    await using scene = await stage({ extra: [file.asked] });
    const ann = scene.fake.person("ann");
    const dialog = await ann.run(scene.channel, "probe file private:no");
    expect(said(dialog.last)).toMatch(saying("ledger.csv", "8 bytes", "this channel"));
    expect(bytesOf(ann.sees(scene.channel).find(({ files }) => files.length > 0)!)).toBe("a,b\n1,2\n");
    await until(() => file.disposed() === 1, "the file to be given up");

    scene.fake.expected.add("not_in_channel");
    const elsewhere = scene.fake.channel({ member: false });
    const refused = await ann.run(elsewhere, "probe file private:no");
    expect(said(refused.last)).toContain("`/invite @bellwether`");
    // It is no success, and the others need not see it.
    expect(refused.last.onlyFor).toBe(ann.id);
    expect(refused.last.text).toMatch(/^⚠️/u);
    expect(ann.sees(elsewhere).every(({ onlyFor }) => onlyFor === ann.id)).toBe(true);
    await until(() => file.disposed() === 2, "the file to be given up");
  });

  test("is streamed: its first bytes leave before the last ones are there", async () => {
    let begun = (): boolean => false;
    const streamed = {
      ...memoryAttachment("ledger.csv", "text/csv", "first\nlast\n"),
      open: () =>
        Readable.from(
          (async function* () {
            yield "first\n";
            await until(() => begun(), "the upload to begin");
            yield "last\n";
          })(),
        ),
    };
    const asked = probe("probe stream", () => Promise.resolve(reply({ title: "a file", attachments: [streamed] })));
    await using scene = await stage({ extra: [asked] });
    begun = () => scene.fake.begun.includes("upload");
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe stream");
    expect(said(last)).toContain("your direct messages");
    expect(bytesOf(ann.directMessages()[0]!)).toBe("first\nlast\n");
  });

  test("a picture says what it shows to those who do not see it", async () => {
    const picture = memoryAttachment("prices.png", "image/png", "png", { alt: "Prices rose & fell" });
    const asked = probe("probe picture", () => Promise.resolve(reply({ title: "a picture", picture })));
    await using scene = await stage({ extra: [asked] });
    const ann = scene.fake.person("ann");
    await ann.run(scene.channel, "probe picture");
    expect(ann.directMessages()[0]?.files[0]).toMatchObject({ alt: "SIMULATED: Prices rose & fell" });
  });

  test("are not shared along, and that is said", async () => {
    const file = withFile("a\n");
    await using scene = await stage({ extra: [file.asked] });
    const ann = scene.fake.person("ann");
    ann.mention(scene.channel, "probe file private:yes", "1.000001");
    await until(() => ann.sees(scene.channel).length === 2, "the answer");
    const shared = await ann.press(ann.sees(scene.channel)[1]!, "Share");
    expect(shared.last).toMatchObject({ thread: "1.000001", files: [] });
    expect(said(shared.last)).toContain("without its file");
    await until(() => file.disposed() === 1, "the file to be given up");
  });

  test.each([
    ["an upload that breaks off", { method: "upload", answer: "cut-before" } as const, "ledger.csv"],
    ["an upload that is refused", { method: "upload", answer: { status: 500 } } as const, "500"],
    [
      "no permission",
      { method: "files.getUploadURLExternal", answer: { error: "missing_scope" } } as const,
      "files:write",
    ],
    [
      "no permission for direct messages",
      { method: "conversations.open", answer: { error: "missing_scope" } } as const,
      "im:write",
    ],
    [
      "a full workspace",
      { method: "files.completeUploadExternal", answer: { error: "storage_limit_reached" } } as const,
      "storage_limit_reached",
    ],
    [
      "no direct messages",
      { method: "conversations.open", answer: { error: "user_disabled" } } as const,
      "Slack says user_disabled",
    ],
  ])("%s is said beside the answer", async (_name, fault, words) => {
    const file = withFile("a\n");
    await using scene = await stage({ extra: [file.asked] });
    const ann = scene.fake.person("ann");
    scene.fake.fail(fault);
    const dialog = await ann.run(scene.channel, "probe file");
    expect(said(dialog.last)).toContain("a file");
    const line = lineOf(dialog.last, "ledger.csv");
    expect(line).toContain(words);
    // That of a file that was sent.
    expect(line).not.toContain("2 bytes");
    // Why a line breaks off is worded by Node.
    expect(line.replace("socket hang up", "read ECONNRESET")).toMatchSnapshot();
    await until(() => file.disposed() === 1, "the file to be given up");
  });

  test.each(["cut-after", "hang-after"] as const)(
    "a file whose upload was not answered in the end (%s) may be there, and is not sent again",
    async (answer) => {
      const file = withFile("a\n");
      await using scene = await stage({ extra: [file.asked], timing: { callMillis: 1000 } });
      const ann = scene.fake.person("ann");
      scene.fake.fail({ method: "files.completeUploadExternal", answer });
      // The answer itself is sent twice.
      scene.fake.fail({ method: "respond", answer: { status: 500 } });
      ann.type(scene.channel, "probe file");
      const lines = () => [...ann.sees(scene.channel), ...ann.directMessages()].map((one) => lineOf(one, "ledger.csv"));
      await until(() => lines().some((line) => line.includes("your direct messages")), "the answer");
      expect(ann.directMessages().filter(({ files }) => files.length > 0)).toHaveLength(1);
      expect(lines().filter((line) => line !== "")).toMatchSnapshot();
      scene.fake.release();
    },
  );

  test("between two people: the file is not in their conversation, and the answer does not say so", async () => {
    const file = withFile("a\n");
    await using scene = await stage({ extra: [file.asked] });
    const ann = scene.fake.person("ann");
    const between = scene.fake.state.id("D");
    scene.fake.state.channels.set(between, {
      id: between,
      team: scene.fake.state.team,
      person: "UOTHER1",
      member: false,
      archived: false,
    });
    const dialog = await ann.run(between, "probe file");
    expect(said(dialog.last)).toContain("your direct messages");
    const own = await ann.run(scene.fake.state.direct(ann.id).id, "probe file");
    expect(said(own.last)).toContain("this conversation");
  });

  test("many files with long names: as many lines as find room, the rest counted", async () => {
    const files = Array.from(
      { length: 40 },
      (_, index) => countedFile(`${"ledger".repeat(15)}-${index}.csv`, "a\n").file,
    );
    const asked = probe("probe many", () => Promise.resolve(reply({ title: "many", attachments: files })));
    await using scene = await stage({ extra: [asked] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe many");
    const sent = ann.directMessages().flatMap((message) => message.files).length;
    const named = said(last).split(".csv (").length - 1;
    expect(sent).toBe(40);
    expect(named).toBeGreaterThan(0);
    expect(said(last)).toMatch(saying(sent - named));
  });

  test("an upload that stands still is given up", async () => {
    const file = withFile("a\n");
    await using scene = await stage({ extra: [file.asked], timing: { stallMillis: 60 } });
    scene.fake.fail({ method: "upload", answer: "hang-before" });
    const { last } = await scene.fake.person("ann").run(scene.channel, "probe file");
    expect(lineOf(last, "ledger.csv")).not.toContain("2 bytes");
    expect(lineOf(last, "ledger.csv")).toMatchSnapshot();
    scene.fake.release();
  });

  test("after two files that Slack gives no answer to, the rest is not tried", async () => {
    const files = ["a.csv", "b.csv", "c.csv", "d.csv"].map((name) => countedFile(name, "x\n").file);
    const asked = probe("probe many", () => Promise.resolve(reply({ title: "many", attachments: files })));
    await using scene = await stage({ extra: [asked] });
    const { fake } = scene;
    for (let count = 0; count < 2; count += 1) fake.fail({ method: "upload", answer: "cut-before" });
    const { last } = await fake.person("ann").run(scene.channel, "probe many");
    for (const name of ["SIMULATED-c.csv", "SIMULATED-d.csv"]) expect(lineOf(last, name)).toMatchSnapshot();
    expect(fake.begun.filter((method) => method === "upload")).toHaveLength(2);
  });

  test.each([
    { sharing: ["late"], uploads: 1, arrives: true },
    { sharing: ["never"], uploads: 2, arrives: true },
    { sharing: ["never", "never"], uploads: 2, arrives: false },
  ] as const)("that Slack shares $sharing, though it says that all is well", async ({ sharing, uploads, arrives }) => {
    const waits = new VirtualWaits();
    const file = withFile("a,b\n1,2\n");
    await using scene = await stage({ extra: [file.asked], waits });
    const { fake } = scene;
    fake.state.sharings.push(...sharing);
    const ann = fake.person("ann");
    const asked = ann.run(scene.channel, "probe file");
    let answered = false;
    void asked.then(() => (answered = true));
    await waits.passUntil(() => answered, "the answer");
    const { last } = await asked;
    expect(fake.begun.filter((method) => method === "files.completeUploadExternal")).toHaveLength(uploads);
    expect(ann.directMessages().flatMap(({ files }) => files)).toHaveLength(arrives ? 1 : 0);
    // What was shared nowhere is not kept: it must not appear after all.
    expect(fake.state.files.size).toBe(arrives ? 1 : 0);
    expect(said(last).includes("your direct messages")).toBe(arrives);
  });

  test("is taken to have arrived where the app may not look", async () => {
    const file = withFile("a,b\n1,2\n");
    await using scene = await stage({ extra: [file.asked] });
    scene.fake.fail({ method: "files.info", answer: { error: "missing_scope" } });
    const { last } = await scene.fake.person("ann").run(scene.channel, "probe file");
    expect(said(last)).toContain("your direct messages");
  });

  test("an empty file is said to be empty, since Slack takes none", async () => {
    const file = withFile("");
    await using scene = await stage({ extra: [file.asked] });
    const { last } = await scene.fake.person("ann").run(scene.channel, "probe file");
    expect(said(last)).toContain("ledger.csv is empty");
  });

  test("an answer that can be refreshed sends its file when asked for, not with each refresh", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "stake all");
    await ann.press(last, "Refresh");
    expect(last.edits).toBe(1);
    expect(ann.directMessages()).toEqual([]);
    await ann.press(last, "Send as file");
    expect(ann.directMessages().flatMap(({ files }) => files.map(({ name }) => name))).toEqual(["SIMULATED-stake.csv"]);
  });

  test("what does not fit is counted, and comes as a file when asked for", async () => {
    const rows = Array.from({ length: 150 }, (_, index) => [toText(`row ${index}`)]);
    const table = { kind: "table" as const, columns: [{ title: "Row" }], rows, name: "rows" };
    const asked = probe("probe table", () => Promise.resolve(reply({ title: "many", blocks: [table] })));
    await using scene = await stage({ extra: [asked] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe table");
    expect(said(last)).toMatch(saying("15 of 150"));
    await ann.press(last, "Details");
    // Three buttons have room: what sends the file may be behind the dots.
    expect(said(last)).toMatch(saying("99 of 150", "SIMULATED-rows.csv", "⋯ Send as file"));
    expect(labelsOf(last.blocks)).toContain("Send as file");
    expect(ann.directMessages()).toEqual([]);
    const sent = await ann.press(last, "Send as file");
    expect(said(sent.last)).toContain("rows.csv");
    expect(bytesOf(ann.directMessages()[0]!)).toContain("row 149");
  });

  test("a public list that is too long to keep has at most 1,200 characters, and loses no row", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "checkpoints first:1000 private:no");
    expect(last.onlyFor).toBeUndefined();
    expect(said(last).length).toBeLessThanOrEqual(1200);
    expect(labelsOf(last.blocks)).not.toContain("Details");
    const [, count] = /15 of ([\d,]+) rows shown; all of it in SIMULATED-checkpoints\.csv/u.exec(said(last)) ?? [];
    await ann.press(last, "Send as file");
    const rows = bytesOf(ann.directMessages()[0]!).trim().split("\n");
    expect((rows.length - 1).toLocaleString("en")).toBe(count);
  });

  test.each([
    ["refused for the moment", { status: 500 } as const],
    ["cut off", "cut-before" as const],
  ])("an answer that is %s goes into direct messages, its file once", async (_name, answer) => {
    const file = withFile("a\n");
    await using scene = await stage({ extra: [file.asked] });
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "respond", answer });
    ann.type(scene.channel, "probe file");
    await until(() => ann.directMessages().length === 2, "the answer");
    const [sent, said_] = ann.directMessages();
    expect(sent?.files).toHaveLength(1);
    expect(said(said_!)).toContain("*Your answer* to `/bell probe file`");
    expect(said(said_!)).toContain("ledger.csv");
    await until(() => file.disposed() === 1, "the file to be given up");
  });

  test("an answer that Slack refuses is replaced by a word about that, and its text", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "respond", answer: { error: "invalid_blocks" } });
    const dialog = await ann.run(scene.channel, "time");
    expect(said(dialog.last)).toContain(REFUSED);
    expect(said(dialog.last)).toContain("healthy");
  });

  test("where Slack refuses its text, too, the word about it is left", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    for (let count = 0; count < 2; count += 1) {
      scene.fake.fail({ method: "respond", answer: { error: "invalid_blocks" } });
    }
    const dialog = await ann.run(scene.channel, "time");
    expect(said(dialog.last)).toContain(REFUSED);
    expect(said(dialog.last)).not.toContain("healthy");
  });

  test("where Slack refuses that word, too, it comes by direct message", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    for (let count = 0; count < 3; count += 1) {
      scene.fake.fail({ method: "respond", answer: { error: "invalid_blocks" } });
    }
    const dialog = ann.type(scene.channel, "time");
    await until(() => ann.directMessages().length === 1, "the direct message");
    expect(said(ann.directMessages()[0]!)).toContain(REFUSED);
    expect(dialog.messages).toEqual([]);
  });

  test("why Slack refuses one stands in the log", async () => {
    const logged = new PassThrough();
    await using scene = await stage({ log: createLog("error", logged) });
    const ann = scene.fake.person("ann");
    const messages = ["[ERROR] must be less than 3001 characters"];
    scene.fake.fail({ method: "chat.postEphemeral", answer: { error: "invalid_blocks", messages } });
    ann.mention(scene.channel, "time private:yes");
    await until(() => ann.sees(scene.channel).length === 2, "the word about it");
    expect(said(ann.sees(scene.channel)[1]!)).toContain(REFUSED);
    expect(String(logged.read())).toContain("Slack says invalid_blocks: [ERROR] must be less than 3001 characters");
  });
});
