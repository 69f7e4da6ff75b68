import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** The script that is bundled. */
export const ENTRY = "src/main.ts";
/** The folder of the bundle, in the installation, which `npm ci` clears. */
export const BUNDLE = path.join(ROOT, "node_modules", ".cache", "bellwether-bundle");
/** Each bundled source: its path from ROOT, its modification time and its size. */
export const MANIFEST = path.join(BUNDLE, "sources.json");

/** The bundle's entry; undefined where there is no bundle, or a source has changed since. */
export function freshBundle(manifest = MANIFEST) {
  try {
    /** @type {[string, number, number][]} */
    const sources = JSON.parse(readFileSync(manifest, "utf8"));
    const isFresh = sources.every(([file, modifiedAt, size]) => {
      const source = statSync(`${ROOT}/${file}`);
      return source.mtimeMs === modifiedAt && source.size === size;
    });
    return isFresh ? path.join(path.dirname(manifest), "main.cjs") : undefined;
  } catch {
    return undefined;
  }
}
