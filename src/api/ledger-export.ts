import { formatDuration, type Milliseconds } from "../units/duration.ts";
import type { CallOptions, LedgerQuery, LedgerStream } from "./api-client.ts";
import { ApiError, type Attempt } from "./api-error.ts";
import type { Endpoint, Surroundings, Try } from "./endpoint.ts";
import { nodeFailure, withAttempts } from "./failure.ts";
import { HttpFault } from "./http-fault.ts";
import { LedgerReceiver } from "./ledger-receiver.ts";
import { ledgerPath } from "./ledger-query.ts";
import { isBehind } from "./node-order.ts";

const WHAT = "the ledger export";

/**
 * Opens an export at the first node that has a turn free. No retry: each export costs the node dearly. Only where a
 * node cannot have seen the question (no connection, a rest, a turn not free) is the next one asked.
 */
export async function openLedgerInTurn(
  endpoints: readonly Endpoint[],
  query: LedgerQuery,
  options: CallOptions = {},
  around: Surroundings,
): Promise<LedgerStream> {
  const { signal, lane = "people" } = options;
  signal?.throwIfAborted();
  const path = ledgerPath(query);
  const attempt: Try = {
    lane,
    fresh: true,
    deadlineMillis: around.clock.monotonicMillis() + around.limits.callMillis,
    signal,
  };
  const tried: Attempt[] = [];
  let last: ApiError | undefined;
  for (const endpoint of inOrder(endpoints, around.clock.monotonicMillis())) {
    try {
      return await openLedger(endpoint, path, attempt, around);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      last = error;
      tried.push(...error.tried);
      if (!wasNotAsked(error)) break;
    }
  }
  if (last === undefined) throw new Error("a network has at least one node");
  throw tried.length === 1 ? last : withAttempts(last, { network: around.network, what: WHAT }, tried);
}

/**
 * Those that are well and free first, and whole before soon: one that lags behind the others lacks the last entries,
 * so that a turn at another is waited for. The sort keeps the order of preference.
 */
function inOrder(endpoints: readonly Endpoint[], nowMillis: Milliseconds): readonly Endpoint[] {
  const rank = (endpoint: Endpoint): number => {
    if (endpoint.rest.refusedForMillis > 0) return 4;
    if (endpoint.rest.health.resting) return 3;
    if (isBehind(endpoint, endpoints, nowMillis)) return 2;
    return endpoint.exports.waitMillis > 0 ? 1 : 0;
  };
  return endpoints.toSorted((a, b) => rank(a) - rank(b));
}

/** The node cannot have begun an export. */
function wasNotAsked(error: ApiError): boolean {
  if (error.kind === "rate-limited" || error.kind === "banned") return true;
  return error.cause instanceof HttpFault && !error.cause.sent;
}

async function openLedger(endpoint: Endpoint, path: string, attempt: Try, around: Surroundings): Promise<LedgerStream> {
  const asked = endpoint.asked(WHAT);
  if (!(await endpoint.exports.take(attempt.deadlineMillis, attempt.signal))) {
    const why = `has another export under way; try again when that has ended (waited ${formatDuration(around.limits.callMillis)})`;
    throw nodeFailure("rate-limited", why, asked);
  }
  let admitted = false;
  try {
    await endpoint.admit(WHAT, attempt);
    admitted = true;
  } finally {
    if (!admitted) endpoint.exports.cancel();
  }
  const { opened } = new LedgerReceiver(endpoint, path, asked, attempt.signal, around);
  endpoint.count(opened.then(() => ({})));
  return opened;
}
