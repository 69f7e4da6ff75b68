import { ApiError } from "../../api/api-error.ts";
import { StorageError, UserError } from "../../errors.ts";
import { formatBytes, formatCount } from "../../units/format-number.ts";

/** Somebody stopped the export. */
export class ExportCancelled extends Error {
  override readonly name = "AbortError";

  constructor() {
    super("The export was cancelled.");
  }
}

/** A node's failure in the middle of an export also says how far that got, and what to do. */
export function howFar(thrown: unknown, { bytes, rows }: { readonly bytes: number; readonly rows: number }): unknown {
  if (!(thrown instanceof ApiError) || bytes === 0) return thrown;
  const got = `${formatCount(rows)} ${rows === 1 ? "row" : "rows"} (${formatBytes(bytes)}) had come by then, and none is kept. Ask again, or for a shorter range.`;
  const { kind, network, node, httpStatus, code, nodeMessage, innerWords, path, foreign, tried } = thrown;
  const details = { network, node, httpStatus, code, nodeMessage, innerWords, path, foreign, tried };
  return new ApiError(kind, `${thrown.message} ${got}`, { ...details, cause: thrown });
}

/** What people are told of a failure by direct message; undefined for a bug. */
export function failureWords(thrown: unknown): string | undefined {
  if (thrown instanceof ApiError) return thrown.message;
  if (thrown instanceof UserError) return [thrown.message, thrown.remedy].filter((one) => one !== undefined).join(" ");
  if (thrown instanceof StorageError) return `${thrown.title}. ${thrown.remedy ?? "Ask again once that is mended"}.`;
  return undefined;
}
