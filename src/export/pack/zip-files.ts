import type { Readable } from "node:stream";

import { ZipFile } from "yazl";

import type { Attachment } from "../../reply/reply.ts";
import { fileSink } from "../block-writer.ts";
import type { TemporaryFiles } from "../temporary-file.ts";

/** The earliest time that the format has, for every file, so that the same files give the same bytes. */
const NO_TIME = new Date(1980, 0, 1);

/**
 * Compresses files into one .zip on disk, a format that phones open. The caller still disposes of the originals.
 * Rejects with StorageError when the disk is full, with the error of a file that cannot be read, or with the signal's
 * reason.
 */
export async function zipFiles(
  name: string,
  files: readonly { readonly name: string; readonly attachment: Pick<Attachment, "open"> }[],
  temporary: TemporaryFiles,
  signal: AbortSignal,
): Promise<Attachment> {
  const target = await temporary.create(fileSink);
  try {
    const zip = new ZipFile();
    for (const file of files) {
      zip.addReadStreamLazy(file.name, { compress: true, mtime: NO_TIME, forceDosTimestamp: true }, (give) => {
        // The error of a source ends the archive; without this, the archive would never end, or the process would.
        try {
          const source = file.attachment.open();
          source.once("error", (error) => zip.emit("error", error));
          give(null, source);
        } catch (error) {
          zip.emit("error", error);
        }
      });
    }
    zip.end();
    const output = zip.outputStream as Readable;
    zip.on("error", (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))));
    for await (const chunk of output) {
      signal.throwIfAborted();
      await target.write(chunk as Buffer);
    }
    signal.throwIfAborted();
    const written = await target.finish();
    return {
      name,
      mediaType: "application/zip",
      ...written,
      open: () => target.open(),
      dispose: () => target.dispose(),
    };
  } catch (error) {
    await target.dispose();
    signal.throwIfAborted();
    throw error;
  }
}
