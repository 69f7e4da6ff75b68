import { Hono } from "hono";
import { z } from "zod";

import { refuse } from "./guard.ts";
import type { IncidentSwitch, WatchState } from "./watch-state.ts";

export interface WatchRouteDependencies {
  /** Absent where nothing is watched. */
  readonly watch?: (() => Promise<WatchState>) | undefined;
  /** Absent where the networks are real. */
  readonly incident?: IncidentSwitch | undefined;
}

const IncidentRequest = z.strictObject({ network: z.string().max(100), stalled: z.boolean() });

/** How things stand, and the switch of the guided incident. Paths are below /api. */
export function watchRoutes({ watch, incident }: WatchRouteDependencies): Hono {
  const app = new Hono();
  if (watch !== undefined) app.get("/watch", async (c) => c.json(await watch()));
  if (incident === undefined) return app;
  app.post("/incident", async (c) => {
    const wish = IncidentRequest.safeParse(await c.req.json().catch(() => undefined)).data;
    if (wish === undefined) return refuse(c, 400, 'Send {"network":"mainnet","stalled":true}, or false to end it.');
    try {
      await incident.set(wish.network, wish.stalled);
    } catch (thrown) {
      if (thrown instanceof RangeError) return refuse(c, 404, "There is no simulated network of that name.");
      throw thrown;
    }
    return c.json({ network: wish.network, stalled: wish.stalled });
  });
  return app;
}
