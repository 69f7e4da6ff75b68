import { Hono } from "hono";
import { z } from "zod";

import type { ConditionKind } from "../../../alerts/kinds/kinds.ts";
import type { Severity } from "../../../alerts/kinds/severity.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { refuse } from "../access/guard.ts";

/** What one node last said. Times are decimal Unix nanoseconds. */
export interface WatchedNode {
  readonly node: string;
  readonly state: "ok" | "lagging" | "down" | "unknown";
  readonly why?: string;
  readonly time?: string;
  readonly height?: string;
  readonly roundTripMillis?: Milliseconds;
}

/** Where the rule `network.stalled` stands. */
export interface StallState {
  readonly phase: "ok" | "pending" | "firing" | "recovering";
  /**
   * When it is due, if things stay as they are: suspicious (only in an incident), fired or resolved; the first look
   * after that finds it. Absent before the first look of this process.
   */
  readonly leftMillis?: Milliseconds;
  /** The one under way. */
  readonly episode?: string;
}

export interface WatchedNetwork {
  readonly network: string;
  readonly nodes: readonly WatchedNode[];
  /** The verdict of the last round; absent before the first one. */
  readonly verdict?: {
    readonly state: "healthy" | "stalled" | "blind";
    readonly why: string;
    /** How long no block has come. */
    readonly stillMillis?: Milliseconds;
    readonly at: string;
  };
  readonly stalled: StallState;
  /** The simulated network has been told to stand still, and since when. */
  readonly incident?: { readonly since: string };
}

/** An alert that is not over. */
export interface OpenAlert {
  readonly episode: string;
  readonly kind: ConditionKind;
  readonly network: string;
  readonly subject: string;
  readonly severity: Severity;
  readonly state: "firing" | "recovering";
  readonly began: string;
  /** It was bad already when it was first looked at, or looked at again: it began then or earlier. */
  readonly beganBefore?: true;
  readonly acknowledged?: { readonly by: string; readonly at: string };
}

/** What the watchers see, and what is not over: how things stand right now. */
export interface WatchState {
  readonly networks: readonly WatchedNetwork[];
  readonly open: readonly OpenAlert[];
  readonly timing: {
    /** How often every node is asked. */
    readonly everyMillis: Milliseconds;
    /** A standstill is suspicious after so long, and an alert after so long. */
    readonly suspiciousMillis: Milliseconds;
    readonly firesMillis: Milliseconds;
    /** A recovery counts after so long. */
    readonly keepMillis: Milliseconds;
  };
}

/** A network that can be made to stand still, to see what comes of it: a simulated one. */
export interface IncidentSwitch {
  /** Rejects with RangeError for a network that there is not. */
  set(network: string, stalled: boolean): Promise<void>;
}

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
