import { inflateRawSync } from "node:zlib";

/** The content of an archive of one file. */
export function unzip(bytes: Buffer): string {
  const data = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
  // What follows the file, the archive's directory, is not read.
  return inflateRawSync(bytes.subarray(data), { finishFlush: 2 }).toString();
}
