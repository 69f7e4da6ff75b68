import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether properties are tried as often as they say; vitest.config.ts provides it to the slow project. */
    readonly manyRuns: boolean;
  }
}

/**
 * How often a property of a `*.property.test.ts` is tried: so many times in the slow project, which runs these files as
 * well, and a tenth of that in the fast one.
 */
export function runs(many: number): { readonly numRuns: number } {
  return { numRuns: inject("manyRuns") ? many : Math.ceil(many / 10) };
}
