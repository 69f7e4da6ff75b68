import { codeOf, StorageError } from "../errors.ts";

const DISK_FULL_CODES = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What a system says when there is no room for more of a file, as the operator's to mend; anything else as an error. */
export function toDiskFullError(thrown: unknown, sizeBytes: number): Error {
  if (!DISK_FULL_CODES.has(codeOf(thrown))) return thrown instanceof Error ? thrown : new Error(String(thrown));
  const megabytes = Math.ceil(sizeBytes / 1_000_000);
  const title = `The bot's disk is full: it ran out about ${megabytes} MB into the export`;
  return new StorageError(`${title}.`, {
    title,
    remedy: "Ask for a shorter range, or have an operator free space for temporary files",
    cause: thrown,
  });
}
