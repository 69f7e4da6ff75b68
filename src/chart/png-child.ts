// Runs in a process of its own, which png.ts starts: turns SVG into PNG, one after the other.
import { fileURLToPath } from "node:url";

import { Resvg } from "@resvg/resvg-js";

const FONT = fileURLToPath(new URL("./font/dejavu-sans-condensed.ttf", import.meta.url));
/** Its pictures, of 5 MB each, stay in memory until they are collected. */
const COLLECT_EVERY = 5;

let drawn = 0;
// Without its parent nobody needs it.
process.on("disconnect", () => process.exit());
process.on("message", ({ svg, width }: { readonly svg: string; readonly width: number }) => {
  let said: { readonly png: Uint8Array } | { readonly failed: string };
  try {
    const font = { loadSystemFonts: false, fontFiles: [FONT], defaultFontFamily: "DejaVu Sans Condensed" };
    said = { png: new Resvg(svg, { fitTo: { mode: "width", value: width }, font }).render().asPng() };
  } catch (thrown) {
    said = { failed: String(thrown) };
  }
  process.send?.(said, () => {
    drawn += 1;
    if (drawn % COLLECT_EVERY === 0) gc?.();
  });
});
