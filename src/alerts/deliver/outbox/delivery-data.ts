import { z } from "zod";

import type { DeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import { MillisField, parseJson } from "../../judge/kinds/json-fields.ts";
import { StoredDestination } from "../../destination.ts";

/** What is stored of a delivery as JSON: nothing is searched by it. */
export const DeliveryData = z.object({
  destination: StoredDestination,
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  threadOf: z.string().exactOptional(),
  cardOf: z.string().exactOptional(),
  /** How soon after the last that joined its message another one does; absent = its key alone decides. */
  within: MillisField.exactOptional(),
  /** The platform refused its usual form. */
  plain: z.literal(true).exactOptional(),
  /** Its edit was refused as plain text, too: the message says no more than that it is out of date. */
  outdated: z.literal(true).exactOptional(),
  /** Its message was sent twice, and the other one goes on. */
  twice: z.literal(true).exactOptional(),
  /** It lost the buttons that act. */
  spent: z.literal(true).exactOptional(),
});

/** The data of a delivery, as JSON, with more. */
export function withData({ data }: Pick<DeliveryRow, "data">, more: Partial<z.infer<typeof DeliveryData>>): string {
  return JSON.stringify({ ...(parseJson(data) as object), ...more });
}
