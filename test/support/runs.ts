import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether properties are tried as often as they say; vitest.config.ts provides it to the slow project. */
    readonly manyRuns: boolean;
  }
}

/**
 * How often a property is tried: so many times in the slow project, which runs each file that draws cases as well, and a
 * tenth of that in the fast one. A property that does not say is tried 100 times, and 10 times.
 */
export function runs(many: number): { readonly numRuns: number } {
  return { numRuns: inject("manyRuns") ? many : Math.ceil(many / 10) };
}
