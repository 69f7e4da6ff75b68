import { z } from "zod";

import { IntegerText, timeFromText, TimeText, timeToText } from "../alerts/kinds/json-fields.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

// Between what is kept as JSON and what is reckoned with.

/** A point in time, kept as decimal nanoseconds. */
export const timeCodec = z.codec(
  TimeText,
  z.custom<Nanoseconds>((value) => typeof value === "bigint"),
  { decode: timeFromText, encode: timeToText },
);

/** An integer of any size, kept in decimal. */
export const integerCodec = z.codec(IntegerText, z.bigint(), {
  decode: (kept) => BigInt(kept),
  encode: (value) => value.toString(),
});
