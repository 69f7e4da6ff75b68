import { Hono } from "hono";
import { etag } from "hono/etag";
import { z } from "zod";

import type { ConditionKind } from "../../alerts/judge/kinds/kinds.ts";
import type { Severity } from "../../alerts/judge/kinds/kind.ts";
import { UserError } from "../../errors.ts";
import type { LaneState, Scene } from "../../reply/chart.ts";
import { inTime, type Milliseconds, type Stretch } from "../../units/time.ts";
import { limitRunning, refuse } from "./access/guard.ts";
import { LOOKS_TIMEOUT_MILLIS, MAX_READING_LOOKS } from "./limits.ts";

const LooksQuestion = z.strictObject({
  network: z.string().max(100).exactOptional(),
  last: z.string().max(100).exactOptional(),
  until: z.string().max(100).exactOptional(),
  at: z.string().max(100).exactOptional(),
});
/** What is asked of the looks that are kept, as it is typed; `at` asks for one look. */
export type LooksQuestion = z.infer<typeof LooksQuestion>;

/** What was seen of a network, thinned: of each part of the time the extremes and the worst. Times are Unix milliseconds. */
export interface PastLooks extends Stretch {
  readonly network: string;
  /** When the oldest look that is kept was; absent where there is none before. */
  readonly first?: Milliseconds;
  /** So long is a part of the time of which the extremes are known. */
  readonly partMillis: Milliseconds;
  /** Absent where nothing is kept of that time; `nothing` then says so. */
  readonly scene?: Scene;
  readonly alt?: string;
  readonly nothing?: string;
  /** Alerts of the network and its nodes in that time, in their order; of many the gravest. */
  readonly alerts: readonly PastAlert[];
  /** How many more there were. */
  readonly moreAlerts?: number;
}

export interface PastAlert {
  readonly episode: string;
  readonly kind: ConditionKind;
  readonly severity: Severity;
  /** What it is about, in words. */
  readonly what: string;
  readonly from: Milliseconds;
  /** Absent while it is open. */
  readonly to?: Milliseconds;
}

/** One look as it was kept. Exact numbers are decimal text, times of the network Unix nanoseconds. */
export interface OneLook {
  readonly at: Milliseconds;
  /** How old the network's time was. */
  readonly ageMillis?: Milliseconds;
  readonly nodes: readonly {
    readonly node: string;
    readonly state?: LaneState;
    readonly time?: string;
    readonly height?: string;
    readonly roundTripMillis?: Milliseconds;
    readonly why?: string;
  }[];
}

/** Reads the looks that are kept. Both throw UserError for a wrong question, and the signal's reason. */
export interface KeptLooks {
  past(question: LooksQuestion, signal: AbortSignal): Promise<PastLooks>;
  /** Undefined where nobody looked. */
  at(question: LooksQuestion & { readonly at: string }, signal: AbortSignal): Promise<OneLook | undefined>;
}

export interface LooksRouteDependencies {
  /** Absent if nothing is watched. */
  readonly looks?: KeptLooks | undefined;
  /** Fires when the adapter stops. */
  readonly stopping: AbortSignal;
}

const USAGE =
  "Ask for network, last and until, or for network and at: /api/looks?network=mainnet&last=24h&until=2026-05-01T12:30Z";

/** What was seen, and one look. Paths are below /api. */
export function looksRoutes({ looks, stopping }: LooksRouteDependencies): Hono {
  const app = new Hono();
  if (looks === undefined) return app;
  const busy = `Looks are read for ${MAX_READING_LOOKS} others already: try again in a moment.`;
  app.get("/looks", limitRunning(MAX_READING_LOOKS, busy, 2), etag(), async (c) => {
    const question = LooksQuestion.safeParse(c.req.query()).data;
    const { at, last, until } = question ?? {};
    const isMixed = at !== undefined && (last ?? until) !== undefined;
    if (question === undefined || isMixed) return refuse(c, 400, `${USAGE}.`);
    const signal = AbortSignal.any([c.req.raw.signal, stopping, AbortSignal.timeout(LOOKS_TIMEOUT_MILLIS)]);
    const reading: Promise<PastLooks | OneLook | undefined> =
      at === undefined ? looks.past(question, signal) : looks.at({ ...question, at }, signal);
    try {
      const late = (): never => signal.throwIfAborted() as never;
      const found = await inTime(reading, { signal }, late);
      if (found === undefined) return refuse(c, 404, "Nobody looked at that time, or nothing is kept of it.");
      // A browser may keep it, and asks whether it has changed.
      c.header("Cache-Control", "private, no-cache");
      return c.json(found);
    } catch (thrown) {
      if (thrown instanceof UserError) return refuse(c, 400, [thrown.message, thrown.remedy ?? ""].join(" ").trim());
      if (signal.aborted) return refuse(c, 503, "The looks could not be read in time: ask for less of them.", 10);
      throw thrown;
    }
  });
  return app;
}
