import { Readable } from "node:stream";

import type { MessageFile } from "../../../reply/message-files.ts";
import { ALT_TEXT_LENGTH } from "../limits.ts";

/** The body of a request as the REST client takes it. */
export interface Upload {
  readonly body: unknown;
  readonly passThroughBody: boolean;
  /** Aborts when a file cannot be read, and with the signal given. */
  readonly signal?: AbortSignal;
}

/**
 * A request's body: plain JSON, or multipart with `payload_json` and `files[n]`
 * (https://docs.discord.com/developers/reference#uploading-files). The bytes are streamed, anew at each try.
 */
export function uploadOf(payload: object, files: readonly MessageFile[], signal?: AbortSignal): Upload {
  if (files.length === 0) return { body: payload, passThroughBody: false, ...(signal === undefined ? {} : { signal }) };
  const failing = new AbortController();
  const form = new FormData();
  form.append("payload_json", JSON.stringify(payload));
  for (const [index, file] of files.entries()) form.append(`files[${index}]`, new StreamedFile(file, failing));
  const signals = signal === undefined ? [failing.signal] : [failing.signal, signal];
  return { body: form, passThroughBody: true, signal: AbortSignal.any(signals) };
}

/** The files as the message lists them; an empty list removes those of an edited message. */
export function attachmentsOf(files: readonly MessageFile[]): { id: number; filename: string; description?: string }[] {
  return files.map(({ name, alt }, index) => ({
    id: index,
    filename: name,
    ...(alt === undefined ? {} : { description: alt.slice(0, ALT_TEXT_LENGTH).toWellFormed() }),
  }));
}

/** A file of known size with streamed bytes; fetch uses no other members of a form's files. */
class StreamedFile extends File {
  readonly #file: MessageFile;
  readonly #failing: AbortController;

  constructor(file: MessageFile, failing: AbortController) {
    super([], file.name, { type: file.attachment.mediaType });
    this.#file = file;
    this.#failing = failing;
    Object.defineProperty(this, "size", { value: file.attachment.sizeBytes });
  }

  override stream(): ReturnType<File["stream"]> {
    return Readable.toWeb(Readable.from(read(this.#file, this.#failing)));
  }
}

/**
 * A file's bytes. fetch leaves the error of a failed body uncaught, which would end the process: this function aborts the
 * request instead.
 */
async function* read(file: MessageFile, failing: AbortController): AsyncGenerator<Uint8Array> {
  try {
    yield* file.attachment.open();
  } catch (error) {
    failing.abort(error);
    await new Promise(() => {});
  }
}
