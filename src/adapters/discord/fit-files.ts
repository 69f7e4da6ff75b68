import type { Attachment } from "../../reply/attachment.ts";
import { MAX_TOTAL_FILE_BYTES, MAX_FILES } from "./limits.ts";
import type { MessageFile } from "./render.ts";
import { zipFiles } from "./zip-file.ts";

/** A file that cannot be sent here. */
export interface UnsendableFile {
  readonly file: MessageFile;
  /** Its size compressed; undefined where compressing it was no help or failed. */
  readonly packedBytes: number | undefined;
}

export interface FittedFiles {
  readonly files: readonly MessageFile[];
  readonly unsendable: readonly UnsendableFile[];
  /** Gives up the archives made here; the files given stay their owner's. */
  dispose(): Promise<void>;
}

/** Makes files fit a message: what is too large is compressed, what are too many go into one archive. */
export async function fitFiles(
  given: readonly MessageFile[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<FittedFiles> {
  const made: Attachment[] = [];
  const dispose = async (): Promise<void> => void (await Promise.allSettled(made.map((one) => one.dispose())));
  const pack = async (name: string, files: readonly MessageFile[]): Promise<MessageFile> => {
    const attachment = await zipFiles(name, files, signal);
    made.push(attachment);
    return { name, alt: undefined, attachment };
  };
  try {
    const lost: UnsendableFile[] = [];
    let files: MessageFile[] = [];
    for (const file of given) {
      if (file.attachment.sizeBytes <= maxBytes) files.push(file);
      else {
        const packed = isCompressed(file) ? undefined : await pack(`${file.name}.zip`, [file]);
        if (packed !== undefined && packed.attachment.sizeBytes <= maxBytes) files.push(packed);
        else lost.push({ file, packedBytes: packed?.attachment.sizeBytes });
      }
    }
    if (files.length > MAX_FILES) {
      const rest = await pack("more-files.zip", files.slice(MAX_FILES - 1));
      if (rest.attachment.sizeBytes <= maxBytes) files = [...files.slice(0, MAX_FILES - 1), rest];
      else {
        lost.push(...files.slice(MAX_FILES).map((file) => ({ file, packedBytes: undefined })));
        files = files.slice(0, MAX_FILES);
      }
    }
    for (const file of largestFirst(files)) {
      if (totalBytes(files) <= MAX_TOTAL_FILE_BYTES) break;
      if (isCompressed(file)) continue;
      const packed = await pack(`${file.name}.zip`, [file]);
      if (packed.attachment.sizeBytes < file.attachment.sizeBytes) files = files.with(files.indexOf(file), packed);
    }
    for (const file of largestFirst(files)) {
      if (totalBytes(files) <= MAX_TOTAL_FILE_BYTES) break;
      files = files.filter((one) => one !== file);
      lost.push({ file, packedBytes: undefined });
    }
    return { files, unsendable: lost, dispose };
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
