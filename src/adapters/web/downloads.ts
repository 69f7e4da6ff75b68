import type { Readable } from "node:stream";

import { type Context, Hono } from "hono";

import type { Attachment } from "../../reply/reply.ts";
import { createConcurrencyLimit, MAX_DOWNLOADS } from "./limits.ts";
import { downloadHeaders } from "./files.ts";
import { refuse } from "./access/guard.ts";

/** A file behind a link: whoever has its address may read it, any number of times and from any place on. */
export interface LinkedFile extends Pick<Attachment, "name" | "mediaType" | "sizeBytes" | "sha256"> {
  /** The bytes from `from` up to, not including, `to`. */
  open(from: number, to: number): Readable;
}

/**
 * Finds a file by the secret in its address; undefined where there is none, or no longer; `elsewhere` where another process
 * has it.
 */
export type LinkedFiles = (secret: string) => Promise<LinkedFile | "elsewhere" | undefined>;

/**
 * Files behind links, for people who are not signed in. The secret in the address is all that protects one, so it is
 * never logged, and no cache or search engine may keep it.
 */
export function downloadRoutes(linked: LinkedFiles): Hono {
  const app = new Hono();
  const takeSlot = createConcurrencyLimit(MAX_DOWNLOADS);
  app.get("/download/:secret/:name", async (c) => {
    const file = await linked(c.req.param("secret"));
    if (file === undefined) return refuse(c, 404, "This link has expired. Ask the bot for the export again.");
    if (file === "elsewhere") {
      const why = "The process of the bot that answers here cannot read this file: another one made it.";
      return refuse(c, 404, `${why} Try the link again, or ask the bot for the export again.`);
    }
    const entity = `"${file.sha256}"`;
    const headers = {
      ...downloadHeaders(file),
      "Accept-Ranges": "bytes",
      ETag: entity,
      "X-Robots-Tag": "noindex, nofollow",
    };
    const range = rangeOf(c, entity, file.sizeBytes);
    if (range === "unsatisfiable") {
      return c.body(null, 416, { ...headers, "Content-Length": "0", "Content-Range": `bytes */${file.sizeBytes}` });
    }
    const [from, to] = range ?? [0, file.sizeBytes - 1];
    const part = range === undefined ? {} : { "Content-Range": `bytes ${from}-${to}/${file.sizeBytes}` };
    const init = {
      status: range === undefined ? 200 : 206,
      headers: { ...headers, ...part, "Content-Length": String(to - from + 1) },
    };
    if (c.req.method === "HEAD") return new Response(null, init);
    const release = takeSlot();
    if (release === undefined) return refuse(c, 503, "Too many downloads at once. Try again in a moment.", 10);
    return new Response(ReadableStream.from(releasing(file.open(from, to + 1), release)), init);
  });
  return app;
}

async function* releasing(bytes: Readable, release: () => void): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of bytes) yield chunk as Uint8Array;
  } finally {
    bytes.destroy();
    release();
  }
}

/**
 * The first and last byte asked for (https://www.rfc-editor.org/rfc/rfc9110#name-range-requests). Undefined for the whole
 * file, also where several ranges are asked for, or the file is another one by now.
 */
function rangeOf(c: Context, entity: string, size: number): readonly [number, number] | "unsatisfiable" | undefined {
  const condition = c.req.header("if-range");
  if (condition !== undefined && condition !== entity) return undefined;
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/u.exec(c.req.header("range") ?? "");
  const [, first = "", last = ""] = found ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") return last === "0" ? "unsatisfiable" : [Math.max(0, size - Number(last)), size - 1];
  const [from, to] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== "" && Number(last) < from) return undefined;
  return from >= size ? "unsatisfiable" : [from, to];
}
