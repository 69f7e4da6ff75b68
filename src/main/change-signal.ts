/** Notifies its listeners that something changed, without saying what. */
export interface ChangeSignal {
  readonly notify: () => void;
  /** Returns the function that ends listening. */
  readonly onChange: (listener: () => void) => () => void;
}

export function createChangeSignal(): ChangeSignal {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const listener of listeners) listener();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
