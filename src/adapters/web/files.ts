import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { type Context, Hono } from "hono";

import { type Attachment, safeFileName } from "../../reply/reply.ts";
import type { Preview } from "../adapter.ts";
import type { FileCache } from "../file-cache.ts";
import { refuse } from "./access/guard.ts";

const FOLDER = new URL("./public/", import.meta.url);
/** Modules that the page shares with the server, at the addresses where its relative imports lead in a browser. */
const SHARED = [
  "reply/columns.js",
  "reply/csv-rows.js",
  "reply/states.js",
  "units/span.js",
  ...["draw", "axes", "marks", "svg", "text", "glyphs"].map((name) => `chart/draw/${name}.js`),
].map((name) => ({ route: `/${name}`, file: new URL(`../../${name}`, import.meta.url) }));

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

interface Asset {
  readonly mediaType: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** The folder of a platform with the page.js and page.css that draw its previews. */
type PlatformPage = Pick<Preview, "platform" | "page">;

/**
 * The page and its assets, the files of `public/` and of the platforms' folders, and nothing else on disk. None of it is
 * secret. The modules of a platform import those of `public/` by their place on disk, so it has a second address.
 */
export function pageRoutes(platforms: readonly PlatformPage[]): Hono {
  const files = new Map([
    ...filesIn(FOLDER, ""),
    ...filesIn(FOLDER, "web/public/"),
    ...platforms.flatMap(({ platform, page }) => (page === undefined ? [] : filesIn(page, `${platform}/page/`))),
  ]);
  const assets = new Map<string, Promise<Asset>>();
  const send = async (c: Context, file: URL): Promise<Response> => {
    const loaded = assets.get(file.href) ?? readAsset(file);
    assets.set(file.href, loaded);
    return answer(await loaded, c.req.header("if-none-match"));
  };
  const app = new Hono();

  app.get("/", (c) => send(c, new URL("index.html", FOLDER)));
  for (const route of [
    "/page/:name",
    "/page/:folder/:name",
    "/page/:platform/:folder/:name",
    "/page/web/public/:folder/:name",
  ]) {
    app.get(route, (c) => {
      const file = files.get(new URL(c.req.url).pathname.slice("/page/".length));
      if (file === undefined) return refuse(c, 404, "There is no such file.");
      return send(c, file);
    });
  }
  for (const { route, file } of SHARED) app.get(route, (c) => send(c, file));
  app.get("/favicon.ico", (c) => c.redirect("/page/bellwether.svg", 308));
  return app;
}

/** The files of a folder and of those in it, by their address below `/page/`. */
function filesIn(folder: URL, address: string): [string, URL][] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap(assetName);
  return names.map((name) => [address + name, new URL(name, folder)]);
}

/** A file of the page as its address names it; nothing for any other. */
function assetName(file: string): string[] {
  const name = file.replaceAll("\\", "/");
  return /^(?:[a-z]+\/)?[a-z0-9-]+\.(?:html|css|js|svg)$/u.test(name) ? [name] : [];
}

async function readAsset(file: URL): Promise<Asset> {
  const body = new Uint8Array(await readFile(file));
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const extension = file.pathname.slice(file.pathname.lastIndexOf(".") + 1);
  return { mediaType: MEDIA_TYPES[extension] ?? "application/octet-stream", body, etag };
}

/** Browsers revalidate each time, so that an update shows at the next reload. */
function answer(asset: Asset, known: string | undefined): Response {
  const headers = { "Content-Type": asset.mediaType, "Cache-Control": "no-cache", ETag: asset.etag };
  return known === asset.etag ? new Response(null, { status: 304, headers }) : new Response(asset.body, { headers });
}

/** Types served under their own name; all others are served as bytes, so that no file is ever run as a page. */
const SAFE_TYPES = /^(?:image\/(?:png|jpeg|gif|webp)|text\/(?:csv|plain)|application\/(?:json|zip|gzip))$/u;

/** The files of answers, for download. Paths are below /api. */
export function fileRoutes(files: FileCache): Hono {
  const app = new Hono();
  app.get("/files/:id", (c) => {
    const found = files.read(c.req.param("id"));
    if (found === undefined) return refuse(c, 404, "This file is no longer kept: ask again for a fresh one.");
    return fileResponse(found.attachment, c.req.method === "HEAD" ? null : found.bytes);
  });
  return app;
}

/** A file for download; without bytes, its headers alone. */
export function fileResponse(attachment: Attachment, bytes: AsyncIterable<Uint8Array> | null): Response {
  return new Response(bytes === null ? null : ReadableStream.from(bytes), { headers: downloadHeaders(attachment) });
}

export function downloadHeaders({ name, mediaType, sizeBytes }: Pick<Attachment, "name" | "mediaType" | "sizeBytes">) {
  return {
    "Content-Type": SAFE_TYPES.test(mediaType) ? mediaType : "application/octet-stream",
    "Content-Length": String(sizeBytes),
    "Content-Disposition": `attachment; filename="${safeFileName(name)}"`,
    "Cache-Control": "private, no-store",
  };
}
