import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";

import type { MessageFile } from "../../../reply/reply.ts";
import { redactAnswers } from "../../../units/redact.ts";
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
  const signals = signal === undefined ? [failing.signal] : [failing.signal, signal];
  return { body: new Multipart(payload, files, failing), passThroughBody: true, signal: AbortSignal.any(signals) };
}

/** The files as the message lists them; an empty list removes those of an edited message. */
export function attachmentsOf(files: readonly MessageFile[]): { id: number; filename: string; description?: string }[] {
  return files.map(({ name, alt }, index) => ({
    id: index,
    filename: name,
    ...(alt === undefined ? {} : { description: alt.slice(0, ALT_TEXT_LENGTH).toWellFormed() }),
  }));
}

/**
 * The parts of an upload. fetch reads a form of its own to the end, faster than it sends it, and where the request ended
 * before (aborted, or answered early), its next chunk is an unhandled rejection, which would stop the bot. A stream is read
 * as fast as it is sent, and no further.
 */
class Multipart {
  readonly #boundary = `bellwether-${randomUUID()}`;
  readonly #parts: readonly { readonly head: Buffer; readonly file?: MessageFile }[];
  readonly #failing: AbortController;

  constructor(payload: object, files: readonly MessageFile[], failing: AbortController) {
    const start = (name: string, more = ""): string =>
      `--${this.#boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
    this.#failing = failing;
    this.#parts = [
      { head: Buffer.from(`${start("payload_json")}${JSON.stringify(payload)}\r\n`) },
      ...files.map((file, index) => {
        const type = `\r\nContent-Type: ${file.attachment.mediaType}`;
        return { head: Buffer.from(start(`files[${index}]`, `; filename="${escapedName(file.name)}"${type}`)), file };
      }),
    ];
  }

  get headers() {
    const bytes = this.#parts.map(
      ({ head, file }) => head.length + (file === undefined ? 0 : file.attachment.sizeBytes + 2),
    );
    return {
      "content-type": `multipart/form-data; boundary=${this.#boundary}`,
      "content-length": String(bytes.reduce((total, one) => total + one, this.#end.length)),
    };
  }

  get #end(): string {
    return `--${this.#boundary}--\r\n`;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      for (const { head, file } of this.#parts) {
        yield head;
        if (file === undefined) continue;
        yield* file.attachment.open();
        yield Buffer.from("\r\n");
      }
      yield Buffer.from(this.#end);
    } catch (error) {
      // No other try reads it.
      this.#failing.abort(error);
      throw error;
    }
  }
}

/** As browsers write it: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data. */
function escapedName(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

/** fetch for the REST client: it sends uploads, and hides the secrets of the settings in what is answered. */
export const fetchUpload = redactAnswers(async (url: string, init: RequestInit): Promise<Response> => {
  const body: unknown = init.body;
  if (!(body instanceof Multipart)) return fetch(url, init);
  const stream = Readable.from(body.read());
  try {
    const headers = { ...(init.headers as Record<string, string>), ...body.headers };
    const response = await fetch(url, { ...init, body: Readable.toWeb(stream), duplex: "half", headers });
    const { status } = response;
    return response.body === null
      ? response
      : new Response(await response.arrayBuffer(), { status, headers: response.headers });
  } finally {
    // Closes the file that was being read.
    stream.destroy();
  }
});
