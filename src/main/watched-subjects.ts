import type { AlertKind } from "../alerts/kinds/kinds.ts";
import type { Subscription } from "../alerts/routing/subscription.ts";

/** What subscriptions name, for watchers that ask for each of them. */
export interface WatchedSubjects {
  /** Takes the subscriptions as they stand now. */
  update(subscriptions: readonly Subscription[]): void;
  /** Of all active subscriptions together, each once. */
  of(network: string, kind: AlertKind): readonly string[];
}

export function watchedSubjects(): WatchedSubjects {
  let current: readonly Subscription[] = [];
  let byKind = new Map<string, readonly string[]>();
  return {
    update(subscriptions) {
      // The engine gives the same list until one of them changes.
      if (subscriptions === current) return;
      current = subscriptions;
      const sets = new Map<string, Set<string>>();
      for (const { state, network, kinds, subjects } of subscriptions) {
        if (state !== "active") continue;
        for (const kind of kinds) {
          const key = `${network}|${kind}`;
          sets.set(key, new Set([...(sets.get(key) ?? []), ...subjects]));
        }
      }
      byKind = new Map([...sets].map(([key, named]) => [key, [...named]]));
    },
    of: (network, kind) => byKind.get(`${network}|${kind}`) ?? [],
  };
}
