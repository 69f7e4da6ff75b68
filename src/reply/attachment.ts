import { createHash } from "node:crypto";
import { Readable } from "node:stream";

import type { Nanoseconds } from "../units/nanoseconds.ts";

/** A file of a reply. Its bytes may be on disk: `open` can be called any number of times until `dispose`. */
export interface Attachment {
  /** A plain file name, no path: letters, digits, dot, dash, underscore. */
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** A description of a picture, for readers who do not see it. */
  readonly alt?: string;
  /** The half-open stretch of time that its rows span; where the file is too large, shorter ranges can be offered. */
  readonly covers?: { readonly from: Nanoseconds; readonly to: Nanoseconds };
  open(): Readable;
  /**
   * The same rows in numbered parts of at most so many bytes, each a whole file with the header. Left out where a file
   * cannot be cut. The parts are readable until this file is disposed of.
   */
  split?(maxBytes: number): Promise<readonly Attachment[]>;
  /** Frees the bytes. Safe to call twice; the adapter calls it once the reply is delivered or abandoned. */
  dispose(): Promise<void>;
}

/** An attachment whose bytes are held in memory; for small things only. */
export function memoryAttachment(
  name: string,
  mediaType: string,
  content: string | Uint8Array,
  more: { alt?: string } = {},
): Attachment {
  const bytes = Buffer.from(content);
  return {
    name: safeFileName(name),
    mediaType,
    sizeBytes: bytes.byteLength,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    ...more,
    open: () => Readable.from([bytes]),
    dispose: async () => {},
  };
}

/** Whatever a name contains, a file of that name stays where it is put. */
export function safeFileName(name: string): string {
  const cleaned = name.replaceAll(/[^\w.-]+/gu, "-").replace(/^[.-]+/u, "");
  return cleaned === "" ? "file" : cleaned.slice(0, 120);
}
