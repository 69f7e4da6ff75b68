import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import {
  amended,
  type Attachment,
  commandAction,
  memoryAttachment,
  reply,
  type Reply,
} from "../../../../src/reply/reply.ts";
import { shortenId, text } from "../../../../src/reply/text.ts";
import { talk } from "../fake-terminal.ts";

const [tab, enter, up, ctrlC, ctrlD] = ["\t", "\r", "\u001B[A", "\u0003", "\u0004"];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bellwether-prompt-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

let disposed: string[] = [];
const file = (name: string): Attachment => ({
  ...memoryAttachment(name, "text/csv", name),
  dispose: async () => {
    disposed.push(name);
  },
});
beforeEach(() => {
  disposed = [];
});

const answers = {
  time: reply({ title: "It is noon" }),
  checkpoints: reply({
    title: "Page one",
    actions: [
      { label: "Next", invocation: { command: "checkpoints", options: { after: "a b" } }, effect: "replace" },
      { label: "Docs", url: "https://docs.example.net/" },
      { label: "Drop", invocation: { command: "drop", options: {} }, effect: "reply", confirm: "Drop it?" },
    ],
  }),
  'checkpoints after:"a b"': reply({ title: "Page two", attachments: [file("second.csv")] }),
  drop: reply({ title: "Dropped" }),
  market: reply({
    title: "A market",
    actions: [
      { label: "Tell me", invocation: { command: "add", options: { high: "7" } }, effect: "reply", form: true },
    ],
  }),
  which: reply({
    asks: true,
    title: "Which one?",
    actions: [
      {
        label: "One",
        choices: Array.from({ length: 8 }, (_, at) => ({
          label: `no ${at + 1}`,
          invocation: { command: "checkpoints", options: { after: `${at + 1}` } },
        })),
        effect: "reply",
      },
      { label: "Drop", invocation: { command: "drop", options: {} }, effect: "reply" },
    ],
  }),
  "checkpoints after:7": reply({ title: "Seven" }),
  "add high:75": reply({ title: "Added" }),
  bad: reply({ title: "What?", tone: "bad", failure: "caller" }),
  down: reply({ title: "No node", tone: "bad", failure: "network" }),
  slow: (_line: string, { signal }: { signal: AbortSignal }): Promise<Reply> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(reply({ title: "Cancelled", failure: "caller" })));
    }),
} as const;

describe("at a terminal", () => {
  test("more shows the other choices, numbered on; no number presses what was not shown", async () => {
    const terminal = talk([], { answers, tty: true });
    terminal.type(`which${enter}`);
    await terminal.sees("[5] no 5\n3 more: type more\n[6] Drop  drop");
    terminal.type(`7${enter}`);
    await terminal.sees("[1] to [6]");
    terminal.type(`more${enter}`);
    await terminal.sees("[7] no 6\n[8] no 7\n[9] no 8\n");
    terminal.type(`more${enter}`);
    await terminal.sees("no more choices");
    terminal.type(`8${enter}`);
    await terminal.sees("• Seven");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("a conversation: ask, press a button, follow a link, leave", async () => {
    const terminal = talk([], { answers, tty: true });
    await terminal.sees("bellwether> ");
    terminal.type(`checkpoints${enter}`);
    await terminal.sees("• Page one");
    expect(terminal.out()).toContain('[1] Next  checkpoints after:"a b"');
    terminal.type(`2${enter}`);
    await terminal.sees("https://docs.example.net/\n");
    terminal.type(`1${enter}`);
    await terminal.sees("• Page two");
    terminal.type(`exit${enter}`);
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked.map((asked) => asked.line)).toEqual(["checkpoints", 'checkpoints after:"a b"']);
    expect(terminal.closed()).toBe(true);
  });

  test("what is added to an answer stands above the line that is typed meanwhile", async () => {
    const coming = Promise.withResolvers<Reply | undefined>();
    const given = reply({ title: "Subscribed", actions: [commandAction("Remove", "remove")] });
    const whole = amended(given, text`Told twice.`, [commandAction("Undo", "time")]);
    const terminal = talk([], { answers: { ...answers, add: { ...given, later: () => coming.promise } }, tty: true });
    terminal.type(`add${enter}`);
    await terminal.sees("Remove  remove\n\n\u001B[1G\u001B[0Jbellwether> ");
    terminal.type("ti");
    coming.resolve(whole);
    const below = /\[2K• Told twice\.\n\n\[2\] Undo  time\n[^]*> ti/u;
    await expect.poll(() => terminal.out()).toMatch(below);
    terminal.type(`me${enter}`);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked.map((asked) => asked.line)).toEqual(["add", "time"]);
  });

  test("what is added stands above the question of a button that asks first", async () => {
    const coming = Promise.withResolvers<Reply | undefined>();
    const given = { ...answers.checkpoints, later: () => coming.promise };
    const terminal = talk([], { answers: { ...answers, checkpoints: given }, tty: true });
    terminal.type(`checkpoints${enter}`);
    await terminal.sees("Page one");
    terminal.type(`3${enter}`);
    await terminal.sees("Drop it? [y/N] ");
    coming.resolve(amended(answers.checkpoints, text`Told twice.`));
    await expect.poll(() => terminal.out()).toMatch(/Told twice\.\n[^]*Drop it\? \[y\/N\] /u);
    terminal.type(`y${enter}`);
    await terminal.sees("• Dropped");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("a button that destroys asks first", async () => {
    const terminal = talk([], { answers, tty: true });
    terminal.type(`checkpoints${enter}`);
    await terminal.sees("Page one");
    terminal.type(`3${enter}`);
    await terminal.sees("Drop it? [y/N]");
    terminal.type(`n${enter}`);
    await terminal.sees("Left as it is.");
    const before = terminal.out().split("[y/N]").length;
    terminal.type(`3${enter}`);
    await expect.poll(() => terminal.out().split("[y/N]").length).toBeGreaterThan(before);
    terminal.type(`yes${enter}`);
    await terminal.sees("• Dropped");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("a button that is to be filled in puts its line there", async () => {
    const terminal = talk([], { answers, tty: true });
    terminal.type(`market${enter}`);
    await terminal.sees("[1] Tell me  add high:7");
    terminal.type(`1${enter}`);
    await terminal.sees("\u001B[13Gadd high:7");
    terminal.type(`5${enter}`);
    await terminal.sees("• Added");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked.map((asked) => asked.line)).toEqual(["market", "add high:75"]);
  });

  test("a number without a button says which there are", async () => {
    const terminal = talk([], { answers, tty: true });
    terminal.type(`checkpoints${enter}`);
    await terminal.sees("Page one");
    terminal.type(`9${enter}`);
    await terminal.sees("[1] to [3]");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("Ctrl-C ends the question that runs, and nothing else", async () => {
    const terminal = talk([], { answers, tty: true });
    terminal.type(`slow${enter}`);
    await expect.poll(() => terminal.asked.length).toBe(1);
    terminal.type(ctrlC);
    await terminal.sees("Cancelled");
    terminal.type(`time${enter}`);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("Ctrl-C without a question empties the line", async () => {
    const terminal = talk([], { answers, tty: true });
    await terminal.sees("bellwether> ");
    terminal.type("dro");
    await terminal.sees("dro");
    terminal.type(ctrlC);
    terminal.type(`time${enter}`);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked.map((asked) => asked.line)).toEqual(["time"]);
  });

  test("what is typed ahead is not lost", async () => {
    const terminal = talk([], { answers, tty: true });
    terminal.type(`time${enter}checkpoints${enter}1${enter}`);
    await terminal.sees("• Page two");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked).toHaveLength(3);
  });

  test("Tab completes, but never with control characters", async () => {
    const terminal = talk([], { answers, tty: true, complete: ["time", "ti\u001B[31mme"] });
    await terminal.sees("bellwether> ");
    terminal.type(`ti${tab}`);
    await terminal.sees("me");
    terminal.type(enter);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    expect(terminal.out()).not.toContain("\u001B[31m");
  });

  test("Tab goes on from what is typed before it offers anything else, and lists names alone", async () => {
    const complete = ["market show BTC/USDT-2", "market show BTC/USDT-1", "market show ETH/BTC"];
    const terminal = talk([], { answers: { "market show BTC/USDT-1": answers.time }, tty: true, complete });
    await terminal.sees("bellwether> ");
    terminal.type("market show BT");
    terminal.type(tab);
    await terminal.sees("C/USDT-");
    terminal.type(tab);
    terminal.type(tab);
    await terminal.sees("BTC/USDT-2");
    expect(terminal.out()).not.toContain("ETH");
    terminal.type(`1${enter}`);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("Tab twice lists each id by its ends with its name, within the width, and completes the whole id", async () => {
    const [first, second] = ["a1".padEnd(64, "0"), "b2".padEnd(64, "0")];
    const complete = [
      { line: `order ${first}`, label: `rejected (${shortenId(first)})` },
      { line: `order ${second}`, label: `${shortenId(second)} · ${"partly filled ".repeat(9)}` },
      { line: "order id:", label: "An id" },
      { line: "order newest", label: "newest: the last one" },
    ];
    const terminal = talk([], { answers: { "order id:": answers.time }, tty: true, columns: 60, complete });
    await terminal.sees("bellwether> ");
    terminal.type(`order ${tab}`);
    terminal.type(tab);
    await terminal.sees("newest         the last one");
    expect(terminal.out()).toContain(`${shortenId(first)}  rejected\r\n${shortenId(second)}  partly filled`);
    expect(terminal.out()).not.toContain(first);
    for (const one of terminal.out().split(/\r?\n/u)) expect(one.length).toBeLessThanOrEqual(60);
    terminal.type(`id:${enter}`);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("Tab adds to a line only what all that it offers have in common, names or not", async () => {
    const complete = [
      { line: "alerts silence ", label: "Keep alerts back" },
      { line: "alerts silences ", label: "What is kept back" },
    ];
    const terminal = talk([], { answers: { "alerts silence": answers.time }, tty: true, complete });
    await terminal.sees("bellwether> ");
    terminal.type(`al${tab}`);
    await terminal.sees("erts silence");
    terminal.type(tab);
    terminal.type(tab);
    await terminal.sees("Keep alerts back");
    terminal.type(enter);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked.map(({ line }) => line)).toEqual(["alerts silence"]);
  });

  test("history outlives the prompt, newest first, for its owner's eyes only", async () => {
    const historyFile = path.join(folder, "data", "history");
    const first = talk([], { answers, tty: true, historyFile });
    first.type(`drop${enter}time${enter}${ctrlD}`);
    expect(await first.exit).toBe(0);
    expect(readFileSync(historyFile, "utf8")).toBe("drop\ntime\n");
    expect(statSync(historyFile).mode & 0o777).toBe(0o600);

    const second = talk([], { answers, tty: true, historyFile });
    await second.sees("bellwether> ");
    second.type(`${up}${up}${enter}`);
    await second.sees("• Dropped");
    second.type(ctrlD);
    expect(await second.exit).toBe(0);
    expect(second.asked.map((asked) => asked.line)).toEqual(["drop"]);
  });

  test("a history that grew too long is cut back to its newest lines", async () => {
    const historyFile = path.join(folder, "history");
    writeFileSync(historyFile, Array.from({ length: 2500 }, (_, at) => `line ${at}\n`).join(""));
    const terminal = talk([], { answers, tty: true, historyFile });
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    const kept = readFileSync(historyFile, "utf8").trimEnd().split("\n");
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, "line 1500", "line 2499"]);
  });

  test("a history that cannot be stored spoils nothing", async () => {
    writeFileSync(path.join(folder, "file"), "");
    const terminal = talk([], { answers, tty: true, historyFile: path.join(folder, "file", "history") });
    terminal.type(`time${enter}`);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
  });

  test("save writes the files of the last reply, which are given up with the next one", async () => {
    const terminal = talk([], { answers, tty: true });
    terminal.type(`checkpoints${enter}1${enter}`);
    await terminal.sees("save DIR");
    terminal.type(`save ${folder}${enter}`);
    await terminal.sees(path.join(folder, "second.csv"));
    expect(disposed).toEqual([]);
    terminal.type(`time${enter}`);
    await terminal.sees("• It is noon");
    terminal.type(ctrlD);
    expect(await terminal.exit).toBe(0);
    expect(disposed).toEqual(["second.csv"]);
    expect(readFileSync(path.join(folder, "second.csv"), "utf8")).toBe("second.csv");
  });
});

describe("from a file", () => {
  test.each([
    ["time\n\n  time  \n", 0, 2],
    ["time\nbad\n", 1, 2],
    ["down\nbad\ntime", 2, 3],
    ["boom\ndown\n", 3, 2],
    ["time\nexit\ntime\n", 0, 1],
    ["", 0, 0],
    ["checkpoints\n3\n", 1, 1],
    ["checkpoints\n1\n", 0, 2],
  ])("%j exits with the worst of its answers: %i", async (typed, code, questions) => {
    const terminal = talk([], { answers });
    terminal.type(typed);
    terminal.end();
    expect(await terminal.exit).toBe(code);
    expect(terminal.asked).toHaveLength(questions);
    expect(terminal.out()).not.toContain("bellwether>");
  });

  test("with --json, each answer is one line", async () => {
    const terminal = talk(["--json"], { answers });
    terminal.type("time\nbad\n");
    terminal.end();
    expect(await terminal.exit).toBe(1);
    const lines = terminal.out().trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { failure?: string }).failure)).toEqual([undefined, "caller"]);
  });

  test("an interrupt ends the question and all that would follow", async () => {
    const terminal = talk([], { answers });
    terminal.type("slow\ntime\n");
    await expect.poll(() => terminal.asked.length).toBe(1);
    terminal.interrupt();
    expect(await terminal.exit).toBe(130);
    expect(terminal.asked).toHaveLength(1);
  });
});
