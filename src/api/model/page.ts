import { z } from "zod";

import { UserError } from "../../errors.ts";
import { flagField, requiredListField, requiredRecordField, textField } from "./fields.ts";

/** One page of a list, with the cursors that lead on. Cursors are opaque and belong to the node that gave them. */
export interface Page<T> {
  readonly rows: readonly { readonly cursor: string | undefined; readonly node: T }[];
  readonly startCursor: string | undefined;
  readonly endCursor: string | undefined;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

const EMPTY_PAGE: Page<never> = {
  rows: [],
  startCursor: undefined,
  endCursor: undefined,
  hasNextPage: false,
  hasPreviousPage: false,
};

/** Which page. At most one of `first` and `last`; `after` goes with `first`, `before` with `last`. */
export interface PageRequest {
  /** How many rows forwards, 1 or more. */
  readonly first?: number;
  readonly after?: string;
  /** How many rows backwards, 1 or more. */
  readonly last?: number;
  readonly before?: string;
  /** Default true, as at the node. */
  readonly newestFirst?: boolean;
}

/** The interface's page<T>, with its edges flattened into rows; it must be there, and null is an empty one. */
export function page<T extends z.ZodType>(node: T) {
  return z
    .looseObject({
      edges: requiredListField(z.looseObject({ cursor: textField, node })),
      pageInfo: requiredRecordField(
        z.looseObject({
          startCursor: textField,
          endCursor: textField,
          hasNextPage: flagField,
          hasPreviousPage: flagField,
        }),
      ),
    })
    .nullable()
    .transform((given): Page<z.output<T>> => {
      if (given === null) return EMPTY_PAGE;
      const { edges, pageInfo } = given;
      return {
        rows: edges.map((edge) => ({ cursor: edge.cursor, node: edge.node as z.output<T> })),
        startCursor: pageInfo?.startCursor,
        endCursor: pageInfo?.endCursor,
        hasNextPage: pageInfo?.hasNextPage ?? false,
        hasPreviousPage: pageInfo?.hasPreviousPage ?? false,
      };
    });
}

/** The default number of rows. */
const DEFAULT_PAGE_ROWS = 50;
/** The largest number the interface's int32 holds. */
export const MAX_INT32 = 2_147_483_647;

/**
 * The pagination parameters, always with exactly one of `first` and `last`: without either, a node sends a thousand
 * rows, or with `newestFirst` alone every row it has. Throws UserError for parameters that nodes refuse or ignore.
 */
export function pageQuery(request: PageRequest): URLSearchParams {
  checkPageRequest(request);
  const { first, after, last, before, newestFirst } = request;
  const backwards = last !== undefined || before !== undefined;
  const name = backwards ? "last" : "first";
  const rows = (backwards ? last : first) ?? DEFAULT_PAGE_ROWS;
  if (!Number.isInteger(rows) || rows < 1 || rows > MAX_INT32) {
    throw new UserError(`${name} cannot be ${rows}.`, {
      option: name,
      remedy: `Give a whole number of rows from 1 to ${MAX_INT32}.`,
    });
  }
  const query = new URLSearchParams();
  query.set(`pagination.${name}`, String(rows));
  const cursor = backwards ? before : after;
  if (cursor !== undefined && cursor !== "") query.set(backwards ? "pagination.before" : "pagination.after", cursor);
  if (newestFirst !== undefined) query.set("pagination.newestFirst", String(newestFirst));
  return query;
}

/** Throws UserError for parameters that contradict each other: a page is read forwards or backwards. */
export function checkPageRequest(request: Readonly<Partial<Record<keyof PageRequest, unknown>>>): void {
  const { first, after, last, before } = request;
  if (first !== undefined && last !== undefined) throw contradiction("first", "last");
  if (after !== undefined && before !== undefined) throw contradiction("after", "before");
  const remedy = "after goes with first, before with last.";
  if (after !== undefined && last !== undefined) throw contradiction("last", "after", remedy);
  if (before !== undefined && first !== undefined) throw contradiction("first", "before", remedy);
}

function contradiction(one: string, option: string, remedy = "Give only one of them."): UserError {
  return new UserError(`${one} and ${option} cannot go together.`, { option, remedy });
}
