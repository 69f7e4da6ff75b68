/** Tells whoever listens that there is something new, and nothing more. */
export interface News {
  readonly ring: () => void;
  /** Gives the function that ends listening. */
  readonly onNews: (listener: () => void) => () => void;
}

export function createNews(): News {
  const listeners = new Set<() => void>();
  return {
    ring: () => {
      for (const listener of listeners) listener();
    },
    onNews: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
