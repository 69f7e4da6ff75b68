import { Hono } from "hono";

import { safeFileName, type Attachment } from "../../reply/attachment.ts";
import type { FileCache } from "../kept-files.ts";
import { refuse } from "./guard.ts";

/** Types that a browser may show as pictures; all others are told as bytes, so that no file is ever run as a page. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const PLAIN = new Set(["text/csv", "text/plain", "application/json", "application/zip", "application/gzip"]);

/** The files of answers, for download. Paths are below /api. */
export function fileRoutes(files: FileCache): Hono {
  const app = new Hono();
  app.get("/files/:id", (c) => {
    const found = files.read(c.req.param("id"));
    if (found === undefined) {
      return refuse(c, 404, "This file is no longer kept: ask again for a fresh one.");
    }
    return fileResponse(found.attachment, c.req.method === "HEAD" ? null : found.bytes);
  });
  return app;
}

/** A file for download; without bytes what is said before them. */
export function fileResponse(attachment: Attachment, bytes: AsyncIterable<Uint8Array> | null): Response {
  const type = PICTURES.has(attachment.mediaType) || PLAIN.has(attachment.mediaType);
  const headers = {
    "Content-Type": type ? attachment.mediaType : "application/octet-stream",
    "Content-Length": String(attachment.sizeBytes),
    "Content-Disposition": `attachment; filename="${safeFileName(attachment.name)}"`,
    "Cache-Control": "private, no-store",
  };
  return new Response(bytes === null ? null : ReadableStream.from(bytes), { headers });
}
