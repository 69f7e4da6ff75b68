import { z } from "zod";

import type { AlertService } from "../alerts/service/service.ts";
import type { Labels } from "../alerts/wording/subscription-words.ts";

/** What is read of the markets' last look; whatever else stands there does not matter here. */
const MarketsSnapshot = z.object({
  markets: z.record(z.string(), z.object({ label: z.string().optional().catch(undefined) })),
});

/** What the watchers know the markets of a network by, by id: no node is asked. */
export async function watchedMarketLabels(network: string, desk: Pick<AlertService, "snapshot">): Promise<Labels> {
  const { markets = {} } = MarketsSnapshot.safeParse((await desk.snapshot(network, "markets"))?.data).data ?? {};
  return Object.fromEntries(
    Object.entries(markets).flatMap(([id, { label }]) => (label === undefined ? [] : [[id, label]])),
  );
}
