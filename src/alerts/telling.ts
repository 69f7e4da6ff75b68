import { z } from "zod";

import { Severity } from "./severity.ts";
import { StoredDestination } from "./subscription.ts";

/** What one destination was told of one episode: the ledger by which nothing is said twice or left unsaid. */
export const NotificationState = z.object({
  destination: StoredDestination,
  style: z.enum(["live", "thread", "plain"]),
  /** `closed` once nothing more is owed of the episode. */
  state: z.enum(["suppressed", "told", "closed"]),
  /** What keeps, or kept, the trigger back. */
  by: z.string().exactOptional(),
  /** The worst severity that was told. */
  severity: Severity.exactOptional(),
  trigger: z.string().exactOptional(),
  escalation: z.string().exactOptional(),
  resolve: z.string().exactOptional(),
  reminders: z.int(),
  /** Somebody acknowledged it for this destination alone. */
  acknowledged: z.literal(true).exactOptional(),
  /** When it was last told loudly, in Unix milliseconds. */
  toldMillis: z.number().exactOptional(),
  /** Of the episode by which flapping was found out: that it flaps was told, too. */
  flapping: z.literal(true).exactOptional(),
  /** What the live message shows, so that it is edited only when that changes. */
  shown: z.string().exactOptional(),
});
export type NotificationState = z.infer<typeof NotificationState>;
