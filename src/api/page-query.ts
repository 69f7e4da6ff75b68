import { UserError } from "../errors.ts";
import type { PageRequest } from "./page.ts";

/** Rows asked for where the caller does not say. */
const DEFAULT_PAGE_ROWS = 50;
/** The largest number the interface's int32 holds. */
export const MAX_INT32 = 2_147_483_647;

/**
 * The pagination parameters, always with exactly one of `first` and `last`: without either, a node sends a thousand
 * rows, or with `newestFirst` alone every row it has. Throws UserError for what a node would refuse or ignore.
 */
export function pageQuery(request: PageRequest): URLSearchParams {
  const { first, after, last, before, newestFirst } = request;
  if (first !== undefined && last !== undefined)
    refuse("`first` and `last` cannot go together: a page is read forwards or backwards", "last");
  if (after !== undefined && before !== undefined) refuse("`after` and `before` cannot go together", "before");
  if (last !== undefined && after !== undefined) refuse("`after` goes with `first`, `before` with `last`", "after");
  if (first !== undefined && before !== undefined) refuse("`before` goes with `last`, `after` with `first`", "before");
  const backwards = last !== undefined || before !== undefined;
  const rows = (backwards ? last : first) ?? DEFAULT_PAGE_ROWS;
  if (!Number.isInteger(rows) || rows < 1 || rows > MAX_INT32) {
    refuse(
      `\`${backwards ? "last" : "first"}\` is a whole number of rows from 1 to ${MAX_INT32}`,
      backwards ? "last" : "first",
    );
  }
  const query = new URLSearchParams();
  query.set(backwards ? "pagination.last" : "pagination.first", String(rows));
  const cursor = backwards ? before : after;
  if (cursor !== undefined && cursor !== "") query.set(backwards ? "pagination.before" : "pagination.after", cursor);
  if (newestFirst !== undefined) query.set("pagination.newestFirst", String(newestFirst));
  return query;
}

function refuse(message: string, option: string): never {
  throw new UserError(`${message}.`, { option });
}
