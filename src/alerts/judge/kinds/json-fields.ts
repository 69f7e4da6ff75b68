import { z } from "zod";

import type { HistoryName } from "../../../api/histories.ts";

export { timeFromText, timeToText } from "../../../units/nanoseconds.ts";

// Alerts are stored as plain JSON, in which numbers of 64 bits are decimal text.

/** An integer of any size, in decimal. */
export const IntegerText = z.string().regex(/^-?\d+$/u);
/** A point in time: Unix nanoseconds, in decimal. */
export const TimeText = IntegerText.describe("Unix nanoseconds");
/** An exact decimal number, such as `61250.5`. */
export const DecimalText = z.string().regex(/^-?\d+(?:\.\d+)?$/u);
/** A span of time in milliseconds, 0 or more. */
export const MillisField = z.number().nonnegative();
/** The name of a list of the network. */
export const HistoryField = z.enum(["checkpoints", "snapshots", "rotations"] satisfies HistoryName[]);
