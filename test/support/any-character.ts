import * as fc from "fast-check";

/**
 * Any character of Unicode but half a surrogate pair, as a unit of `fc.string`. Its own unit "binary", which `fc.webUrl` has,
 * too, makes a table of all of them in each worker: most of a second, and 127 MB.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7_ff }), fc.integer({ min: 0xe0_00, max: 0x10_ff_ff }))
  .map((code) => String.fromCodePoint(code));
