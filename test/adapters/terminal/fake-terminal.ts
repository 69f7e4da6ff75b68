import { PassThrough } from "node:stream";

import { runAsk, type RunAskOptions } from "../../../src/adapters/terminal/index.ts";
import type { LineRunner, RunOptions } from "../../../src/adapters/terminal/line-runner.ts";
import type { DisplayPreferences, Terminal } from "../../../src/adapters/terminal/streams.ts";
import type { LineCompletion } from "../../../src/bot/grammar/complete-line.ts";
import { silentLog } from "../../../src/log.ts";
import type { Reply } from "../../../src/reply/reply.ts";
import { GALLERY_NOW } from "../../support/gallery.ts";

type Answer = Reply | ((line: string, options: RunOptions) => Promise<Reply>);

interface Asked {
  readonly line: string;
  readonly network: string | undefined;
  readonly takesFiles: boolean | undefined;
}

export interface Talk {
  readonly exit: Promise<number>;
  /** Everything written so far. */
  out(): string;
  err(): string;
  type(keys: string): void;
  /** The end of what is typed: a file read to its end. */
  end(): void;
  /** Ctrl-C as a signal. */
  interrupt(): void;
  /** Resolves once standard output or standard error contains the text. */
  sees(text: string): Promise<void>;
  readonly asked: readonly Asked[];
  readonly closed: () => boolean;
}

/** A terminal of streams with a user, and a runner with canned answers. */
export function talk(
  argv: readonly string[],
  given: {
    answers?: Readonly<Record<string, Answer>>;
    complete?: readonly (string | LineCompletion)[];
    tty?: boolean;
    columns?: number;
    preferences?: DisplayPreferences;
    historyFile?: string;
    open?: RunAskOptions["open"];
  } = {},
): Talk {
  const { answers = {}, tty = false, columns = 80 } = given;
  const [input, out, err] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const said = { out: "", err: "" };
  const waiting = new Set<() => void>();
  for (const [name, stream] of [["out", out] as const, ["err", err] as const]) {
    stream.on("data", (chunk: Buffer) => {
      said[name] += chunk.toString();
      for (const check of waiting) check();
    });
  }
  const listeners = new Set<() => void>();
  const asked: Asked[] = [];
  let closed = false;
  const runner: LineRunner = {
    async run(line, options) {
      asked.push({ line, network: options.network, takesFiles: options.takesFiles });
      const answer = answers[line];
      if (answer === undefined) throw new Error(`no answer to ${line}`);
      return typeof answer === "function" ? answer(line, options) : answer;
    },
    complete: async () => (given.complete ?? []).map((one) => (typeof one === "string" ? { line: one } : one)),
    close: async () => {
      closed = true;
    },
  };
  const terminal: Terminal = {
    input,
    inputIsTty: tty,
    out: { stream: out, isTty: tty, columns: () => (tty ? columns : undefined) },
    err: { stream: err, isTty: tty, columns: () => (tty ? columns : undefined) },
    preferences: given.preferences ?? { noColor: "1" },
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const exit = runAsk({
    argv,
    terminal,
    open: given.open ?? (async () => runner),
    historyFile: given.historyFile,
    version: () => "1.2.3",
    log: silentLog(),
    now: () => GALLERY_NOW,
  });
  return {
    exit,
    out: () => said.out,
    err: () => said.err,
    type: (keys) => input.write(keys),
    end: () => input.end(),
    interrupt: () => {
      for (const listener of listeners) listener();
    },
    sees: (text) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!said.out.includes(text) && !said.err.includes(text)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    asked,
    closed: () => closed,
  };
}
