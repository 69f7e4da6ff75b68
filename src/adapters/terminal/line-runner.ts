import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";

import type { Bot } from "../../bot/bot.ts";
import type { LineCompletion } from "../../bot/grammar/complete-line.ts";
import type { Caller, Invocation, Target } from "../../bot/invocation.ts";
import type { GivenFile } from "../../bot/options/options.ts";
import { codeOf, UserError } from "../../errors.ts";
import { alsoLater, type Reply } from "../../reply/reply.ts";
import { isTimeZone } from "../../units/local-time.ts";

export interface RunOptions {
  /** Aborting it ends the question; the reply then says that it was cancelled. */
  readonly signal: AbortSignal;
  /** The network to ask where the line names none. */
  readonly network?: string;
  /** Whether the reply's files are written to a folder; left out = they are not. */
  readonly takesFiles?: boolean;
  /** Where a relative path of a file begins; left out = where this process runs. */
  readonly cwd?: string;
  /** Reports the progress of a long job; may be called often. */
  readonly progress?: (reply: Reply) => void;
}

/** Runs typed lines, by a bot in this process or in the process that holds the database. */
export interface LineRunner {
  /** Errors are replies; rejects only when the other process is gone. The caller disposes of the reply's files. */
  run(line: string, options: RunOptions): Promise<Reply>;
  /** Whole lines to offer for what is typed so far, best first, with a label each. */
  complete(line: string): Promise<readonly LineCompletion[]>;
  close(): Promise<void>;
}

/** The user of the terminal has all rights of the process. */
const CALLER: Caller = { id: "terminal", name: "terminal", mayManageChannel: true };
/** Files go to a disk, without limits. */
const HERE: Target = {
  platform: "terminal",
  files: { maxBytes: Number.MAX_SAFE_INTEGER, maxCount: Number.MAX_SAFE_INTEGER },
};

/** A bot in this process; closing the runner leaves it running. */
export function localRunner(bot: Bot): LineRunner {
  const inChosenZone = async (answering: Promise<Reply>): Promise<Reply> => {
    const said = await answering;
    const zone = await bot.zoneOf({ here: HERE, caller: CALLER });
    return zone === "UTC" || !isTimeZone(zone) ? said : alsoLater(said, (one) => ({ ...one, zone }));
  };
  return {
    run: (line, { signal, network, progress, takesFiles = false, cwd = process.cwd() }) => {
      const rest: Omit<Invocation, "command" | "options"> = {
        here: takesFiles ? HERE : { ...HERE, leavesFiles: true },
        caller: CALLER,
        signal,
        openFile: (given) => fileAt(path.resolve(cwd, given)),
        ...(progress === undefined ? {} : { progress }),
      };
      return inChosenZone(bot.runLine(line, rest, network));
    },
    complete: (line) =>
      bot.completions(line, { here: HERE, caller: CALLER, signal: AbortSignal.timeout(COMPLETION_TIMEOUT_MILLIS) }),
    close: async () => {},
  };
}

/** The time limit of a completion. */
const COMPLETION_TIMEOUT_MILLIS = 2000;

/** A file of this machine, which somebody named by its path. */
export function fileAt(file: string): GivenFile {
  const wrong = (why: string, cause?: unknown): UserError =>
    new UserError(`${file} ${why}.`, {
      option: "file",
      remedy: "Give the path of the file, in quotes where it has spaces.",
      cause,
    });
  return {
    name: path.basename(file),
    async open(signal) {
      const found = await stat(file).catch((thrown: unknown) => {
        if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") throw wrong("is not there", thrown);
        throw wrong("cannot be read", thrown);
      });
      if (!found.isFile()) throw wrong("is no file");
      return readable(createReadStream(file, { signal }), (thrown) => wrong("cannot be read", thrown));
    },
  };
}

async function* readable(
  bytes: AsyncIterable<Uint8Array>,
  wrong: (thrown: unknown) => UserError,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (thrown) {
    throw codeOf(thrown) === "EACCES" || codeOf(thrown) === "EPERM" ? wrong(thrown) : thrown;
  }
}
