import { createHash } from "node:crypto";
import { Readable } from "node:stream";

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
  open(): Readable;
  /**
   * The same rows in numbered parts of at most so many bytes, each a whole file with the header. Left out where a file
   * cannot be cut. The parts are readable until this file is disposed of.
   */
  split?(maxBytes: number): Promise<readonly Attachment[]>;
  /** Called with an archive that a platform made of this file, alone or with others. Must not throw. */
  onPacked?(archive: Pick<Attachment, "name" | "mediaType" | "sizeBytes" | "sha256">): void;
  /** Frees the bytes. Safe to call twice; the adapter calls it once the reply is delivered or abandoned. */
  dispose(): Promise<void>;
}

/** A platform's limits for the files of a message. */
export interface FileLimits {
  readonly maxBytes: number;
  readonly maxCount: number;
  /** Of all files of a message together; left out = as many as there are. */
  readonly maxTotalBytes?: number;
}

/** An attachment whose bytes are held in memory; for small things only. */
export function memoryAttachment(
  name: string,
  mediaType: string,
  content: string | Uint8Array,
  more: { alt?: string } = {},
): Attachment {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
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

/** The longest name of a file. */
export const MAX_NAME_CHARACTERS = 120;

/** A file name without a path: letters, digits, dot, dash and underscore, at most 120 characters. */
export function safeFileName(name: string): string {
  const cleaned = name.replaceAll(/[^\w.-]+/gu, "-").replace(/^[.-]+/u, "");
  return cleaned === "" ? "file" : cleaned.slice(0, MAX_NAME_CHARACTERS);
}
