import { z } from "zod";

/** How bad it is, in rising order. One word and one colour each. */
export const SEVERITIES = ["info", "warning", "critical"] as const;
export const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

/** Negative, zero or positive, as a is milder than, as bad as or worse than b. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}
