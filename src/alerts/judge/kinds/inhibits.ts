import { type ConditionKind, SERVICE_KINDS } from "./kinds.ts";

const FOLLOWS_FROM_A_HALT: readonly ConditionKind[] = [
  ...SERVICE_KINDS,
  "market.auction",
  "market.price",
  "market.bound",
  "market.value",
  "node.lagging",
];

/** What each condition inhibits: while it is open, these are not sent. */
export const INHIBITS: Partial<
  Record<ConditionKind, { readonly kinds: readonly ConditionKind[]; readonly sameSubject?: true }>
> = {
  "network.stalled": { kinds: FOLLOWS_FROM_A_HALT },
  "network.disagree": { kinds: FOLLOWS_FROM_A_HALT },
  "watch.blind": { kinds: SERVICE_KINDS },
  "node.down": { kinds: ["node.lagging", "node.refuses", "node.slow"], sameSubject: true },
  "node.lying": { kinds: ["node.lagging"], sameSubject: true },
};
