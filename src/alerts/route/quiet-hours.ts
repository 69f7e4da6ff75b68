import { z } from "zod";

import { isTimeZone, localMillis } from "../../units/local-time.ts";
import { DAY, type Milliseconds, MINUTE } from "../../units/time.ts";

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, "must be a time of day such as 22:00");

/** Daily hours without notifications; over midnight if `to` is not after `from`. */
export const QuietHours = z.object({
  from: TimeOfDay,
  to: TimeOfDay,
  zone: z.string().refine(isTimeZone, "must be a time zone such as Europe/Berlin"),
});
export type QuietHours = z.infer<typeof QuietHours>;

/** When the quiet hours that hold at a moment end, in Unix milliseconds; undefined if none hold. */
export function quietUntil(quiet: QuietHours, at: Milliseconds): Milliseconds | undefined {
  const local = localMillis(quiet.zone, at);
  const time = ((local % DAY) + DAY) % DAY;
  const from = millisOf(quiet.from);
  const length = (millisOf(quiet.to) - from + DAY) % DAY || DAY;
  const into = (time - from + DAY) % DAY;
  const left = length - into;
  if (left <= 0) return undefined;
  const shift = localMillis(quiet.zone, at + left) - local - left;
  if (shift === 0) return at + left;
  // The zone's clocks change in between; an end that they skip comes as much later as they jump.
  const shifted = at + left - shift;
  return localMillis(quiet.zone, shifted) - local === left ? shifted : at + left;
}

function millisOf(time: string): Milliseconds {
  const [hours, minutes] = time.split(":").map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE;
}
