import { z } from "zod";

import { MillisField } from "../../judge/kinds/json-fields.ts";
import { StoredDestination } from "../../destination.ts";

/** What is stored of a delivery as JSON: nothing is searched by it. */
export const DeliveryData = z.object({
  destination: StoredDestination,
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  threadOf: z.string().exactOptional(),
  /** How soon after another one of its group it still joins that one's message; absent = as long as there is one. */
  within: MillisField.exactOptional(),
  /** The platform refused its usual form. */
  plain: z.literal(true).exactOptional(),
  /** Of an edit: its message was sent twice, and the other one goes on. */
  twice: z.literal(true).exactOptional(),
});
