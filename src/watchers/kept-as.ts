import { z } from "zod";

/** A schema for what is kept, unchanged, where `state` can be read from it. */
export function storedAs<S extends z.ZodType>(state: S) {
  return z.custom<z.input<S>>((kept) => z.safeDecode(state, kept as z.input<S>).success);
}
