import { UserError } from "../../errors.ts";

/** One word of a typed line. */
export interface Token {
  /** Without its quotes. */
  readonly text: string;
  /** The index of the first quoted character in `text`: from there on it is a value, never an option's name. */
  readonly quotedFrom: number;
  /** The index of the word in the line. */
  readonly start: number;
  /** The index behind the word. */
  readonly end: number;
}

/** Opening quotes with their closing ones; phones turn straight quotes into curly ones. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "”": "”",
  "„": "“",
  "‘": "’",
  "’": "’",
  "«": "»",
};

/** A longer line is a pasted file. */
const MAX_LINE_LENGTH = 4000;

const SPACES = /\s*/uy;
/** A run without white space and quotes. */
const PLAIN = /[^\s"'“”„‘’«]+/uy;
/** A quote behind it begins a value. */
const LEAD = /^[-–—]*[a-z][a-z\d-]*[:=]$/iu;

/**
 * Splits a line at white space, from the index `from` on. Quotes group when they begin a word or follow `name:` or
 * `--name=`; inside straight double quotes a backslash keeps the next character.
 * @throws UserError when a quote is never closed or the line is too long. With `lenient`, an open quote runs to the end.
 */
export function tokenize(line: string, options: { lenient?: boolean; from?: number } = {}): Token[] {
  const from = options.from ?? 0;
  if (line.length - from > MAX_LINE_LENGTH) {
    throw new UserError(`This line has ${line.length - from} characters; at most ${MAX_LINE_LENGTH} are taken.`, {
      remedy: "Shorten it.",
    });
  }
  const tokens: Token[] = [];
  let at = endOf(SPACES, line, from);
  while (at < line.length) {
    const start = at;
    let text = "";
    let quotedFrom = Number.POSITIVE_INFINITY;
    for (let end = start; ; at = end) {
      end = endOf(PLAIN, line, at);
      text += line.slice(at, end);
      const quote = line[end] ?? "";
      const closing = QUOTES[quote];
      if (closing === undefined) {
        at = end;
        break;
      }
      if (quotedFrom === Infinity && (text === "" || LEAD.test(text))) {
        const quoted = readQuoted(line, end, closing);
        if (!quoted.closed && options.lenient !== true) {
          throw new UserError(`A quote ${quote} is opened and never closed.`, {
            remedy: `Close it with ${closing}, or leave it out where the value has no spaces.`,
          });
        }
        quotedFrom = text.length;
        text += quoted.text;
        end = quoted.end;
      } else {
        text += quote;
        end += 1;
      }
    }
    tokens.push({ text, quotedFrom, start, end: at });
    at = endOf(SPACES, line, at);
  }
  return tokens;
}

/** Where a sticky expression that matches at this index ends; the index itself where it matches nothing. */
function endOf(expression: RegExp, line: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(line) ? expression.lastIndex : at;
}

function readQuoted(line: string, open: number, closing: string): { text: string; end: number; closed: boolean } {
  let text = "";
  let at = open + 1;
  while (at < line.length) {
    const character = line[at] ?? "";
    if (character === closing) return { text, end: at + 1, closed: true };
    if (character === "\\" && line[open] === '"' && at + 1 < line.length) {
      text += line[at + 1] ?? "";
      at += 2;
    } else {
      text += character;
      at += 1;
    }
  }
  return { text, end: at, closed: false };
}

/** A word as it can be typed again. */
export function lineWord({ text, quotedFrom }: Token): string {
  return quotedFrom === Number.POSITIVE_INFINITY
    ? text
    : `${text.slice(0, quotedFrom)}${quoteValue(text.slice(quotedFrom))}`;
}

/** A value as it can be typed on a line. */
export function quoteValue(value: string): string {
  if (value !== "" && !/[\s"'“”„‘’«»\\]/u.test(value)) return value;
  return `"${value.replaceAll(/["\\]/gu, (character) => `\\${character}`)}"`;
}
