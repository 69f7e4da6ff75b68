import type { Nanoseconds } from "../units/nanoseconds.ts";
import { momentAt, toMicros } from "./chain/chain.ts";
import type { Network } from "./network.ts";

/** Ids that exist on a simulated network, for help, examples and tests. They change with the seed, not with the time. */
export interface Samples {
  readonly marketId: string;
  readonly marketCode: string;
  /** Enters an auction every few minutes. */
  readonly jumpyMarketCode: string;
  /** Live for ever, in its fourth version. */
  readonly orderId: string;
  readonly rejectedOrderId: string;
  readonly stoppedOrderId: string;
  readonly parkedOrderId: string;
  /** Has stake and a ledger of a few thousand entries. */
  readonly partyId: string;
  /** Its ledger of half a year is 1 GiB. */
  readonly heavyPartyId: string;
  readonly nodeId: string;
  readonly nodeName: string;
  readonly assetId: string;
  readonly assetSymbol: string;
  /** Not signed yet. */
  readonly unsignedAssetId: string;
  /** Not an ERC20 token: has no bundle. */
  readonly builtinAssetId: string;
  readonly proposalId: string;
  readonly unsignedProposalId: string;
  /** A proposal of another kind: has no bundle. */
  readonly marketProposalId: string;
}

/** Ids that come and go: made newly as the network goes on. */
export interface FreshSamples {
  /** Orders of the last complete set, by what becomes of them. */
  readonly orders: Record<string, string>;
  /** The newest proposal, whose bundle is signed within minutes. */
  readonly proposalId: string;
}

export function samplesOf(network: Network): Samples {
  const { catalogue, orders, stake, validators, assets, bundles, ledger } = network;
  const jumpy = catalogue.trading.find((market) => market.lifecycle.kind === "trades" && market.lifecycle.jumpy);
  const [validator] = validators.list;
  const usdt = assets.bySymbol("USDT");
  return {
    marketId: catalogue.first.id,
    marketCode: catalogue.first.code,
    jumpyMarketCode: jumpy?.code ?? catalogue.first.code,
    orderId: orders.permanentId("amended and partly filled"),
    rejectedOrderId: orders.permanentId("rejected margin_check_failed"),
    stoppedOrderId: orders.permanentId("stopped by self-trading"),
    parkedOrderId: orders.permanentId("parked in an auction"),
    partyId: stake.parties[0] ?? "",
    heavyPartyId: ledger.heavyParty,
    nodeId: validator?.id ?? "",
    nodeName: validator?.name ?? "",
    assetId: usdt.id,
    assetSymbol: usdt.symbol,
    unsignedAssetId: assets.bySymbol("NEW").id,
    builtinAssetId: assets.bySymbol("tDAI").id,
    proposalId: bundles.proposals.signed,
    unsignedProposalId: bundles.proposals.unsigned,
    marketProposalId: bundles.proposals.market,
  };
}

export function freshSamplesOf(network: Network, now: Nanoseconds): FreshSamples {
  const moment = momentAt(network.chain, network.random, [], toMicros(now));
  return {
    orders: Object.fromEntries(network.orders.newest(moment)),
    proposalId: network.bundles.newest(moment),
  };
}
