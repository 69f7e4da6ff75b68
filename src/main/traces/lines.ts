import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

import { codeOf, UserError } from "../../errors.ts";
import { makeFolder } from "../../make-folder.ts";
import { oneLine } from "../../reply/plain-text.ts";
import { putInPlace } from "../../store/sqlite/database-files.ts";
import { formatBytes } from "../../units/format-number.ts";
import { PARTS, type Part, type TraceLine } from "./traces.ts";

/** A look of 20,000 markets is shorter. */
const MAX_LINE_BYTES = 32_000_000;
/** Unpacked: five years of three nodes that are asked every 5 s. */
const MAX_BYTES = 50_000_000_000;
/** Lines are packed in pieces of this many characters. */
const PIECE = 65_536;

/** Bounds on a trace, for tests to lower. */
interface Bounds {
  readonly line: number;
  readonly all: number;
}

/** Writes a trace. Until it is whole it has another name; it overwrites nothing. Throws UserError where it cannot be written. */
export async function writeTrace(file: string, lines: AsyncIterable<TraceLine> | Iterable<TraceLine>): Promise<number> {
  if (existsSync(file)) {
    throw new UserError(`The file ${file} exists already, and an export overwrites nothing.`, {
      remedy: "Name another file, such as one with the date in it.",
    });
  }
  const partial = `${file}.partial`;
  try {
    makeFolder(path.dirname(path.resolve(file)));
    await pipeline(Readable.from(pieces(lines)), createGzip(), createWriteStream(partial));
    putInPlace(partial, file);
    return statSync(file).size;
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw asUserError(thrown, `The trace ${file} cannot be written`, "Name a file that this user may write.");
  }
}

async function* pieces(lines: AsyncIterable<TraceLine> | Iterable<TraceLine>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** A line of a trace, and its number from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly line: TraceLine;
}

/** The lines of a trace, one after the other. Throws UserError, with the number, for the first that does not fit. */
export async function* readTrace(
  file: string,
  { line: maxLine, all: maxAll }: Bounds = { line: MAX_LINE_BYTES, all: MAX_BYTES },
): AsyncGenerator<NumberedLine> {
  const unpacked = createGunzip();
  const done = pipeline(createReadStream(file), unpacked);
  // The loop below meets the same error.
  done.catch(() => undefined);
  let [number, size, read] = [1, 0, 0];
  let begun: Buffer[] = [];
  const ended = (rest: Buffer): NumberedLine => parsed(decoded([...begun, rest], number), number);
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > maxAll) throw refused(number, `the trace is longer than ${formatBytes(maxAll)}`);
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        if (size + end - from > maxLine) throw tooLong(number, maxLine);
        yield ended(chunk.subarray(from, end));
        [begun, size, number, from] = [[], 0, number + 1, end + 1];
      }
      begun.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > maxLine) throw tooLong(number, maxLine);
    }
    if (size > 0) yield ended(Buffer.alloc(0));
  } catch (thrown) {
    const where = number === 1 ? "" : ` after line ${number - 1}`;
    throw asUserError(thrown, `The trace ${file} cannot be read${where}`, "Name a whole file that trace export wrote.");
  } finally {
    unpacked.destroy();
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function decoded(bytes: readonly Buffer[], number: number): string {
  try {
    return UTF8.decode(Buffer.concat(bytes));
  } catch {
    throw refused(number, "it is no UTF-8");
  }
}

function parsed(text: string, number: number): NumberedLine {
  const json = jsonOf(text, number);
  const part = typeof json === "object" && json !== null ? partOf(json) : undefined;
  if (part === undefined) throw refused(number, `it is none of ${Object.keys(PARTS).join(", ")}`);
  const { success, data, error } = PARTS[part].safeParse(json);
  if (success) return { number, line: data };
  const [issue] = error.issues;
  throw refused(number, `${[part, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "it is wrong"}`);
}

function jsonOf(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(number, "it is no JSON");
  }
}

/** Which part of a trace a line belongs to. */
export function partOf(line: object): Part | undefined {
  return (Object.keys(PARTS) as Part[]).find((part) => Object.hasOwn(line, part));
}

/** Refuses a line. */
export function refused(number: number, why: string): UserError {
  return new UserError(`Line ${number} does not fit: ${oneLine(why).replace(/\.$/u, "")}.`, {
    remedy: "docs/traces.md says what a trace holds.",
  });
}

function tooLong(number: number, most: number): UserError {
  return refused(number, `it is longer than ${formatBytes(most)}`);
}

/** What the file or its packing is to blame for, as a sentence; anything else as it is. */
function asUserError(thrown: unknown, sentence: string, remedy: string): unknown {
  const code = codeOf(thrown);
  if (code === undefined || thrown instanceof UserError || !(thrown instanceof Error)) return thrown;
  const isOfFile = "syscall" in thrown || code.startsWith("Z_");
  return isOfFile ? new UserError(`${sentence} (${code}).`, { remedy, cause: thrown }) : thrown;
}
