import { z } from "zod";

import { timeField } from "./fields.ts";

/** The time of the last block that the answering node has taken in; unset while it has none. */
export const NetworkTime = z.looseObject({ timestamp: timeField });
export type NetworkTime = z.infer<typeof NetworkTime>;
