import type { PartyStake } from "../api/stake.ts";

/** Sums over a party's linkings, in 10^-18 of the token. */
export interface StakeTotals {
  /** Accepted. */
  readonly linked: bigint;
  /** Accepted. */
  readonly unlinked: bigint;
  /** Links less unlinks that wait to be confirmed; negative when stake is about to go. */
  readonly pending: bigint;
  readonly pendingCount: number;
}

export function stakeTotals(party: PartyStake): StakeTotals {
  let [linked, unlinked, pending, pendingCount] = [0n, 0n, 0n, 0];
  for (const { amount = 0n, status, type } of party.stakeLinkings) {
    const unlinks = type === "TYPE_UNLINK";
    if (status === "STATUS_PENDING") {
      pending += unlinks ? -amount : amount;
      pendingCount += 1;
    } else if (status === "STATUS_ACCEPTED") {
      if (unlinks) unlinked += amount;
      else linked += amount;
    }
  }
  return { linked, unlinked, pending, pendingCount };
}
