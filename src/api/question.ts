import type { z } from "zod";

import type { Milliseconds } from "../units/duration.ts";

/** One question to a node: where it is asked, how its answer is read, and for how long the answer holds. */
export interface ApiRequest<T> {
  /** Path and query under the base URL, in the contract's dialect; also the key under which equal questions meet. */
  readonly path: string;
  /** The same in the dialect of v0.71 nodes, where that differs. */
  readonly legacyPath?: string;
  /** A noun phrase for sentences: "the network time". */
  readonly what: string;
  readonly schema: z.ZodType;
  /** From what the schema gives to the answer's value; may throw MissingPart. */
  readonly pick: (parsed: never) => T;
  /** For how long the answer may be given again. */
  readonly keepMillis: Milliseconds | ((value: never) => Milliseconds);
  /** The answer is one list under this name, which may be long. */
  readonly list?: string;
  /** Served by the core node where that has its own base URL. */
  readonly core?: true;
  /** The answer is a Page, whose cursors belong to the node that gives it. */
  readonly pages?: true;
  /** The cursor that the question goes on from; only the node that gave it knows what it means. */
  readonly cursor?: string;
}

/** A well-formed answer without the part that was asked for. */
export class MissingFieldError extends Error {
  override readonly name = "MissingPart";
  readonly path: string;

  constructor(path: string) {
    super(`the answer has no ${path}`);
    this.path = path;
  }
}

/** Declares a question, checked against its schema's type. */
export function defineRequest<S extends z.ZodType, T>(
  declared: Omit<ApiRequest<T>, "schema" | "pick" | "keepMillis"> & {
    schema: S;
    pick: (parsed: z.output<S>) => T;
    keepMillis: Milliseconds | ((value: T) => Milliseconds);
  },
): ApiRequest<T> {
  return declared;
}
