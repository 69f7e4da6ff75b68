// Packs a file into messages of a platform: as it is, or compressed, or in compressed parts over a few messages. Of a
// file that is too large even so, the answer tells the sizes.
// Next: zip-files.ts (archives).

import type { Attachment, FileLimits } from "../../reply/reply.ts";
import type { TemporaryFiles } from "../temporary-file.ts";
import { zipFiles } from "./zip-files.ts";

/** A file that was made here, as it is recognised when somebody gives it back. */
export type MadeFile = Pick<Attachment, "name" | "mediaType" | "sizeBytes" | "sha256">;

export type Packed =
  | {
      readonly fits: true;
      /**
       * The files of each message, in order: the given file where it fits as it is, else archives made here, of which
       * the caller disposes.
       */
      readonly messages: readonly (readonly Attachment[])[];
      /** The archives, and the parts in them. */
      readonly made: readonly MadeFile[];
    }
  | {
      readonly fits: false;
      /** The whole file as one archive; left out where it is far too large to try. */
      readonly compressedBytes?: number | undefined;
    };

/** The text of ledgers never compresses to less than one part in so many. */
const MAX_COMPRESSION = 40;
/** More messages than these for one file are too many. */
export const MAX_MESSAGES = 3;
/**
 * Parts of equal length differ in their compressed length. So they are planned below the limit, and made smaller if one
 * is above it.
 */
const PART_FILL = 0.9;
const MAX_TRIES = 3;

/** Packs a file within the limits of a platform. Rejects as `zipFiles` does. */
export async function packFile(
  file: Attachment,
  limits: FileLimits,
  temporary: TemporaryFiles,
  signal: AbortSignal,
): Promise<Packed> {
  const { maxBytes } = limits;
  if (file.sizeBytes <= maxBytes) return { fits: true, messages: [[file]], made: [] };
  const perMessage = Math.max(1, Math.min(limits.maxCount, Math.floor((limits.maxTotalBytes ?? Infinity) / maxBytes)));
  const maxParts = file.split === undefined ? 1 : perMessage * MAX_MESSAGES;
  if (file.sizeBytes > maxBytes * maxParts * MAX_COMPRESSION) return { fits: false };
  const whole = await zip(file, temporary, signal);
  if (whole.sizeBytes <= maxBytes) return { fits: true, messages: [[whole]], made: [toMade(whole)] };
  await whole.dispose();
  const compressedBytes = whole.sizeBytes;
  let partBytes = Math.floor((file.sizeBytes / compressedBytes) * maxBytes * PART_FILL);
  for (let turn = 0; turn < MAX_TRIES; turn += 1, partBytes = Math.floor(partBytes * PART_FILL)) {
    if (file.split === undefined || Math.ceil(file.sizeBytes / partBytes) > maxParts) break;
    const cut = await file.split(partBytes);
    const parts = await zipParts(cut, maxBytes, temporary, signal);
    if (parts === undefined) continue;
    if (parts.length <= maxParts) {
      const made = [...parts, ...cut].map(toMade);
      return { fits: true, messages: inMessages(parts, perMessage), made };
    }
    await disposeAll(parts);
    break;
  }
  return { fits: false, compressedBytes };
}

/** Each part as an archive of its own; undefined where one is too large. */
async function zipParts(
  parts: readonly Attachment[],
  maxBytes: number,
  temporary: TemporaryFiles,
  signal: AbortSignal,
): Promise<Attachment[] | undefined> {
  const made: Attachment[] = [];
  try {
    for (const part of parts) {
      const archive = await zip(part, temporary, signal);
      made.push(archive);
      if (archive.sizeBytes <= maxBytes) continue;
      await disposeAll(made);
      return undefined;
    }
    return made;
  } catch (error) {
    await disposeAll(made);
    throw error;
  } finally {
    await disposeAll(parts);
  }
}

function zip(file: Attachment, temporary: TemporaryFiles, signal: AbortSignal): Promise<Attachment> {
  return zipFiles(`${file.name}.zip`, [{ name: file.name, attachment: file }], temporary, signal);
}

function toMade({ name, mediaType, sizeBytes, sha256 }: Attachment): MadeFile {
  return { name, mediaType, sizeBytes, sha256 };
}

function inMessages(files: readonly Attachment[], perMessage: number): Attachment[][] {
  return Array.from({ length: Math.ceil(files.length / perMessage) }, (_, index) =>
    files.slice(index * perMessage, (index + 1) * perMessage),
  );
}

async function disposeAll(files: readonly Attachment[]): Promise<void> {
  await Promise.allSettled(files.map((file) => file.dispose()));
}
