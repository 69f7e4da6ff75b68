import { z } from "zod";

import { IntegerText, TimeText } from "./json-units.ts";
import { CONDITION_KINDS } from "./kinds.ts";
import { Severity } from "./severity.ts";

/** How a network stood at a moment: the verdict over its nodes, and what was open. */
export const Standing = z.object({
  network: z.string(),
  /** `unwatched` before the first look. */
  verdict: z.enum(["healthy", "stalled", "disagree", "blind", "unwatched"]),
  /** When the nodes were last looked at, how many of them answered, and the highest block that one said. */
  looked: TimeText.exactOptional(),
  answering: z.int().nonnegative().exactOptional(),
  nodes: z.int().nonnegative().exactOptional(),
  height: IntegerText.exactOptional(),
  /** The worst ones, worst first. */
  firing: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(CONDITION_KINDS),
      subject: z.string(),
      label: z.string().exactOptional(),
      severity: Severity,
      since: TimeText,
    }),
  ),
  /** How many more are open than are named. */
  more: z.int().nonnegative(),
});
export type Standing = z.infer<typeof Standing>;
