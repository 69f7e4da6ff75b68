import type { Attachment, FileLimits } from "../../reply/attachment.ts";
import { type MadeFile, packFile } from "../pack/pack.ts";
import type { TemporaryFiles } from "../temporary-file.ts";
import type { ExportJob } from "./job.ts";

/** What one message says of an export's file. */
export interface Delivery {
  /** None where there are no rows, and where the file fits nowhere. The receiver disposes of them. */
  readonly attachments: readonly Attachment[];
  /** What was made of the file for this place: archives, and parts of it; left out = nothing. */
  readonly made?: readonly MadeFile[];
  /** Which message this is, from 1, where one is not enough. */
  readonly message?: { readonly number: number; readonly of: number };
  /** The file is too large to be sent here. */
  readonly tooLarge?: TooLarge;
  /** The file is not where this process can read it: another one made it. */
  readonly elsewhere?: true;
}

/** A job, with what a message says of its file where that is still there. */
export interface EndedJob {
  readonly job: ExportJob;
  readonly delivery: Delivery | undefined;
}

export interface TooLarge {
  readonly sizeBytes: number;
  readonly compressedBytes?: number;
  /** Of one file here. */
  readonly maxBytes: number;
  /** Where it can be downloaded as long as it is kept. */
  readonly link?: string;
}

/** The message that a file is for. */
export interface Into {
  /** Left out = it takes a file of any size. */
  readonly limits: FileLimits | undefined;
  /** Which of the messages, from 1. */
  readonly number: number;
}

/**
 * The file for the message of that number. Takes the file over: what is not among the attachments is disposed of.
 * Rejects as `packFile` does; then nothing is left.
 */
export async function deliver(
  file: Attachment,
  { limits, number }: Into,
  temporary: TemporaryFiles,
  signal: AbortSignal,
): Promise<Delivery> {
  if (limits === undefined) return { attachments: [file] };
  try {
    const packed = await packFile(file, limits, temporary, signal);
    if (!packed.fits) {
      await file.dispose();
      const { compressedBytes } = packed;
      const { sizeBytes } = file;
      return {
        attachments: [],
        tooLarge: {
          sizeBytes,
          maxBytes: limits.maxBytes,
          ...(compressedBytes === undefined ? {} : { compressedBytes }),
        },
      };
    }
    const of = packed.messages.length;
    const [attachments = [], at] = [packed.messages[number - 1] ?? packed.messages[0], Math.min(number, of)];
    const others = [...packed.messages.flat(), file].filter((one) => !attachments.includes(one));
    await Promise.all(others.map((one) => one.dispose()));
    const { made } = packed;
    return {
      attachments,
      ...(made.length === 0 ? {} : { made }),
      ...(of === 1 ? {} : { message: { number: at, of } }),
    };
  } catch (thrown) {
    await file.dispose();
    throw thrown;
  }
}
