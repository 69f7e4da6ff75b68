import { z } from "zod";

import { IntegerText, MillisField, TimeText } from "./json-fields.ts";
import { CONDITION_KINDS } from "./kinds.ts";
import { Severity } from "./severity.ts";

/** How a network stood at a moment: the verdict over its nodes, and what was open. */
export const NetworkStatus = z.object({
  network: z.string(),
  /**
   * `unwatched` before the first look of all, `restarted` before the first one of this process; `suspicious` while the
   * network stands still and nobody is alerted yet.
   */
  verdict: z.enum(["healthy", "suspicious", "stalled", "disagree", "blind", "unwatched", "restarted"]),
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
      /** It was bad already when it was first looked at. */
      beganBefore: z.literal(true).exactOptional(),
    }),
  ),
  /** What is bad and may become an alert: for how long by the last look, and for how long it takes. */
  suspicious: z
    .array(
      z.object({
        kind: z.enum(CONDITION_KINDS),
        subject: z.string(),
        label: z.string().exactOptional(),
        forMillis: MillisField,
        alertsAtMillis: MillisField,
        /** How old the last block was by then, where that is longer: it stood still before it was watched. */
        blockAgeMillis: MillisField.exactOptional(),
      }),
    )
    .exactOptional(),
  /** How many more are open than are named. */
  more: z.int().nonnegative(),
  /** How many others are open that the reader is not told of; absent where there are none, or all are meant. */
  elsewhere: z.int().positive().exactOptional(),
});
export type NetworkStatus = z.infer<typeof NetworkStatus>;
