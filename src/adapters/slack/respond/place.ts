import { z } from "zod";

import { Ask, type Immutable } from "../../../reply/document.ts";
import { ResponseAddress } from "../transport/response-url.ts";

// Where an answer goes, as the store keeps it while the answer is being made: left-answers.ts closes it after a crash.

/** A message that the app posted. */
const Posted = z.object({ channel: z.string(), ts: z.string() });
export type Posted = Immutable<z.infer<typeof Posted>>;

/** A response_url, and whose it is. */
const ByUrl = z.object({
  address: ResponseAddress,
  user: z.string(),
  shared: z.boolean(),
  /** The direct message that shows its progress. */
  direct: Posted.optional(),
});

/** What a responder is made of, by its kind, and what it shows there by now. */
const Place = z.discriminatedUnion("kind", [
  ByUrl.extend({
    kind: z.literal("command"),
    /** A progress message is shown there. */
    shown: z.boolean().optional(),
  }),
  ByUrl.extend({ kind: z.literal("button"), replaces: z.boolean().optional(), thread: z.string().optional() }),
  z.object({
    kind: z.literal("mention"),
    channel: z.string(),
    thread: z.string().optional(),
    /** The mention itself, whose thread an answer for all begins. */
    message: z.string().optional(),
    user: z.string(),
    /** Its progress for all to see. */
    posted: Posted.optional(),
    direct: Posted.optional(),
  }),
  z.object({ kind: z.literal("direct"), user: z.string(), posted: Posted.optional() }),
  z.object({ kind: z.literal("view"), id: z.string(), channel: z.string().optional() }),
]);
export type Place = Immutable<z.infer<typeof Place>>;
export type PlaceOf<K extends Place["kind"]> = Omit<Extract<Place, { readonly kind: K }>, "kind">;

/** What closes an answer. */
export const Left = z.object({
  v: z.literal(1),
  ask: Ask,
  asker: z.object({ id: z.string(), name: z.string() }),
  workspace: z.string().optional(),
  channel: z.string().optional(),
  thread: z.string().optional(),
  place: Place,
});
