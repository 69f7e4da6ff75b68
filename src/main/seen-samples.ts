import type { NetworkName } from "../simulator/network.ts";
import type { Samples } from "../simulator/samples.ts";
import type { SeenId, SeenIds, SeenKind } from "../store/store.ts";

/**
 * The ids seen, and behind them those that a simulated network has to show: no list of it names an order or a proposal,
 * so that nobody could ask for one. What is seen goes under a name of its own, as the same database may serve a real network
 * of that name later.
 */
export function withSamples(seen: SeenIds, samples: Readonly<Record<NetworkName, Samples>>): SeenIds {
  return {
    note: (network, kind, ids) => seen.note(simulatedName(network), kind, ids),
    async find(network, kind, typed, limit) {
      const found = await seen.find(simulatedName(network), kind, typed, limit);
      const known = new Set(found.map(({ id }) => id));
      const wanted = typed.trim().toLowerCase();
      const more = Object.hasOwn(samples, network) ? sampled(samples[network as NetworkName], kind) : [];
      return [...found, ...more.filter(({ id }) => id.startsWith(wanted) && !known.has(id))].slice(0, limit);
    },
  };
}

function simulatedName(network: string): string {
  return `simulated ${network}`;
}

function sampled(samples: Samples, kind: SeenKind): readonly SeenId[] {
  const ids: Partial<Record<SeenKind, readonly string[]>> = {
    order: [samples.orderId, samples.rejectedOrderId, samples.stoppedOrderId, samples.parkedOrderId],
    proposal: [samples.proposalId, samples.unsignedProposalId],
    party: [samples.partyId],
  };
  return (ids[kind] ?? []).map((id) => ({ id, label: undefined }));
}
