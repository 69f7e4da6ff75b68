import { z } from "zod";

import type { DeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import { MillisField, parseJson } from "../../judge/kinds/kind.ts";
import { DeliveryFields } from "./batch.ts";

/**
 * Of what was planned. Later `spent` says that it lost the buttons that act, and `picture` that one is to be added: one
 * attempt is made, since a second one might add a second picture.
 */
const Planned = DeliveryFields.omit({ id: true, phase: true, episode: true, edits: true, heldUntil: true });

/** What is stored of a delivery as JSON: nothing is searched by it. */
export const DeliveryData = Planned.extend({
  /** How soon after the last that joined its message another one does; absent = its key alone decides. */
  within: MillisField.exactOptional(),
  /** The platform refused its usual form. */
  plain: z.literal(true).exactOptional(),
  /** Its edit was refused as plain text, too: the message says no more than that it is out of date. */
  outdated: z.literal(true).exactOptional(),
  /** Its message was sent twice, and the other one goes on. */
  twice: z.literal(true).exactOptional(),
  /** It has a picture, by the platform's name of it. */
  pictured: z.string().exactOptional(),
});

/** The data of a delivery, as JSON, with neither a picture nor the wish for one. */
export function withoutPicture({ data }: Pick<DeliveryRow, "data">): string {
  const read = parseJson(data);
  if (typeof read !== "object" || read === null) return data;
  const { picture: _1, pictured: _2, ...rest } = read as Partial<z.infer<typeof DeliveryData>>;
  return JSON.stringify(rest);
}

/** The data of a delivery, as JSON, with more. */
export function withData({ data }: Pick<DeliveryRow, "data">, more: Partial<z.infer<typeof DeliveryData>>): string {
  return JSON.stringify({ ...(parseJson(data) as object), ...more });
}
