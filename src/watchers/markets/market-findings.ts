import type { AlertEvent, MarketSide } from "../../alerts/judge/kinds/event.ts";
import { timeFromText, timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import { isAuctionMode, isLiveState } from "../../api/model/market.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { observationKey } from "../snapshot-schema.ts";
import type { MarketRecord, MarketsState } from "./market-state.ts";

/** The three conditions of every listed market. */
export function marketReadings(network: string, nodes: number, state: MarketsState): readonly Reading[] {
  return Object.entries(state.markets).flatMap(([subject, market]) => {
    if (market.absent === true) return [];
    const { label, price, nearest } = market;
    const live = isLiveState(market.state);
    const common = { network, subject, nodes, seenBy: [state.node], ...withoutUndefined({ label }) };
    const unknown = state.behind ? { why: `${state.node} stands behind what was seen before` } : {};
    const known = (bad: boolean): Reading["state"] => (state.behind ? "unknown" : bad ? "bad" : "good");
    // A market that is not live any more has no price that could move.
    const quoted = live && !state.behind;
    return [
      {
        kind: "market.auction",
        ...common,
        ...unknown,
        ...(state.behind ? {} : auctionSince(market)),
        state: known(isInAuction(market)),
        facts: auctionFacts(market),
      },
      {
        kind: "market.price",
        ...common,
        ...unknown,
        state: live && price === undefined ? "unknown" : known(false),
        facts: quoted && price !== undefined ? { price } : {},
      },
      {
        kind: "market.bound",
        ...common,
        ...unknown,
        state: live && nearest === undefined ? "unknown" : known(false),
        facts: quoted && nearest !== undefined ? { ...withoutUndefined({ price }), ...nearest } : {},
      },
    ] satisfies Reading[];
  });
}

/** Markets whose state or trading mode has changed since the observation before, and new ones; by id. */
export function marketEvents(
  network: string,
  before: MarketsState,
  after: MarketsState,
  at: Nanoseconds,
): readonly AlertEvent[] {
  if (after.behind) return [];
  return Object.entries(after.markets)
    .filter(([id, market]) => differs(before.markets[id], market))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([subject, market]) => {
      const known = before.markets[subject];
      return {
        kind: "market.state",
        network,
        subject,
        key: `${subject}/${observationKey(after)}`,
        at: timeToText(at),
        node: after.node,
        ...withoutUndefined({ label: market.label, before: known && sideOf(known) }),
        after: sideOf(market),
      };
    });
}

function differs(known: MarketRecord | undefined, market: MarketRecord): boolean {
  return known === undefined || known.state !== market.state || known.tradingMode !== market.tradingMode;
}

/** A closed market keeps its last trading mode for ever. */
function isInAuction({ state, tradingMode }: MarketRecord): boolean {
  return isLiveState(state) && isAuctionMode(tradingMode);
}

function auctionFacts(market: MarketRecord): Extract<Reading, { kind: "market.auction" }>["facts"] {
  const { tradingMode, trigger, auctionStart: start, auctionEnd: end } = market;
  return withoutUndefined({ tradingMode, ...(isInAuction(market) ? { trigger, start, end } : {}) });
}

/** The node knows when an auction began, even without an observation then. */
function auctionSince(market: MarketRecord): { since?: string } {
  const { auctionStart } = market;
  return isInAuction(market) && auctionStart !== undefined && timeFromText(auctionStart) > 0n
    ? { since: auctionStart }
    : {};
}

function sideOf({ state, tradingMode, trigger }: MarketRecord): MarketSide {
  return withoutUndefined({ state, tradingMode, trigger });
}
