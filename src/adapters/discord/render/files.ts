import { zipFiles } from "../../../export/pack/zip-files.ts";
import { temporaryFiles } from "../../../export/temporary-file.ts";
import type { Attachment } from "../../../reply/attachment.ts";
import { paragraph } from "../../../reply/block.ts";
import { tableAttachment } from "../../../reply/csv.ts";
import { fullTextAttachment } from "../../../reply/full-text.ts";
import { messageFile, type MessageFile, type nameFiles, ownCsv } from "../../../reply/message-files.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { Reply } from "../../../reply/reply.ts";
import { joinText } from "../../../reply/text.ts";
import { formatBytes } from "../../../units/format-number.ts";
import { MAX_FILES, MAX_TOTAL_FILE_BYTES } from "../limits.ts";
import { escapeMarkdown } from "./markdown.ts";

/** A file that cannot be sent here. */
export interface UnsendableFile {
  readonly file: MessageFile;
  /** Its compressed size; undefined where compressing failed or saved nothing. */
  readonly compressedBytes: number | undefined;
}

/** Archives are made where exports are. */
const temporary = temporaryFiles();

export interface FittedFiles {
  readonly files: readonly MessageFile[];
  readonly unsendable: readonly UnsendableFile[];
  /** Removes the archives made here; the given files stay their owner's. */
  dispose(): Promise<void>;
}

/** Fits files into a message: compresses those too large, packs surplus ones into one archive, unless `compress` says no. */
export async function fitFiles(
  given: readonly MessageFile[],
  maxBytes: number,
  signal: AbortSignal,
  compress = true,
): Promise<FittedFiles> {
  const made: Attachment[] = [];
  const dispose = async (): Promise<void> => void (await Promise.allSettled(made.map((one) => one.dispose())));
  const pack = async (name: string, files: readonly MessageFile[]): Promise<MessageFile | undefined> => {
    if (!compress) return undefined;
    const attachment = await zipFiles(name, files, temporary, signal);
    made.push(attachment);
    return { name, alt: undefined, attachment };
  };
  try {
    const unsendable: UnsendableFile[] = [];
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
    return { files, unsendable, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
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

/**
 * One sentence for each unsendable file; empty without unsendable files. At most `length` characters.
 */
export function tooLargeText(unsendable: readonly UnsendableFile[], maxBytes: number, length: number): string {
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

/**
 * The files of a reply, then a CSV for each table at one of the places `csv`, then the whole reply as text where that
 * has a name. What a CSV holds the text does not repeat.
 */
export function replyFiles(
  reply: Reply,
  { given, csvNames }: Pick<ReturnType<typeof nameFiles>, "given" | "csvNames">,
  csv: ReadonlySet<number>,
  wholeName: string | undefined,
): readonly MessageFile[] {
  const nameAt = (index: number): string => csvNames[index] ?? "";
  const tables = reply.blocks.flatMap((block, index) =>
    csv.has(index) && block.kind === "table" && ownCsv(reply, block) === undefined
      ? [messageFile(nameAt(index), tableAttachment(block))]
      : [],
  );
  if (wholeName === undefined) return [...given, ...tables];
  const blocks = reply.blocks.map((block, index) =>
    csv.has(index) && block.kind === "table"
      ? paragraph(joinText([block.title, `The table is in ${nameAt(index)}.`], "\n"))
      : block,
  );
  return [...given, ...tables, messageFile(wholeName, fullTextAttachment({ ...reply, blocks }, wholeName))];
}
