import type { Palette } from "../../src/chart/draw/draw.js";

/** The colours of pictures on a light page, as the console's style sheet has them. */
export const LIGHT: Palette = {
  ground: "#ffffff",
  ink: "#1a1d21",
  faint: "#80868d",
  line: "#0072b2",
  other: "#8a6d00",
  third: "#a8487e",
  limit: "#b34700",
  moves: "#008361",
  lags: "#a06d00",
  stands: "#c24f00",
  silent: "#4b525a",
  doubted: "#a8487e",
};
