/** A bound on how many things go on at one time; who finds none free is refused, not queued. */
export interface ConcurrencyLimit {
  /** Takes a slot and gives the function that frees it, or undefined when all are taken. */
  tryAcquire(): (() => void) | undefined;
}

export function createConcurrencyLimit(count: number): ConcurrencyLimit {
  let free = count;
  return {
    tryAcquire: () => {
      if (free === 0) return undefined;
      free -= 1;
      let held = true;
      return () => {
        if (held) free += 1;
        held = false;
      };
    },
  };
}
