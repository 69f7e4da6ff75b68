// A scene: what a picture shows, as plain JSON. It has no colours and no places: `src/chart/` draws it.
// Times are Unix milliseconds, and values the nearest numbers; the exact ones stand in the table beside the picture.

import { z } from "zod";

const span = { from: z.number(), to: z.number() };

/** How a node stands in a stretch of time; `doubted`: it answers, and is not believed. */
export const LaneState = z.enum(["moves", "lags", "stands", "silent", "doubted"]);
export type LaneState = z.infer<typeof LaneState>;

export const Scene = z.object({
  /** The answer: `mainnet stood still for 14 min`. */
  title: z.string(),
  ...span,
  /** The zone in which the picture says times. */
  zone: z.string(),
  simulated: z.literal(true).exactOptional(),
  /** One more short remark: `4 others kept up`. */
  note: z.string().exactOptional(),
  /** What each of several did, at most six; what is in no part was not seen. */
  lanes: z.array(z.object({ name: z.string(), parts: z.array(z.object({ ...span, state: LaneState })) })).max(6),
  /** How the values of the lines are written: spans of time are in milliseconds. */
  unit: z.enum(["duration", "number"]),
  /** At most three; where nothing was seen, a line ends and another run of it begins. */
  lines: z.array(z.object({ name: z.string(), runs: z.array(z.array(z.tuple([z.number(), z.number()]))) })).max(3),
  thresholds: z.array(z.object({ name: z.string(), value: z.number() })).max(4),
  /** Stretches of time with a name of their own, in their order; `strong` is what the picture is about. */
  bands: z.array(z.object({ ...span, name: z.string(), strong: z.literal(true).exactOptional() })),
  marks: z.array(z.object({ at: z.number(), name: z.string() })),
});
type Whole<T> = { readonly [K in keyof T]: Whole<T[K]> };
export type Scene = Whole<z.infer<typeof Scene>>;
