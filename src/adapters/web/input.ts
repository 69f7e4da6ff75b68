import { z } from "zod";

import type { Invocation } from "../../bot/invocation.ts";
import { MAX_FILE_BYTES, MAX_FILES_PER_REPLY } from "./limits.ts";

/** What POST /api/invocations takes: a typed line, or what a button holds. */
export const Question = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({
    command: z.string().max(100),
    options: z.record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()])).default({}),
  }),
]);
export type Question = z.infer<typeof Question>;

/** What POST /api/completions takes. */
export const CompletionRequest = z.strictObject({ text: z.string() });

/** Who asks and where the answer goes. Whoever reaches the console runs the bot, so everything is allowed. */
export const CONSOLE_CONTEXT: Pick<Invocation, "here" | "caller"> = {
  here: { platform: "web", files: { maxBytes: MAX_FILE_BYTES, maxCount: MAX_FILES_PER_REPLY } },
  caller: { id: "console", name: "console", mayManageChannel: true },
};
