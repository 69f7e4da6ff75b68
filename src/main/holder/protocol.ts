import { z } from "zod";

import { type Immutable, ReplyJson } from "../../reply/document.ts";

// The messages over the holder's socket. Both ends may be of different versions, so both validate.

/** POST /run */
export const RunRequest = z.object({
  line: z.string(),
  network: z.string().exactOptional(),
  /** Whether the reply's files are fetched; left out = they are not. */
  takesFiles: z.boolean().exactOptional(),
  /** Where whoever asks is: a path in the line begins there. */
  cwd: z.string().exactOptional(),
});
export type RunRequest = z.infer<typeof RunRequest>;

/** One line of the answer to POST /run; `alive` keeps the connection open meanwhile. */
export const RunEvent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("alive") }),
  z.object({ kind: z.literal("progress"), reply: ReplyJson }),
  z.object({ kind: z.literal("reply"), reply: ReplyJson }),
]);
export type RunEvent = Immutable<z.infer<typeof RunEvent>>;

/** POST /complete */
export const CompleteRequest = z.object({ line: z.string() });
export type CompleteRequest = z.infer<typeof CompleteRequest>;

/** The answer to POST /complete: lines to offer, and what each stands for. */
export const CompleteReply = z.object({ lines: z.array(z.string()), labels: z.array(z.string()).optional() });
export type CompleteReply = z.infer<typeof CompleteReply>;

/** A command line is never longer. */
export const MAX_REQUEST_BYTES = 64 * 1024;
/** How often `alive` is sent while a command runs silently; three missing ones end the wait. */
export const ALIVE_MILLIS = 5000;
