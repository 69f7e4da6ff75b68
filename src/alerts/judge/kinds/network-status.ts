import { z } from "zod";

import { IntegerText, MillisField, Severity, TimeText } from "./kind.ts";
import { CONDITION_KINDS } from "./kinds.ts";

/** The status of a network at a moment: the verdict over its nodes, and the open conditions. */
export const NetworkStatus = z.object({
  network: z.string(),
  /**
   * `unwatched` before the first observation of all, `restarted` before the first of this process; `suspicious` while
   * the network stands still and there is no alert yet.
   */
  verdict: z.enum(["healthy", "suspicious", "stalled", "disagree", "blind", "unwatched", "restarted"]),
  /** When the nodes were last observed, how many of them answered, and the highest block of any. */
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
      /** It was bad already when it was first observed. */
      beganBefore: z.literal(true).exactOptional(),
    }),
  ),
  /** Pending conditions: how long each was bad at the last observation, and after how long it alerts. */
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
  /** How many more are open than listed. */
  more: z.int().nonnegative(),
  /** How many others are open that another subscription of the place tells; absent if there are none. */
  toldAlready: z.int().positive().exactOptional(),
  /** How many others are open that no subscription of the place tells; absent if there are none, or all are listed. */
  elsewhere: z.int().positive().exactOptional(),
  /** Until when silences that hold keep back all that the subscription tells, or a part of it; absent without any. */
  silenced: z
    .object({
      until: TimeText,
      /** It ends after an alert is over, and then at the latest. */
      untilOver: z.literal(true).exactOptional(),
      all: z.boolean(),
    })
    .exactOptional(),
});
export type NetworkStatus = z.infer<typeof NetworkStatus>;
