import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";

import type { GivenFile } from "../../bot/options/options.ts";
import { codeOf, UserError } from "../../errors.ts";

/** A file of this machine, which somebody named by its path. */
export function fileAt(file: string): GivenFile {
  const wrong = (why: string, cause?: unknown): UserError =>
    new UserError(`${file} ${why}.`, {
      option: "file",
      remedy: "Give the path of the file, in quotes where it has spaces.",
      cause,
    });
  return {
    name: path.basename(file),
    async open(signal) {
      const found = await stat(file).catch((thrown: unknown) => {
        if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") throw wrong("is not there", thrown);
        throw wrong("cannot be read", thrown);
      });
      if (!found.isFile()) throw wrong("is no file");
      return readable(createReadStream(file, { signal }), (thrown) => wrong("cannot be read", thrown));
    },
  };
}

async function* readable(
  bytes: AsyncIterable<Uint8Array>,
  wrong: (thrown: unknown) => UserError,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (thrown) {
    throw codeOf(thrown) === "EACCES" || codeOf(thrown) === "EPERM" ? wrong(thrown) : thrown;
  }
}
