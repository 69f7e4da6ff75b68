import { Hono } from "hono";
import { z } from "zod";

import type { ConditionKind } from "../../../alerts/judge/kinds/kinds.ts";
import type { Severity } from "../../../alerts/judge/kinds/kind.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { refuse } from "../access/guard.ts";

/** The last poll result of one node. Times are decimal Unix nanoseconds. */
export interface WatchedNode {
  readonly node: string;
  readonly state: "ok" | "lagging" | "down" | "unknown";
  /** How it votes: it goes on, catches up with itself, or with the others, stands still, has not stood for long enough to say so, or is silent. */
  readonly vote: "moves" | "climbs" | "syncs" | "stands" | "waits" | "silent";
  readonly why?: string;
  readonly time?: string;
  readonly height?: string;
  readonly roundTripMillis?: Milliseconds;
}

/** The state of the rule `network.stalled`. */
export interface StallState {
  readonly phase: "ok" | "pending" | "firing" | "recovering";
  /**
   * The time until its next phase, if nothing changes: suspicious (only in an incident), fired or resolved; the next
   * observation then finds it. Absent before the first observation of this process.
   */
  readonly leftMillis?: Milliseconds;
  /** The open episode. */
  readonly episode?: string;
  /** Of the open episode on a simulated network: at how many places its alert arrived, waits, or was kept back. */
  readonly told?: StallTold;
}

export interface StallTold {
  readonly sent: number;
  readonly waiting: number;
  /** By the cause: `silence`, `quiet hours`, … */
  readonly kept: Readonly<Record<string, number>>;
}

export interface WatchedNetwork {
  readonly network: string;
  readonly nodes: readonly WatchedNode[];
  /** The verdict of the last round; absent before the first one. */
  readonly verdict?: {
    readonly state: "healthy" | "contested" | "unconfirmed" | "syncing" | "stalled" | "blind";
    readonly why: string;
    /** The time since the last block. */
    readonly stillMillis?: Milliseconds;
    readonly at: string;
    /** How far a majority of the nodes has been: its last block and that block's time. */
    readonly height?: string;
    readonly time?: string;
  };
  readonly stalled: StallState;
  /** Set while the simulated network is stalled on purpose. */
  readonly incident?: { readonly since: string };
}

/** An open alert. */
export interface OpenAlert {
  readonly episode: string;
  /** What is so, as its message says it. */
  readonly what?: string;
  readonly kind: ConditionKind;
  readonly network: string;
  readonly subject: string;
  /** The name of the subject, if it has one. */
  readonly label?: string;
  readonly severity: Severity;
  readonly state: "firing" | "recovering";
  readonly began: string;
  /** The first observation, or the first after a pause, was bad already: it began then or earlier. */
  readonly beganBefore?: true;
  readonly acknowledged?: { readonly by: string; readonly at: string };
  /** A silence keeps it back at the console. */
  readonly silenced?: true;
}

/** A silence that holds. */
export interface HoldingSilence {
  readonly id: string;
  /** Its scope and its place, in words. */
  readonly what: string;
  readonly where: string;
  /** Absent if it holds for every network. */
  readonly network?: string;
  readonly by: string;
  readonly reason?: string;
  readonly leftMillis: Milliseconds;
  /** It ends after an alert is over, and with `leftMillis` at the latest. */
  readonly untilOver?: true;
}

/** The current state: what the watchers observe, the open alerts, and the silences that hold. */
export interface WatchState {
  readonly networks: readonly WatchedNetwork[];
  readonly open: readonly OpenAlert[];
  readonly silences: readonly HoldingSilence[];
  readonly timing: {
    /** The interval at which every node is polled. */
    readonly everyMillis: Milliseconds;
    /** The time without a block until a stall is suspicious, and until it fires. */
    readonly suspiciousMillis: Milliseconds;
    readonly firesMillis: Milliseconds;
    /** The time with new blocks until the alert resolves. */
    readonly keepMillis: Milliseconds;
  };
}

/** Stalls and resumes simulated networks, for the guided incident. */
export interface IncidentSwitch {
  /** Rejects with RangeError for an unknown network. */
  set(network: string, stalled: boolean): Promise<void>;
}

export interface WatchRouteDependencies {
  /** Absent if nothing is watched. */
  readonly watch?: (() => Promise<WatchState>) | undefined;
  /** Absent where the networks are real. */
  readonly incident?: IncidentSwitch | undefined;
}

const IncidentRequest = z.strictObject({ network: z.string().max(100), stalled: z.boolean() });

/** The current state, and the switch of the guided incident. Paths are below /api. */
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
