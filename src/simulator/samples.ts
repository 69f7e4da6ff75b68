import type { Nanoseconds } from "../units/time.ts";
import { momentAt, toMicros } from "./chain/chain.ts";
import type { Network } from "./network.ts";

/** Ids that exist on a simulated network, for help, examples and tests. They change with the seed, not with the time. */
export type Samples = Readonly<ReturnType<typeof samplesOf>>;

export function samplesOf(network: Network) {
  const { catalogue, orders, stake, validators, assets, bundles, ledger } = network;
  const jumpy = catalogue.trading.find((market) => market.lifecycle.kind === "trades" && market.lifecycle.jumpy);
  const [validator] = validators.list;
  const usdt = assets.bySymbol("USDT");
  return {
    marketId: catalogue.first.id,
    marketCode: catalogue.first.code,
    /** Enters an auction every few minutes. */
    jumpyMarketCode: jumpy?.code ?? catalogue.first.code,
    /** Live for ever, in its fourth version. */
    orderId: orders.permanentId("amended and partly filled"),
    rejectedOrderId: orders.permanentId("rejected margin_check_failed"),
    stoppedOrderId: orders.permanentId("stopped by self-trading"),
    parkedOrderId: orders.permanentId("parked in an auction"),
    /** Has stake and a ledger of a few thousand entries. */
    partyId: stake.parties[0] ?? "",
    /** Its ledger of half a year is 1 GiB. */
    heavyPartyId: ledger.heavyParty,
    nodeId: validator?.id ?? "",
    nodeName: validator?.name ?? "",
    assetId: usdt.id,
    assetSymbol: usdt.symbol,
    /** Not signed yet. */
    unsignedAssetId: assets.bySymbol("NEW").id,
    /** Not an ERC20 token: has no bundle. */
    builtinAssetId: assets.bySymbol("tDAI").id,
    proposalId: bundles.proposals.signed,
    unsignedProposalId: bundles.proposals.unsigned,
    /** A proposal of another kind: has no bundle. */
    marketProposalId: bundles.proposals.market,
  };
}

/** Ids that come and go: made newly as the network goes on. */
export function freshSamplesOf(network: Network, now: Nanoseconds) {
  const moment = momentAt(network.chain, network.random, [], toMicros(now));
  return {
    /** Orders of the last complete set, by the name of their script. */
    orders: Object.fromEntries(network.orders.newest(moment)),
    /** The newest proposal, whose bundle is signed within minutes. */
    proposalId: network.bundles.newest(moment),
  };
}
