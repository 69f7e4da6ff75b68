// Runs in a process of its own, which png.ts starts: draws scenes as PNG, one after the other.
import { fileURLToPath } from "node:url";

import { Resvg } from "@resvg/resvg-js";

import type { Scene } from "../reply/chart.ts";
import { DARK, drawScene, FRAME } from "./draw/draw.js";
import { svgText } from "./draw/svg.js";

const FONT = fileURLToPath(new URL("./font/dejavu-sans-condensed.ttf", import.meta.url));
/** Pixels for each unit of the frame: readable on phones. */
const SCALE = 3;
/** Its pictures, of 5 MB each, stay in memory until they are collected. */
const COLLECT_EVERY = 5;

let drawn = 0;
// Without its parent nobody needs it.
process.on("disconnect", () => process.exit());
process.on("message", (scene: Scene) => {
  let said: { readonly png: Uint8Array } | { readonly failed: string };
  try {
    const svg = svgText(drawScene(scene, DARK));
    const font = { loadSystemFonts: false, fontFiles: [FONT], defaultFontFamily: "DejaVu Sans Condensed" };
    said = { png: new Resvg(svg, { fitTo: { mode: "width", value: FRAME.width * SCALE }, font }).render().asPng() };
  } catch (thrown) {
    said = { failed: String(thrown) };
  }
  process.send?.(said, () => {
    drawn += 1;
    if (drawn % COLLECT_EVERY === 0) gc?.();
  });
});
