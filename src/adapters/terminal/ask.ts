import { cancelledReply, errorReply } from "../../bot/error-reply.ts";
import { UserError } from "../../errors.ts";
import { inTime, type Nanoseconds, toMillis } from "../../units/time.ts";
import type { Log } from "../../log.ts";
import { type Action, type Attachment, disposeReply, reply, type Reply } from "../../reply/reply.ts";
import { replyToJson } from "../../reply/json.ts";
import type { LineRunner } from "./line-runner.ts";
import { shellLine } from "./render/actions.ts";
import { cutToWidth } from "./render/visible-text.ts";
import { renderTerminal, type RenderOptions } from "./render/render.ts";
import { toSpans } from "./render/span.ts";
import { displayOptions, type Terminal, write } from "./streams.ts";
import {
  checkFolder,
  fallbackFolder,
  isFolderFault,
  unfiledTables,
  withTablesAsFiles,
  writeFiles,
} from "./write-files.ts";

/** Interrupted by Ctrl-C: 128 plus the number of SIGINT, as in shells. */
export const EXIT_INTERRUPTED = 130;

/** Exit codes by the cause of a failure. */
const EXIT_CODES = { caller: 1, network: 2, bug: 3 } as const;

export function exitCodeOf(reply: Reply): number {
  return reply.failure === undefined ? 0 : EXIT_CODES[reply.failure];
}

export interface AskContext {
  readonly terminal: Terminal;
  readonly runner: LineRunner;
  readonly log: Log;
  readonly now: () => Nanoseconds;
  readonly json: boolean;
  /** Shows the whole reply, not only its part above the fold. */
  readonly full: boolean;
  readonly network: string | undefined;
  /** The network that is asked where none is named. */
  readonly usual?: string | undefined;
  readonly out: string | undefined;
  /** Whether this is one question of many: JSON is then one line each, and hints name what can be typed next. */
  readonly prompt: boolean;
}

/** Time for an interrupted question to end. */
const CANCEL_GRACE_MILLIS = 2000;

/**
 * Asks a line and shows its answer; `outputOpen` is false once the output is closed (EPIPE). The caller disposes of the
 * reply. Never rejects.
 */
export async function askAndShow(context: AskContext, line: string, signal: AbortSignal) {
  const progress = progressLine(context.terminal, context.now);
  const reply = await runLine(context, line, signal, (report) => progress.show(report));
  progress.clear();
  if (!context.json) return show(context, reply, signal);
  // There is one document: what is added comes with it.
  const { later, ...alone } = reply;
  return show(context, (await later?.(signal)) ?? alone, signal);
}

/** Prints what an answer that was shown has got in addition, with so many buttons `before` its own. */
export async function printAdded(context: AskContext, shown: Reply, whole: Reply, before = 0): Promise<void> {
  const added = reply({ title: whole.added ?? [], actions: whole.actions.slice(shown.actions.length) });
  await print(context, added, new Map(), { before });
}

async function runLine(
  context: AskContext,
  line: string,
  signal: AbortSignal,
  progress: (reply: Reply) => void,
): Promise<Reply> {
  const { runner, network, log, out } = context;
  try {
    if (out !== undefined) await checkFolder(out);
    const takesFiles = out !== undefined;
    const answering = runner.run(line, { signal, progress, takesFiles, ...(network === undefined ? {} : { network }) });
    return await inTime(answering, { signal, graceMillis: CANCEL_GRACE_MILLIS }, () => {
      // The late answer of an abandoned question still has files to dispose of.
      answering.then(disposeReply).catch(() => {});
      return cancelledReply(signal.reason);
    });
  } catch (thrown) {
    return folderReply(thrown, errorReply(thrown, { log, command: "ask", signal }));
  }
}

/** A full or read-only folder is no mistake of whoever asks. */
function folderReply(thrown: unknown, reply: Reply): Reply {
  return isFolderFault(thrown) ? { ...reply, failure: "network" } : reply;
}

/** The prompt's own commands for omitted content and for files. */
const PROMPT_HINTS = { omittedHint: "save DIR", filesHint: "save DIR writes them." };

type Hints = Pick<RenderOptions, "fold" | "inShell" | "omittedHint" | "filesHint" | "usual">;

/** A reply as one question shows it: folded, but for a failure, with lines for the shell. */
export function onceHints(reply: Reply, network?: string, usual?: string, out?: string): Hints {
  const { failure } = reply;
  return {
    ...(unfiledTables(reply).length > 0 ? { filesHint: "--out DIR writes them, and each table as CSV." } : {}),
    ...(failure === undefined ? { fold: { hint: "--full shows the details." } } : {}),
    inShell: (line) => shellLine(line, network, usual, out),
    usual: network === undefined ? usual : undefined,
  };
}

function promptHints({ failure }: Reply, usual: string | undefined): Hints {
  return { ...PROMPT_HINTS, usual, ...(failure === undefined ? { fold: { hint: "full shows the details." } } : {}) };
}

/** Shows a reply: errors on standard error, JSON always on standard output; writes its files with `--out`. */
async function show(context: AskContext, given: Reply, signal: AbortSignal) {
  if (context.out === undefined) {
    const outputOpen = await print(context, given, new Map());
    return { reply: given, outputOpen, code: exitCodeOf(given) };
  }
  const { reply, written, problem } = await saveFiles(context, given, context.out, signal, fallbackFolder);
  const outputOpen = await print(context, reply, written);
  if (problem !== undefined) await print({ ...context, json: false }, problem, new Map());
  const code = Math.max(exitCodeOf(given), problem === undefined ? 0 : exitCodeOf(problem));
  return { reply: given, outputOpen, code };
}

interface SavedFiles {
  /** With its tables among its files. */
  readonly reply: Reply;
  /** The path of each file that was written. */
  readonly written: ReadonlyMap<Attachment, string>;
  /** Set where not all files could be written. */
  readonly problem?: Reply;
}

/**
 * Writes the files of a reply and its tables as CSV. `elsewhere` makes a folder for files that the named folder does not
 * take; left out where the caller keeps the reply for a second attempt. Never rejects.
 */
export async function saveFiles(
  context: Pick<AskContext, "log">,
  given: Reply,
  folder: string,
  signal: AbortSignal,
  elsewhere?: () => Promise<string>,
): Promise<SavedFiles> {
  const reply = withTablesAsFiles(given);
  const written = new Map<Attachment, string>();
  const failed = (thrown: unknown): SavedFiles => ({
    reply,
    written,
    problem: folderReply(thrown, errorReply(thrown, { log: context.log, command: "ask --out", signal })),
  });
  try {
    await writeFiles(reply, folder, written, signal);
    return { reply: { ...reply, actions: reply.actions.map((action) => byPath(action, written)) }, written };
  } catch (thrown) {
    if (!(thrown instanceof UserError) || elsewhere === undefined || signal.aborted) return failed(thrown);
    try {
      const other = await elsewhere();
      await writeFiles(reply, other, written, signal);
      const remedy = `Nothing is lost: what was not written yet is in ${other}.`;
      return failed(new UserError(thrown.message, { remedy, cause: thrown.cause }));
    } catch {
      return failed(thrown);
    }
  }
}

/** An action on a file by its hash, as one on the file that was written. */
function byPath(action: Action, written: ReadonlyMap<Attachment, string>): Action {
  if (!("invocation" in action) || typeof action.invocation.options["sha256"] !== "string") return action;
  const { sha256, ...others } = action.invocation.options;
  const [, path] = [...written].find(([file]) => file.sha256.startsWith(sha256)) ?? [];
  if (path === undefined) return action;
  return { ...action, invocation: { ...action.invocation, options: { ...others, file: path } } };
}

/** Writes a reply; `picks` says which of its buttons, and their first number. False once the reader of the output is gone. */
export function print(
  context: Pick<AskContext, "terminal" | "json" | "full" | "prompt" | "network" | "usual" | "now"> &
    Partial<Pick<AskContext, "out">>,
  reply: Reply,
  written: ReadonlyMap<Attachment, string>,
  picks: Pick<RenderOptions, "before" | "most"> = {},
): Promise<boolean> {
  const { terminal, json, full, prompt, network, usual, out } = context;
  if (json) {
    const document = replyToJson(reply, (file) => written.get(file));
    return write(terminal.out, `${JSON.stringify(document, null, prompt ? 0 : 2)}\n`);
  }
  const screen = reply.failure === undefined ? terminal.out : terminal.err;
  const { fold, ...hints } = prompt ? promptHints(reply, network ?? usual) : onceHints(reply, network, usual, out);
  const text = renderTerminal(reply, {
    ...displayOptions(screen, terminal.preferences),
    now: context.now(),
    writtenTo: (file) => written.get(file),
    ...picks,
    ...hints,
    ...(full || fold === undefined ? {} : { fold }),
  });
  return write(screen, prompt ? `${text}\n` : text);
}

/** The shortest interval between two redraws. */
const REDRAW_MILLIS = 100;
/** Back to the first column, erase the line (ECMA-48 EL). */
export const ERASE = "\r\u001B[2K";

/** One line of progress, redrawn in place; nothing where standard error is no terminal. */
function progressLine(terminal: Terminal, now: () => Nanoseconds): { show(reply: Reply): void; clear(): void } {
  const { err, preferences } = terminal;
  let drawnAt: number | undefined;
  return {
    show(reply) {
      if (!err.isTty || preferences.term === "dumb") return;
      const at = toMillis(now());
      if (drawnAt !== undefined && at - drawnAt < REDRAW_MILLIS) return;
      drawnAt = at;
      const first = reply.blocks.find((block) => block.kind === "paragraph");
      const text = [reply.title, ...(first === undefined ? [] : [first.text])]
        .map((part) =>
          toSpans(part, { links: false, now: now() })
            .map((span) => span.text)
            .join(""),
        )
        .join(": ");
      // The last column stays free: some terminals wrap when it is filled.
      err.stream.write(`${ERASE}${cutToWidth(text, displayOptions(err, preferences).width - 1)}`);
    },
    clear() {
      if (drawnAt !== undefined) err.stream.write(ERASE);
      drawnAt = undefined;
    },
  };
}
