import type { Attachment, FileLimits } from "../../reply/reply.ts";
import { type MadeFile, packFile } from "../pack/pack.ts";
import type { TemporaryFiles } from "../temporary-file.ts";
import type { ExportJob } from "./job.ts";

/** An export's file as one message has it. */
export interface Delivery {
  /** None where there are no rows, or where the file is too large. The receiver disposes of them. */
  readonly attachments: readonly Attachment[];
  /** The archives and parts that were made of the file for this place; left out = none. */
  readonly made?: readonly MadeFile[];
  /** The number of this message, from 1, where the file takes several. */
  readonly message?: { readonly number: number; readonly of: number };
  /** The file is too large to be sent here. */
  readonly tooLarge?: TooLarge;
  /** Another process made the file, and this one cannot read it. */
  readonly elsewhere?: true;
}

/** A job, with its file where that is kept. */
export interface EndedJob {
  readonly job: ExportJob;
  readonly delivery: Delivery | undefined;
}

export interface TooLarge {
  readonly sizeBytes: number;
  readonly compressedBytes?: number | undefined;
  /** Of one file here. */
  readonly maxBytes: number;
  /** The address at which it can be downloaded as long as it is kept. */
  readonly link?: string;
}

/** The message that a file is for. */
export interface Into {
  /** Undefined = it takes a file of any size. */
  readonly limits: FileLimits | undefined;
  /** The number of the message, from 1, among those that the file takes. */
  readonly number: number;
}

/**
 * The attachments of the message of that number. Disposes of the file, of archives and of parts that are not among
 * them. Rejects as `packFile` does, after all are disposed of.
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
      return { attachments: [], tooLarge: { sizeBytes: file.sizeBytes, maxBytes: limits.maxBytes, compressedBytes } };
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
