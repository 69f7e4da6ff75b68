// Looks: what each watcher saw, kept exactly and in few bytes, so that it can be read and judged again.
// A look is written as it is (this module) beside the watcher's snapshot. Once its hour is over, or six, keep.ts packs it with
// the others of them into a chunk (columns.ts writes it, chunk.ts and header.ts read it), and read.ts reads both. leaves.ts and
// integers.ts are parts of the codec.

import { type Nanoseconds, timeFromText, timeToText } from "../units/time.ts";

/** What JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** One look of one watcher as it is kept. */
export interface Look {
  /** Names the process, or the watch in it, whose monotonic clock is read. */
  readonly run: string;
  /** Monotonic clock of that process, in milliseconds: when the look was due. */
  readonly dueMillis: number;
  /** How often the watcher looked then, in milliseconds. */
  readonly every: number;
  /** Wall clock as it was stored. */
  readonly at: Nanoseconds;
  /** Why it failed: then nothing was seen. */
  readonly failure?: string;
  /** What was seen; of watchers with long lists, what changed. Left out where it failed. */
  readonly seen?: Json;
}

/** A look as the tail has it. */
export function lookToText({ at, ...look }: Look): string {
  return JSON.stringify({ at: timeToText(at), ...look });
}

/** Throws SyntaxError where it is none. */
export function lookFromText(text: string): Look {
  return lookFromJson(JSON.parse(text) as Json);
}

/** The members of a look that are no part of what was seen. */
type PlainLook = Omit<Look, "at"> & { readonly at: string };

/** Throws SyntaxError where it is none. */
export function lookFromJson(json: unknown): Look {
  if (!isPlainLook(json)) throw new SyntaxError("This is no look.");
  const { at, ...look } = json;
  return { ...look, at: timeFromText(at) };
}

function isPlainLook(json: unknown): json is PlainLook {
  if (typeof json !== "object" || json === null) return false;
  const { at, run, dueMillis, every } = json as Partial<Record<keyof PlainLook, unknown>>;
  return typeof at === "string" && /^-?\d+$/u.test(at) && isText(run) && isNumber(dueMillis) && isNumber(every);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
