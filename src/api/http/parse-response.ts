import { setImmediate } from "node:timers/promises";

import type { z } from "zod";

import { type ErrorBody, readErrorValue, toShortLine } from "./error-body.ts";
import type { HttpResponse } from "./http.ts";
import { nodeFailure, type RequestTarget } from "./node-failure.ts";

/** The size of one chunk: some milliseconds' work. Bodies of less than two are parsed at once. */
const CHUNK_BYTES = 256 * 1024;
/** The wrapper before the list and behind it, with room for white space. */
const MAX_WRAPPER_BYTES = 100;

/** The bytes of JSON's structure: https://www.rfc-editor.org/rfc/rfc8259#section-2 */
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Parses the body of a 200 by its schema. Throws ApiError `unreadable` with the JSON path. */
export function parseResponse<T extends z.ZodType>(
  response: HttpResponse,
  schema: T,
  target: RequestTarget,
): z.output<T> {
  const body = parseJson(response, target);
  const error = errorInstead(body);
  if (error !== undefined) {
    const why = `says “${error.innerWords ?? error.message ?? "an error"}” (though with HTTP 200)`;
    const { code, message: nodeMessage, details, innerWords } = error;
    throw nodeFailure("unreadable", why, target, {
      httpStatus: response.status,
      path: "error",
      code,
      nodeMessage,
      details,
      innerWords,
    });
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = pathOf(issue?.path ?? []);
  const why = `sent an answer that cannot be understood: ${wordsOf(issue?.message)} at ${path}`;
  throw nodeFailure("unreadable", why, target, { httpStatus: response.status, path });
}

/** An error body with status 200. All fields of an answer are optional, so a schema would accept it. */
function errorInstead(body: unknown): ErrorBody | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  return "error" in body || ("code" in body && "message" in body) ? readErrorValue(body) : undefined;
}

/** Zod's message without its jargon. */
function wordsOf(message: string | undefined): string {
  if (message === undefined) return "it has another shape";
  return toShortLine(message)
    .replace(/^Invalid input: /u, "")
    .replace(/, received undefined$/u, " but there is nothing");
}

function parseJson(response: HttpResponse, target: RequestTarget): unknown {
  try {
    return JSON.parse(response.body.toString("utf8"));
  } catch (cause) {
    const foreign = /^\s*</u.test(response.body.subarray(0, 100).toString("utf8"));
    const what =
      response.body.length === 0
        ? "an empty answer"
        : foreign
          ? "a web page instead of JSON"
          : "an answer that is not JSON";
    throw nodeFailure("unreadable", `sent ${what}`, target, { httpStatus: response.status, foreign, cause });
  }
}

/** `marketsData[3].markPrice`; the top of the answer is `the top`. */
export function pathOf(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${toShortLine(String(step))}`;
  }
  return text === "" ? "the top" : text;
}

/**
 * The same as parseResponse, for an answer that is one list of this name: a long one is parsed in chunks, and yields to
 * the event loop between them. Rejects with ApiError `unreadable` naming the path in the JSON.
 */
export async function parseLongList<T extends z.ZodType>(
  response: HttpResponse,
  schema: T,
  list: string,
  target: RequestTarget,
): Promise<z.output<T>> {
  if (response.body.length <= 2 * CHUNK_BYTES) return parseResponse(response, schema, target);
  const items: unknown[] = [];
  try {
    for (const chunk of splitList(response.body, list, CHUNK_BYTES)) {
      const part = { ...response, body: Buffer.from(`{${JSON.stringify(list)}:[${chunk}]}`) };
      const read = (parseResponse(part, schema, target) as Readonly<Record<string, readonly unknown[] | undefined>>)[
        list
      ];
      for (const item of read ?? []) items.push(item);
      await setImmediate();
    }
  } catch {
    // The error names its place in the whole answer.
    return parseResponse(response, schema, target);
  }
  return { [list]: items } as z.output<T>;
}

/**
 * Cuts `{"name": […]}`, and nothing else, between the items of its list: yields the text of chunks of at least this many
 * bytes, the last one excepted, each of whole items. Throws SyntaxError for a body of any other form; separators are
 * not checked.
 */
export function* splitList(body: Buffer, name: string, bytes: number): Generator<string> {
  let at = startOf(body, name);
  let begun = at;
  let depth = 0;
  for (; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1;
    else if (byte === CLOSING_BRACE || (byte === CLOSING_BRACKET && depth > 0)) depth -= 1;
    else if (byte === CLOSING_BRACKET) break;
    else if (byte === COMMA && depth === 0 && at - begun >= bytes) {
      yield body.toString("utf8", begun, at);
      begun = at + 1;
    }
  }
  if (!/^\s*\]\s*\}\s*$/u.test(body.toString("utf8", at, at + MAX_WRAPPER_BYTES)))
    throw new SyntaxError("not a list alone");
  yield body.toString("utf8", begun, at);
}

function startOf(body: Buffer, name: string): number {
  const [start, key] = /^\s*\{\s*"([^"\\]*)"\s*:\s*\[/u.exec(body.toString("utf8", 0, MAX_WRAPPER_BYTES)) ?? [];
  if (start === undefined || key !== name) throw new SyntaxError("not a list of that name");
  return Buffer.byteLength(start);
}

/** Where the string ends that begins there. */
function endOfString(body: Buffer, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}
