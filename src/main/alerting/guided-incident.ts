import { z } from "zod";

import type { FaultList } from "../../simulator/faults/faults.ts";
import { type NetworkName, NETWORKS } from "../../simulator/network.ts";
import type { Store } from "../../store/store.ts";
import { nanoseconds, type Nanoseconds } from "../../units/time.ts";

/** A simulated network that stands still on demand. */
export type GuidedIncident = ReturnType<typeof guidedIncident>;

/** Its name among the watchers' snapshots. */
const SNAPSHOT_NAME = "guided-incident";
/** Beyond this the oldest are forgotten, and the blocks get other numbers at the next restart. */
const MAX_PAST = 100;
const TimeText = z.string().regex(/^\d+$/u);
const StoredIncident = z.object({
  since: TimeText.exactOptional(),
  /** Those that are over, oldest first: each moves all blocks after it. */
  past: z.array(z.object({ from: TimeText, seconds: z.number().positive() })).exactOptional(),
});
type StoredIncident = z.infer<typeof StoredIncident>;

/**
 * The standstills are stored: a simulated network lives in this process, and a restart would otherwise look like a
 * recovery, and give its blocks other numbers.
 */
export function guidedIncident(
  faults: FaultList,
  store: Pick<Store, "transaction">,
  nowMillis: () => number = Date.now,
) {
  const stallOf = (network: NetworkName) =>
    faults.list().find((one) => one.kind === "stall" && one.node === undefined && (one.network ?? network) === network);
  const pastOf = (network: NetworkName): NonNullable<StoredIncident["past"]> =>
    faults
      .list({ past: true })
      .filter((one) => one.kind === "stall" && one.node === undefined && (one.network ?? network) === network)
      .flatMap(({ from, until }) =>
        until === undefined || until <= from
          ? []
          : [{ from: from.toString(), seconds: Number((until - from) / 1000n) / 1e6 }],
      )
      .slice(-MAX_PAST);
  const save = (network: NetworkName, since: Nanoseconds | undefined): Promise<void> => {
    const stored: StoredIncident = {
      ...(since === undefined ? {} : { since: since.toString() }),
      past: pastOf(network),
    };
    const data = JSON.stringify(stored);
    return store.transaction(({ alerts }) => alerts.watch.putSnapshot(network, SNAPSHOT_NAME, nowMillis(), data));
  };
  const restore = async (): Promise<void> => {
    for (const network of NETWORKS) {
      const row = await store.transaction(({ alerts }) => alerts.watch.snapshot(network, SNAPSHOT_NAME));
      const { since, past = [] } = (row && StoredIncident.safeParse(JSON.parse(row.data)).data) ?? {};
      for (const { from, seconds } of past) {
        faults.set({ kind: "stall", network, from: nanoseconds(BigInt(from)), forSeconds: seconds });
      }
      if (since === undefined || stallOf(network) !== undefined) continue;
      faults.set({ kind: "stall", network, from: nanoseconds(BigInt(since)) });
    }
  };
  let resumed: Promise<void> | undefined;
  const resume = (): Promise<void> => {
    resumed ??= restore().catch((thrown: unknown) => {
      // Tried again at the next call.
      resumed = undefined;
      throw thrown;
    });
    return resumed;
  };
  return {
    /** Resumes the incidents of the previous process; only the first call does anything. */
    resume,
    /** Since when a network stands still on demand. */
    since: (network: string) => {
      const known = networkNamed(network);
      return known === undefined ? undefined : stallOf(known)?.from;
    },
    async set(network: string, stalled: boolean) {
      const known = networkNamed(network);
      if (known === undefined) throw new RangeError("no such simulated network");
      // A stored standstill must not come back later.
      await resume();
      if (stalled) {
        await save(known, (stallOf(known) ?? faults.set({ kind: "stall", network: known })).from);
      } else {
        for (let on = stallOf(known); on !== undefined; on = stallOf(known)) faults.clear({ id: on.id });
        await save(known, undefined);
      }
    },
  };
}

function networkNamed(name: string): NetworkName | undefined {
  return NETWORKS.find((one) => one === name);
}
