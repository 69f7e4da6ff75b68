import type { Milliseconds } from "../units/duration.ts";
import { formatDuration } from "../units/duration.ts";
import type { CallOptions, NodeClient } from "./api-client.ts";
import { ApiError, didAnswer } from "./api-error.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Recall } from "./recall.ts";
import { timeOut } from "./time-out.ts";
import type { Draft, Round, Witness } from "./verdict.ts";

/** A node that has not answered by then is not reachable in this round. */
export const ROUND_TIMEOUT_MILLIS: Milliseconds = 3000;

export interface RoundOptions extends CallOptions {
  /** Default 3 s. */
  readonly timeoutMillis?: Milliseconds;
  readonly clock?: Clock;
}

/**
 * Asks every node for its time at once, afresh unless told otherwise. A node that gives none is a witness too: the
 * round rejects only with the signal's reason.
 */
export async function takeRound(
  { nodes }: { readonly nodes: readonly NodeClient[] },
  options: RoundOptions = {},
): Promise<Round> {
  const { signal, timeoutMillis = ROUND_TIMEOUT_MILLIS, clock = systemClock, fresh = true, lane = "people" } = options;
  signal?.throwIfAborted();
  const late = new Recall();
  const leave = (): void => late.abort(signal?.reason);
  signal?.addEventListener("abort", leave, { once: true });
  const cancel = timeOut(timeoutMillis, () => late.abort(new Late()));
  try {
    const call = { fresh, lane, signal: late };
    const witnesses = await Promise.all(nodes.map((node) => hear(node, call, clock, timeoutMillis)));
    signal?.throwIfAborted();
    return { witnesses, atMillis: clock.monotonicMillis(), wallClock: clock.wallClock() };
  } finally {
    cancel();
    signal?.removeEventListener("abort", leave);
  }
}

class Late extends Error {}

async function hear(
  node: NodeClient,
  options: CallOptions,
  clock: Clock,
  timeoutMillis: Milliseconds,
): Promise<Witness> {
  const began = clock.monotonicMillis();
  const beganAt = clock.wallClock();
  try {
    const { value, asOf } = await node.getNetworkTime(options);
    const witness: Draft<Witness> = { node: node.name, reachable: true };
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
