import { setFlagsFromString } from "node:v8";

// V8 lets its young generation double from 1 MB to 64 MB while modules are loaded, and gives none of that back in a
// process that then has little to do: some 40 MB that a bot of two chat platforms cannot spare. The factor by which it
// grows is read at each growth, unlike its size, which counts only before V8 starts
// (https://github.com/v8/v8/blob/main/src/flags/flag-definitions.h, semi_space_growth_factor).

/** Keeps V8's young generation as small as it is. */
export function holdYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Lets it grow again, as V8 does by itself. */
export function freeYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
