import type { Readable, Writable } from "node:stream";

/** Standard output or standard error. */
export interface Screen {
  readonly stream: Writable;
  readonly isTty: boolean;
  /** Undefined where it has no width: a file, a pipe. */
  columns(): number | undefined;
}

export interface Terminal {
  readonly input: Readable;
  readonly inputIsTty: boolean;
  readonly out: Screen;
  readonly err: Screen;
  readonly preferences: DisplayPreferences;
  /** Calls back on SIGINT; returns the function that unsubscribes. */
  onInterrupt(listener: () => void): () => void;
}

/** The environment variables that affect display, unparsed. */
export interface DisplayPreferences {
  /** NO_COLOR, https://no-color.org: set to anything but an empty value, it switches colours off. */
  readonly noColor?: string | undefined;
  /** FORCE_COLOR, as Node reads it: `0` and `false` switch colours off, anything else on; stronger than NO_COLOR. */
  readonly forceColor?: string | undefined;
  /** TERM: `dumb` has neither colours nor hyperlinks, the Linux console no hyperlinks. */
  readonly term?: string | undefined;
  /** COLUMNS: the width of what is no terminal. */
  readonly columns?: string | undefined;
}

/** For a pipe, which has no width: enough for a table with whole ids, which another program may need. */
const PIPE_COLUMNS = 200;

export function processTerminal(preferences: DisplayPreferences): Terminal {
  const screen = (stream: NodeJS.WriteStream): Screen => ({
    stream,
    isTty: stream.isTTY,
    columns: () => (stream.isTTY ? stream.columns : undefined),
  });
  return {
    input: process.stdin,
    inputIsTty: process.stdin.isTTY,
    out: screen(process.stdout),
    err: screen(process.stderr),
    preferences,
    onInterrupt: (listener) => {
      process.on("SIGINT", listener);
      return () => process.off("SIGINT", listener);
    },
  };
}

/** The display options of a screen. */
export function displayOptions(
  screen: Screen,
  preferences: DisplayPreferences,
): { width: number; colour: boolean; links: boolean } {
  const { term, columns } = preferences;
  const typed = Number(columns);
  const given = Number.isInteger(typed) && typed > 0 ? typed : undefined;
  return {
    // A terminal without a size of its own says 0.
    width: screen.columns() || (given ?? (screen.isTty ? 80 : PIPE_COLUMNS)),
    colour: wantsColour(screen, preferences),
    links: screen.isTty && term !== "dumb" && term !== "linux",
  };
}

function wantsColour(screen: Screen, { noColor = "", forceColor, term }: DisplayPreferences): boolean {
  if (forceColor !== undefined) return forceColor !== "0" && forceColor !== "false";
  return noColor === "" && screen.isTty && term !== "dumb";
}

/** Resolves when the text is written; false when the reader is gone. */
export function write(screen: Screen, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (screen.stream.destroyed) resolve(false);
    else screen.stream.write(text, (error) => resolve(error === null || error === undefined));
  });
}
