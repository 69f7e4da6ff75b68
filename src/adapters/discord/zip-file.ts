import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { Transform } from "node:stream";

import { ZipFile } from "yazl";

import type { Attachment } from "../../reply/attachment.ts";
import type { MessageFile } from "./render.ts";

/** Files compressed into one .zip on disk, which people open on a phone. The originals stay their owner's to dispose of. */
export async function zipFiles(name: string, files: readonly MessageFile[], signal: AbortSignal): Promise<Attachment> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-zip-"));
  const target = path.join(folder, "packed.zip");
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const zip = new ZipFile();
    for (const file of files) {
      zip.addReadStreamLazy(file.name, { compress: true }, (give) => {
        // A source that fails must fail the archive: neither hang it nor end the process.
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
    const hash = createHash("sha256");
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const output = zip.outputStream as NodeJS.ReadableStream & { destroy(error: Error): void };
    zip.on("error", (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))));
    await pipeline(output, hashing, createWriteStream(target), { signal });
    const { size } = await stat(target);
    return {
      name,
      mediaType: "application/zip",
      sizeBytes: size,
      sha256: hash.digest("hex"),
      open: () => createReadStream(target),
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
