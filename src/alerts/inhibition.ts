import { isOpen, type Episode } from "./episode.ts";
import type { ConditionKind } from "./kinds.ts";

/** What each condition explains: while it is open, these are not told. */
const INHIBITS: Partial<
  Record<ConditionKind, { readonly kinds: readonly ConditionKind[]; readonly sameSubject?: true }>
> = {
  "network.stalled": { kinds: ["checkpoint.overdue", "market.auction", "market.price", "market.bound"] },
  "node.down": { kinds: ["node.lagging"], sameSubject: true },
};

/** Those of the open episodes that may explain another one: the only ones that `inhibitorOf` has to be given. */
export function inhibitingEpisodes(open: readonly Episode[]): readonly Episode[] {
  return open.filter((one) => INHIBITS[one.kind] !== undefined && isOpen(one));
}

/** The open episode that explains another one, where there is one. */
export function inhibitorOf(episode: Episode, open: readonly Episode[]): Episode | undefined {
  return open.find((other) => {
    const explains = INHIBITS[other.kind];
    return (
      explains !== undefined &&
      isOpen(other) &&
      other.network === episode.network &&
      explains.kinds.includes(episode.kind) &&
      (explains.sameSubject !== true || other.subject === episode.subject)
    );
  });
}
