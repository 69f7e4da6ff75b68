import { formatDuration, type Milliseconds } from "../../units/time.ts";
import type { ApiClient, AssessOptions, CallOptions, NodeClient } from "../api-client.ts";
import { ApiError, didAnswer } from "../api-error.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { ClientContext } from "../node/node.ts";
import { judgeSources } from "../verdict/judge-sources.ts";
import {
  DEFAULT_THRESHOLDS,
  type Mutable,
  type PollRound,
  type SourceMemory,
  type Verdict,
  type Witness,
} from "../verdict/verdict.ts";

/** A node that has not answered by then counts as unreachable in this poll. */
export const POLL_TIMEOUT_MILLIS: Milliseconds = 3000;
/** Blocks come about once a second, so a healthy network advances within this time. */
const WATCH_MILLIS: Milliseconds = 3000;
const POLL_PAUSE_MILLIS: Milliseconds = 1000;

interface PollOptions extends CallOptions {
  /** Default 3 s. */
  readonly timeoutMillis?: Milliseconds;
  readonly clock?: Clock;
  /**
   * Whether a node that does not answer in time gets a second request with half of the time-out, since a single request may
   * get lost. The client itself retries a request that fails at once. Default false.
   */
  readonly asksAgain?: boolean;
}

/**
 * Polls a network's nodes and judges the answers, remembering earlier polls in this process. If only the age of the
 * network time suggests a stall, it polls again for up to 3 s: the wall clock may be wrong.
 */
export function assessNodes(nodes: readonly NodeClient[], context: ClientContext): ApiClient["assess"] {
  let memory: SourceMemory | undefined;
  return async (options: AssessOptions = {}): Promise<Verdict> => {
    const { thresholds = DEFAULT_THRESHOLDS, fresh = false, earlier, signal } = options;
    const { clock } = context;
    memory = earlier ?? memory;
    let verdict = await poll(fresh);
    while (isJudgedByClockAlone(verdict)) {
      await clock.sleep(POLL_PAUSE_MILLIS, signal);
      verdict = await poll(true);
    }
    return verdict;

    async function poll(uncached: boolean): Promise<Verdict> {
      const round = await pollNodes({ nodes }, { ...options, fresh: uncached, clock });
      const verdictNow = judgeSources(round, memory, thresholds);
      memory = verdictNow.memory;
      return verdictNow;
    }
  };
}

/** Whether the verdict is a stall that only the age of the network time indicates. */
function isJudgedByClockAlone(verdict: Verdict): boolean {
  const { network, basis, memory, atMillis } = verdict;
  return network === "stalled" && basis === "age" && atMillis - memory.watchedSinceMillis < WATCH_MILLIS;
}

/**
 * Asks every node for its time at once, past the cache by default. A failing node is reported as unreachable: the poll
 * rejects only with the signal's reason.
 */
export async function pollNodes(
  { nodes }: { readonly nodes: readonly NodeClient[] },
  options: PollOptions = {},
): Promise<PollRound> {
  const { signal, timeoutMillis = POLL_TIMEOUT_MILLIS, clock = systemClock, fresh = true, lane = "people" } = options;
  signal?.throwIfAborted();
  const call: CallOptions = signal === undefined ? { fresh, lane } : { fresh, lane, signal };
  const first = await askAll(nodes, call, clock, timeoutMillis);
  signal?.throwIfAborted();
  const silent = options.asksAgain === true ? nodes.filter((_, at) => first[at] === undefined) : [];
  const second = silent.length === 0 ? [] : await askAll(silent, call, clock, timeoutMillis / 2);
  signal?.throwIfAborted();
  const witnesses = nodes.map(
    (node, at) => first[at] ?? second[silent.indexOf(node)] ?? unreachable(node, timeoutMillis),
  );
  return { witnesses, atMillis: clock.monotonicMillis(), wallClock: clock.wallClock() };
}

function unreachable({ name }: NodeClient, timeoutMillis: Milliseconds): Witness {
  return { node: name, reachable: false, why: `did not answer within ${formatDuration(timeoutMillis)}` };
}

/** One witness a node; undefined for a node that does not answer before the time-out or the signal's abort. */
async function askAll(
  nodes: readonly NodeClient[],
  options: CallOptions,
  clock: Clock,
  timeoutMillis: Milliseconds,
): Promise<readonly (Witness | undefined)[]> {
  const { signal } = options;
  // AbortSignal.any and AbortSignal.timeout would cost as much as an answer.
  const late = new AbortController();
  const cancel = (): void => late.abort(signal?.reason);
  const timer = setTimeout(cancel, timeoutMillis).unref();
  signal?.addEventListener("abort", cancel, { once: true });
  // Half of the time is left for the answer: a long wait in this client's queue is no failure of the node.
  const call = { ...options, signal: late.signal, queueMillis: timeoutMillis / 2 };
  try {
    return await Promise.all(nodes.map((node) => pollNode(node, call, clock)));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function pollNode(
  node: NodeClient,
  options: CallOptions & { readonly signal: AbortSignal },
  clock: Clock,
): Promise<Witness | undefined> {
  const began = clock.monotonicMillis();
  const beganAt = clock.wallClock();
  try {
    const { value, asOf } = await node.getNetworkTime(options);
    const { blockHeight: height, blockTime, receivedAt } = asOf;
    // A cached answer says nothing about the round trip.
    const roundTripMillis = receivedAt < beganAt ? undefined : Math.round(clock.monotonicMillis() - began);
    const witness: Mutable<Witness> = { node: node.name, reachable: true, receivedAt };
    if (value.timestamp !== undefined) witness.time = value.timestamp;
    if (height !== undefined) witness.height = height;
    if (blockTime !== undefined) witness.blockTime = blockTime;
    if (roundTripMillis !== undefined) witness.roundTripMillis = roundTripMillis;
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
    if (!options.signal.aborted) throw error;
    return undefined;
  }
}

/** Every data node has this route. */
function isForeign({ foreign, kind, httpStatus }: ApiError): boolean {
  return foreign || (kind === "refused" && httpStatus === 404);
}
