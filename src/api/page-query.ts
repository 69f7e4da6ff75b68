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
  checkPageRequest(request);
  const { first, after, last, before, newestFirst } = request;
  const backwards = last !== undefined || before !== undefined;
  const name = backwards ? "last" : "first";
  const rows = (backwards ? last : first) ?? DEFAULT_PAGE_ROWS;
  if (!Number.isInteger(rows) || rows < 1 || rows > MAX_INT32) {
    throw new UserError(`${name} is a whole number of rows from 1 to ${MAX_INT32}.`, { option: name });
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
