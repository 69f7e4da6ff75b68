import { Readable } from "node:stream";

import type { MessageFile } from "./render.ts";

/** Where a message goes, as the REST interface takes it. */
export interface Upload {
  readonly body: unknown;
  readonly passThroughBody: boolean;
}

/**
 * A request's body: plain JSON, or multipart with `payload_json` and `files[n]`
 * (https://docs.discord.com/developers/reference#uploading-files). The bytes are read while they are sent,
 * again at each try, and never lie in memory as a whole.
 */
export function uploadOf(payload: object, files: readonly MessageFile[]): Upload {
  if (files.length === 0) return { body: payload, passThroughBody: false };
  const form = new FormData();
  form.append("payload_json", JSON.stringify(payload));
  for (const [index, file] of files.entries()) form.append(`files[${index}]`, new StreamedFile(file));
  return { body: form, passThroughBody: true };
}

/** How the message itself names its files; an empty list takes away those that an edited message had. */
export function attachmentsOf(files: readonly MessageFile[]): { id: number; filename: string; description?: string }[] {
  return files.map(({ name, alt }, index) => ({
    id: index,
    filename: name,
    ...(alt === undefined ? {} : { description: alt }),
  }));
}

/** A file of known size whose bytes come from elsewhere; fetch asks a form's files for nothing but these. */
class StreamedFile extends File {
  readonly #file: MessageFile;

  constructor(file: MessageFile) {
    super([], file.name, { type: file.attachment.mediaType });
    this.#file = file;
    Object.defineProperty(this, "size", { value: file.attachment.sizeBytes });
  }

  override stream(): ReturnType<File["stream"]> {
    return Readable.toWeb(this.#file.attachment.open());
  }
}
