import { z } from "zod";

import type { IncidentSwitch } from "../adapters/web/alerts/watch.ts";
import type { FaultBook } from "../simulator/fault-book.ts";
import { type NetworkName, NETWORKS } from "../simulator/network.ts";
import type { Store } from "../store/store.ts";
import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";

/** A simulated network that stands still on demand. */
export interface GuidedIncident extends IncidentSwitch {
  /** Since when a network has been told to stand still. */
  since(network: string): Nanoseconds | undefined;
  /** Goes on with what was under way when the process before this one ended; does so once, whoever asks. */
  resume(): Promise<void>;
}

/** Under this name it is kept beside the watchers' snapshots. */
const KEPT_AS = "guided-incident";
const Kept = z.object({ since: z.string().regex(/^\d+$/u).exactOptional() });

/**
 * The standstill is kept: a simulated network lives in this process, and without that a restart would be taken for a
 * recovery.
 */
export function guidedIncident(
  faults: FaultBook,
  store: Pick<Store, "transaction">,
  nowMillis: () => number = Date.now,
): GuidedIncident {
  const stallOf = (network: NetworkName) =>
    faults.list().find((one) => one.kind === "stall" && one.node === undefined && (one.network ?? network) === network);
  const keep = (network: NetworkName, since: Nanoseconds | undefined): Promise<void> => {
    const data = JSON.stringify(since === undefined ? {} : { since: since.toString() });
    return store.transaction(({ alerts }) => alerts.watch.putSnapshot(network, KEPT_AS, nowMillis(), data));
  };
  const goOn = async (): Promise<void> => {
    for (const network of NETWORKS) {
      const row = await store.transaction(({ alerts }) => alerts.watch.snapshot(network, KEPT_AS));
      const since = row === undefined ? undefined : Kept.safeParse(JSON.parse(row.data)).data?.since;
      if (since === undefined || stallOf(network) !== undefined) continue;
      faults.set({ kind: "stall", network, from: nanoseconds(BigInt(since)) });
    }
  };
  let resumed: Promise<void> | undefined;
  const resume = (): Promise<void> => {
    resumed ??= goOn().catch((thrown: unknown) => {
      // A database that fails now may do so no longer the next time.
      resumed = undefined;
      throw thrown;
    });
    return resumed;
  };
  return {
    resume,
    since: (network) => {
      const known = networkNamed(network);
      return known === undefined ? undefined : stallOf(known)?.from;
    },
    async set(network, stalled) {
      const known = networkNamed(network);
      if (known === undefined) throw new RangeError("no such simulated network");
      // What was kept must not come back behind what is wanted now.
      await resume();
      if (stalled) {
        await keep(known, (stallOf(known) ?? faults.set({ kind: "stall", network: known })).from);
      } else {
        for (let on = stallOf(known); on !== undefined; on = stallOf(known)) faults.clear({ id: on.id });
        await keep(known, undefined);
      }
    },
  };
}

function networkNamed(name: string): NetworkName | undefined {
  return NETWORKS.find((one) => one === name);
}
