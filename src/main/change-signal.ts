/** Notifies its listeners that something changed, without saying what. */
export type ChangeSignal = ReturnType<typeof createChangeSignal>;

export function createChangeSignal() {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const listener of listeners) listener();
    },
    /** Returns the function that ends listening. */
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
