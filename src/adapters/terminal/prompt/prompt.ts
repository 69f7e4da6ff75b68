// The prompt of `ask`: reads lines, with history and completion at a terminal.
// Read next: prompt-session.ts (what a line does: ask, press a button, save files), history.ts.
import { createInterface } from "node:readline/promises";

import type { LineCompletion } from "../../../bot/grammar/complete-line.ts";
import { shortenId } from "../../../reply/text.ts";
import type { AskContext } from "../ask.ts";
import { cutToWidth, widthOf } from "../render/cell-width.ts";
import { span, toAnsi } from "../render/span.ts";
import { visibleText } from "../render/visible-text.ts";
import { wrap } from "../render/wrap.ts";
import { displayOptions, write } from "../streams.ts";
import { openHistory } from "./history.ts";
import { PromptSession } from "./prompt-session.ts";

export interface PromptContext extends AskContext {
  readonly historyFile: string | undefined;
}

const GREETING =
  "Type help or ? for the commands. Tab completes; a number presses a button of the last reply; full shows its details; save DIR writes its files. " +
  "Ctrl-C stops a question, exit or Ctrl-D leaves.";
/** Lines that readline keeps for the arrow keys. */
const HISTORY_SIZE = 1000;

/**
 * Runs the prompt until the input ends. On a terminal: with history and completion, and exit code 0; else the exit code
 * is the worst of all answers.
 */
export async function runPrompt(context: PromptContext): Promise<number> {
  const { terminal } = context;
  const screen = terminal.out.isTty ? terminal.out : terminal.err;
  const interactive = terminal.inputIsTty && screen.isTty;
  const history = await openHistory(interactive ? context.historyFile : undefined);
  if (interactive) {
    const display = displayOptions(screen, terminal.preferences);
    const lines = wrap([span(GREETING, "dim")], Math.min(display.width, 100));
    await write(screen, `${lines.map((line) => `${toAnsi(line.spans, display)}\n`).join("")}\n`);
  }
  const lines = createInterface({
    input: terminal.input,
    terminal: interactive,
    prompt: "bellwether> ",
    crlfDelay: Number.POSITIVE_INFINITY,
    ...(interactive
      ? {
          output: screen.stream,
          history: [...history.lines],
          historySize: HISTORY_SIZE,
          removeHistoryDuplicates: true,
          completer: (line: string) => complete(context, line, displayOptions(screen, terminal.preferences).width),
        }
      : {}),
  });
  const session = new PromptSession(context, lines, history, interactive);
  const stopListening = terminal.onInterrupt(() => session.interrupt());
  lines.on("SIGINT", () => session.cancel());
  try {
    return await session.run();
  } finally {
    stopListening();
    lines.close();
    await session.dispose();
  }
}

/**
 * The completions for readline, and the end of the line that they complete. Continuations of the line exclude all other
 * completions, since only they share more of the line; completions with control characters are omitted.
 */
async function complete(context: PromptContext, line: string, width: number): Promise<[string[], string]> {
  let offered: readonly LineCompletion[] = [];
  try {
    offered = (await context.runner.complete(line)).filter((one) => visibleText(one.line) === one.line);
  } catch {
    // A failed completion offers nothing.
  }
  const going = offered.filter((one) => one.line.startsWith(line));
  const shown = going.length > 0 ? going : offered;
  const start = line.lastIndexOf(" ") + 1;
  const kept = shown.every((one) => one.line.startsWith(line.slice(0, start))) ? start : 0;
  const words = shown.map((one) => one.line.slice(kept));
  return [withLabels(words, shown, width), line.slice(kept)];
}

/**
 * The completions with their labels, a line each, as readline lists them: `513ade8e…b9cd  rejected`. Readline completes to
 * the common beginning of these lines; where labels would change it, the completions stay without them.
 */
function withLabels(words: readonly string[], offered: readonly LineCompletion[], width: number): string[] {
  const short = words.map((word) => word.trim().replaceAll(LONG_ID, shortenId));
  const column = Math.max(...short.map((word) => widthOf(word)));
  const lines = short.map((word, at) => {
    const meaning = meaningOf(word, visibleText(offered[at]?.label ?? ""));
    return meaning === "" ? word : cutToWidth(`${word}${" ".repeat(column - widthOf(word))}  ${meaning}`, width);
  });
  return commonBeginning(lines) === commonBeginning(words) ? lines : [...words];
}

/** The label without the value that the word ends in. */
function meaningOf(word: string, label: string): string {
  const value = /[^\s:,]*$/u.exec(word)?.[0] ?? "";
  if (label === value) return "";
  const lead = value === "" ? undefined : [`${value} · `, `${value}: `].find((one) => label.startsWith(one));
  if (lead !== undefined) return label.slice(lead.length);
  const end = ` (${value})`;
  return label.endsWith(end) ? label.slice(0, -end.length) : label;
}

const LONG_ID = /[0-9a-f]{32,}/giu;

function commonBeginning(words: readonly string[]): string {
  const [first = "", ...others] = words;
  let end = 0;
  while (end < first.length && others.every((one) => one[end] === first[end])) end += 1;
  return first.slice(0, end);
}
