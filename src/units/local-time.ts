import { LRUCache } from "lru-cache";

import { type Milliseconds, MINUTE } from "./time.ts";

const formatters = new LRUCache<string, Intl.DateTimeFormat>({
  max: 50,
  memoMethod: (timeZone) =>
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    }),
});

/** Whether a name such as `Europe/Berlin` or `UTC` is a time zone that this machine knows. */
export function isTimeZone(zone: string): boolean {
  try {
    formatters.memo(zone);
    return true;
  } catch {
    return false;
  }
}

/**
 * The wall clock of a zone as if it were UTC: Unix milliseconds plus the zone's offset then, to the minute.
 * Throws RangeError for a zone that is none.
 */
export function localMillis(zone: string, at: Milliseconds): Milliseconds {
  if (zone === "UTC") return at;
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatters.memo(zone).formatToParts(at)) part[type] = Number(value);
  const local = Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day ?? 1, part.hour ?? 0, part.minute ?? 0);
  return local + (((at % MINUTE) + MINUTE) % MINUTE);
}

/** `2026-05-01 18:00`: what the clock of a zone shows; of 19 characters, with its seconds. */
export function localText(zone: string, at: Milliseconds, length: 16 | 19 = 16): string {
  return new Date(localMillis(zone, at)).toISOString().slice(0, length).replace("T", " ");
}
