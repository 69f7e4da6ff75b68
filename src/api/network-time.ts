import { z } from "zod";

import { nanoseconds } from "../units/nanoseconds.ts";

/** The time of the last block that the answering node has taken in. */
export const NetworkTime = z.looseObject({
  timestamp: z
    .string()
    .regex(/^\d+$/u, "expected Unix nanoseconds")
    .transform((value) => nanoseconds(BigInt(value))),
});
export type NetworkTime = z.infer<typeof NetworkTime>;
