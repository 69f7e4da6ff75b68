import { zipFiles } from "../../../export/pack/zip-files.ts";
import { temporaryFiles } from "../../../export/temporary-file.ts";
import type { Log } from "../../../log.ts";
import type { Attachment, MessageFile } from "../../../reply/reply.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import { formatBytes } from "../../../units/format-number.ts";
import { MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_FILE_BYTES } from "../limits.ts";
import { escapeMarkdown } from "./markdown.ts";

/** Archives are made where exports are. */
const temporary = temporaryFiles();

/** The bounds of a message's files. */
export interface FileContext {
  /** The largest file that the message takes; left out = Discord's usual limit. */
  readonly maxBytes?: number;
  readonly log: Log;
  /** Ends the compression. */
  readonly signal: AbortSignal;
}

/** The files that a message takes, and those that it does not; `dispose` removes the archives made here. */
export type FittedFiles = Awaited<ReturnType<typeof fitFiles>>;

/**
 * Fits files into a message: compresses those too large, packs surplus ones into one archive. Where compression fails (a
 * full disk), keeps the files that fit as they are. The given files stay their owner's. Rejects only with the signal's
 * reason.
 */
export async function fitFiles(given: readonly MessageFile[], { maxBytes = MAX_FILE_BYTES, log, signal }: FileContext) {
  const made: Attachment[] = [];
  const dispose = async (): Promise<void> => void (await Promise.allSettled(made.map((one) => one.dispose())));
  let compresses = true;
  const pack = async (name: string, files: readonly MessageFile[]): Promise<MessageFile | undefined> => {
    if (!compresses) return undefined;
    try {
      const attachment = await zipFiles(name, files, temporary, signal);
      made.push(attachment);
      for (const { attachment: packed } of files) packed.onPacked?.(attachment);
      return { name, alt: undefined, attachment };
    } catch (error) {
      if (signal.aborted) await dispose();
      signal.throwIfAborted();
      log.error({ err: error, platform: "discord" }, "compression failed");
      compresses = false;
      return undefined;
    }
  };
  /** `compressedBytes` is undefined where the file was not compressed. */
  const unsendable: { readonly file: MessageFile; readonly compressedBytes: number | undefined }[] = [];
  let files: MessageFile[] = [];
  for (const file of given) {
    if (file.attachment.sizeBytes <= maxBytes) files.push(file);
    else {
      const packed = isCompressed(file) ? undefined : await pack(`${file.name}.zip`, [file]);
      if (packed !== undefined && packed.attachment.sizeBytes <= maxBytes) files.push(packed);
      else unsendable.push({ file, compressedBytes: packed?.attachment.sizeBytes });
    }
  }
  if (files.length > MAX_FILES) {
    const rest = await pack("more-files.zip", files.slice(MAX_FILES - 1));
    if (rest !== undefined && rest.attachment.sizeBytes <= maxBytes) files = [...files.slice(0, MAX_FILES - 1), rest];
    else {
      unsendable.push(...files.slice(MAX_FILES).map((file) => ({ file, compressedBytes: undefined })));
      files = files.slice(0, MAX_FILES);
    }
  }
  for (const file of largestFirst(files)) {
    if (totalBytes(files) <= MAX_TOTAL_FILE_BYTES) break;
    if (isCompressed(file)) continue;
    const packed = await pack(`${file.name}.zip`, [file]);
    const saves = packed !== undefined && packed.attachment.sizeBytes < file.attachment.sizeBytes;
    if (saves) files = files.with(files.indexOf(file), packed);
  }
  for (const file of largestFirst(files)) {
    if (totalBytes(files) <= MAX_TOTAL_FILE_BYTES) break;
    files = files.filter((one) => one !== file);
    unsendable.push({ file, compressedBytes: undefined });
  }
  return { files, unsendable, maxBytes, dispose };
}

function isCompressed(file: MessageFile): boolean {
  return /^(?:application\/(?:zip|gzip)|image\/(?:png|jpeg|webp))$/u.test(file.attachment.mediaType);
}

function largestFirst(files: readonly MessageFile[]): MessageFile[] {
  return files.toSorted((a, b) => b.attachment.sizeBytes - a.attachment.sizeBytes);
}

function totalBytes(files: readonly MessageFile[]): number {
  return files.reduce((total, file) => total + file.attachment.sizeBytes, 0);
}

/** One sentence for each unsendable file; empty where there is none. At most `length` characters. */
export function tooLargeText({ unsendable, maxBytes }: FittedFiles, length: number): string {
  const sentences = unsendable.map(({ file, compressedBytes }) => {
    const { sizeBytes } = file.attachment;
    const name = escapeMarkdown(oneLine(file.name));
    const size = formatBytes(sizeBytes);
    if (sizeBytes <= maxBytes) {
      return `**${name} does not fit beside the other files**: it has ${size}, and a message takes ${MAX_FILES} files of ${formatBytes(MAX_TOTAL_FILE_BYTES)} in all.`;
    }
    const packed = compressedBytes === undefined ? "" : `, ${formatBytes(compressedBytes)} compressed`;
    return `**${name} is too large to send here**: it has ${size}${packed}, and Discord takes ${formatBytes(maxBytes)} here.`;
  });
  const text = sentences.join("\n");
  return text.length <= length
    ? text
    : `${unsendable.length} files are too large to send here; Discord takes ${formatBytes(maxBytes)} each.`;
}
