import { z } from "zod";

import { type Immutable, ReplyJson } from "../../reply/document.ts";
import type { Milliseconds } from "../../units/time.ts";

// The bodies of the holder's socket; adapters/web/invocations has its routes. Both ends may have different versions, so
// both validate.

/** POST /invocations */
export const SocketQuestion = z.object({
  text: z.string(),
  network: z.string().exactOptional(),
  /** Whether the reply's files are fetched; left out = they are not. */
  takesFiles: z.boolean().exactOptional(),
  /** The working folder of the process that asks: a relative path in the line begins there. */
  cwd: z.string().exactOptional(),
});
export type SocketQuestion = z.infer<typeof SocketQuestion>;

/** One line of the stream that answers it; `alive` comes while a command runs without progress. */
export const SocketEvent = z.union([
  z.strictObject({ alive: z.literal(true) }),
  z.strictObject({ progress: ReplyJson }),
  z.strictObject({ reply: ReplyJson }),
]);
export type SocketEvent = Immutable<z.infer<typeof SocketEvent>>;

/** The answer to POST /completions: lines to offer, and what each stands for. */
export const Completions = z.object({ lines: z.array(z.string()), labels: z.array(z.string().nullable()) });

/** How often `alive` is sent; three missing ones end the wait. */
export const ALIVE_MILLIS: Milliseconds = 5000;
