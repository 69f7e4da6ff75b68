/** Nodes list settled and proposed markets, too; only those in these states can be traded, now or soon. */
export const LIVE_STATES: readonly string[] = ["STATE_ACTIVE", "STATE_SUSPENDED", "STATE_PENDING"];

export function isLiveState(state: string | undefined): boolean {
  return LIVE_STATES.includes(state ?? "");
}

/** Modes that a later release adds are auctions where they say so. */
export function isAuctionMode(mode: string | undefined): boolean {
  return mode?.endsWith("_AUCTION") === true;
}
