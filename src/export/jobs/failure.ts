import { ApiError, type ApiErrorKind } from "../../api/api-error.ts";
import { StorageError, UserError } from "../../errors.ts";
import { formatBytes, formatCount } from "../../units/format-number.ts";

/** Somebody stopped the export. */
export class ExportCancelled extends Error {
  override readonly name = "AbortError";

  constructor() {
    super("The export was cancelled.");
  }
}

/** Failures after which the same request may succeed. */
const MAY_PASS: ReadonlySet<ApiErrorKind> = new Set(["unreachable", "timeout", "server", "unreadable", "cut"]);

/** Adds to a node's error how far the export got, and what to do. Other errors are returned as they are. */
export function withExportProgress(
  thrown: unknown,
  { bytes, rows }: { readonly bytes: number; readonly rows: number },
): unknown {
  if (!(thrown instanceof ApiError) || (bytes === 0 && !MAY_PASS.has(thrown.kind))) return thrown;
  // Rows are counted some time after their bytes have arrived.
  const counted = rows === 0 ? "" : ` (${formatCount(rows)} ${rows === 1 ? "row" : "rows"} counted)`;
  const got = bytes === 0 ? "Nothing" : `${formatBytes(bytes)} had come by then${counted}, and nothing of it`;
  const { kind, network, node, httpStatus, code, nodeMessage, innerWords, path, foreign, tried } = thrown;
  const remedy = foreign
    ? "Only whoever runs that node, or a proxy before it, can mend this."
    : "Ask again, or for a shorter range.";
  const next = `${got} is kept. ${remedy}`;
  const details = { network, node, httpStatus, code, nodeMessage, innerWords, path, foreign, tried };
  return new ApiError(kind, `${thrown.message} ${next}`, { ...details, cause: thrown });
}

/** The words of a direct message about a failure; undefined for a bug. */
export function failureWords(thrown: unknown): string | undefined {
  if (thrown instanceof ApiError) return thrown.message;
  if (thrown instanceof UserError) return [thrown.message, thrown.remedy].filter((one) => one !== undefined).join(" ");
  if (thrown instanceof StorageError) return `${thrown.title}. ${thrown.remedy ?? "Ask again once that is mended"}.`;
  return undefined;
}
