import { UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { NetworkName } from "../simulator/network.ts";
import type { Samples } from "../simulator/samples.ts";
import { DatabaseInUse } from "../store/file/holder-record.ts";
import type { SeenId, SeenIds, SeenKind } from "../store/store.ts";

/**
 * The ids seen, followed by the samples of a simulated network: its lists name no orders or proposals to ask for. Ids
 * are stored under a separate network name, since the same database may serve a real network of that name later.
 */
export function withSampleIds(seen: SeenIds, samples: Readonly<Record<NetworkName, Samples>>): SeenIds {
  return {
    note: (network, kind, ids) => seen.note(simulatedName(network), kind, ids),
    async find(network, kind, typed, limit) {
      const found = await seen.find(simulatedName(network), kind, typed, limit);
      const known = new Set(found.map(({ id }) => id));
      const wanted = typed.trim().toLowerCase();
      const more = Object.hasOwn(samples, network) ? sampleIdsOf(samples[network as NetworkName], kind) : [];
      const fits = more.filter(({ id, label = "" }) => id.startsWith(wanted) || label.includes(wanted));
      return [...found, ...fits.filter(({ id }) => !known.has(id))].slice(0, limit);
    },
  };
}

function simulatedName(network: string): string {
  return `simulated ${network}`;
}

function sampleIdsOf(samples: Samples, kind: SeenKind): readonly SeenId[] {
  const ids: Partial<Record<SeenKind, readonly (readonly [id: string, label?: string])[]>> = {
    order: [
      [samples.orderId, "partly filled"],
      [samples.rejectedOrderId, "rejected"],
      [samples.stoppedOrderId, "stopped"],
      [samples.parkedOrderId, "pegged"],
    ],
    proposal: [[samples.proposalId], [samples.unsignedProposalId]],
    party: [[samples.partyId]],
  };
  return (ids[kind] ?? []).map(([id, label]) => ({ id, label }));
}

/**
 * The ids seen, in a database that may be unusable: then no ids are stored or found, and `warn` is given a sentence about
 * it once. So questions that need no database do not fail.
 */
export function lenientSeenIds(seen: SeenIds, warn: (sentence: string) => void, log: Log): SeenIds {
  let warned = false;
  const orFallback = async <T>(work: Promise<T>, fallback: T): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      // The holder is just starting, and will store ids itself. That the ids of this answer are lost needs no warning.
      const harmless = fallback === undefined && thrown instanceof DatabaseInUse;
      if (!warned && !harmless) {
        warned = true;
        if (!(thrown instanceof UserError)) log.error({ err: thrown }, "seen ids unavailable");
        const why = thrown instanceof UserError ? thrown.message : "The database failed.";
        warn(`Ids shown before are neither found by their beginning nor kept: ${why}`);
      }
      return fallback;
    }
  };
  return {
    note: (...given) => orFallback(seen.note(...given), undefined),
    find: (...given) => orFallback(seen.find(...given), []),
  };
}
