import type { Milliseconds } from "../units/duration.ts";
import { formatDuration } from "../units/duration.ts";
import type { CallOptions, NodeClient } from "./api-client.ts";
import { ApiError, didAnswer } from "./api-error.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Cancellation } from "./recall.ts";
import { startTimeout } from "./time-out.ts";
import type { Mutable, PollRound, Witness } from "./verdict.ts";

/** A node that has not answered by then is not reachable in this round. */
export const POLL_TIMEOUT_MILLIS: Milliseconds = 3000;

export interface PollOptions extends CallOptions {
  /** Default 3 s. */
  readonly timeoutMillis?: Milliseconds;
  readonly clock?: Clock;
}

/**
 * Asks every node for its time at once, afresh unless told otherwise. A node that gives none is a witness too: the
 * round rejects only with the signal's reason.
 */
export async function pollNodes(
  { nodes }: { readonly nodes: readonly NodeClient[] },
  options: PollOptions = {},
): Promise<PollRound> {
  const { signal, timeoutMillis = POLL_TIMEOUT_MILLIS, clock = systemClock, fresh = true, lane = "people" } = options;
  signal?.throwIfAborted();
  const late = new Cancellation();
  const leave = (): void => late.abort(signal?.reason);
  signal?.addEventListener("abort", leave, { once: true });
  const cancel = startTimeout(timeoutMillis, () => late.abort(new PollTimeout()));
  try {
    const call = { fresh, lane, signal: late };
    const witnesses = await Promise.all(nodes.map((node) => pollNode(node, call, clock, timeoutMillis)));
    signal?.throwIfAborted();
    return { witnesses, atMillis: clock.monotonicMillis(), wallClock: clock.wallClock() };
  } finally {
    cancel();
    signal?.removeEventListener("abort", leave);
  }
}

class PollTimeout extends Error {}

async function pollNode(
  node: NodeClient,
  options: CallOptions,
  clock: Clock,
  timeoutMillis: Milliseconds,
): Promise<Witness> {
  const began = clock.monotonicMillis();
  const beganAt = clock.wallClock();
  try {
    const { value, asOf } = await node.getNetworkTime(options);
    const witness: Mutable<Witness> = { node: node.name, reachable: true };
    if (value.timestamp !== undefined) witness.time = value.timestamp;
    if (asOf.blockHeight !== undefined) witness.height = asOf.blockHeight;
    if (asOf.blockTime !== undefined) witness.blockTime = asOf.blockTime;
    // An answer kept from before says nothing about how long this node takes.
    if (asOf.receivedAt >= beganAt) witness.roundTripMillis = Math.round(clock.monotonicMillis() - began);
    return witness;
  } catch (error) {
    if (error instanceof ApiError) {
      const refused = error.kind === "rate-limited" || error.kind === "banned";
      const why = error.tried.at(-1)?.why ?? error.message;
      return {
        node: node.name,
        reachable: false,
        why,
        ...(didAnswer(error) ? { answered: true as const } : {}),
        ...(isForeign(error) ? { foreign: true as const } : {}),
        ...(refused ? { refused: true as const } : {}),
      };
    }
    if (options.signal?.aborted !== true) throw error;
    return { node: node.name, reachable: false, why: `did not answer within ${formatDuration(timeoutMillis)}` };
  }
}

/** Every data node tells its time: what has no such route is none. */
function isForeign({ foreign, kind, httpStatus }: ApiError): boolean {
  return foreign || (kind === "refused" && httpStatus === 404);
}
