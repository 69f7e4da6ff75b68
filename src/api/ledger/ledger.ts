// A streamed ledger export: openLedgerExport chooses a node and waits for its export slot; receiver.ts passes the bytes
// from the connection to the caller; framing.ts removes the framing (raw bytes, or JSON messages with base64:
// message-framing.ts).

import { UserError } from "../../errors.ts";
import { nanoseconds, type Nanoseconds } from "../../units/time.ts";
import type { Clock } from "../clock.ts";
import type { LedgerOptions, LedgerQuery, LedgerStream } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import { HttpFault } from "../http/http-fault.ts";
import { withAttempts } from "../http/node-failure.ts";
import { isBehind } from "../node/last-seen-block.ts";
import type { AttemptOptions, ClientContext, NodeEndpoint } from "../node/node.ts";
import { LedgerReceiver } from "./receiver.ts";

const WHAT = "the ledger export";
const DAY_NANOSECONDS = 86_400e9;

/**
 * Opens an export at the first node with a free export slot. No node is asked twice, since an export is expensive for
 * it. Where one fails, each healthy node is asked once; where none has seen the request yet, all others are.
 */
export async function openLedgerExport(
  endpoints: readonly NodeEndpoint[],
  query: LedgerQuery,
  options: LedgerOptions = {},
  context: ClientContext,
): Promise<LedgerStream> {
  const { signal, lane = "people", failed = [] } = options;
  signal?.throwIfAborted();
  const path = ledgerPath(query);
  const failures = [...failed];
  const untried = new Set(endpoints.filter(({ name }) => !failed.some(({ node }) => node === name)));
  const preference = { from: query.from, after: options.after };
  for (;;) {
    const endpoint = readiest(untried, endpoints, preference, context.clock);
    const asked = failures.find((failure) => !wasNotAsked(failure));
    if (endpoint === undefined || (asked !== undefined && endpoint.breaker.health.circuitOpen)) break;
    // If another process exports from this node, the next attempt prefers other nodes.
    if (!(await endpoint.exportSlot.acquire(signal))) continue;
    untried.delete(endpoint);
    try {
      return { ...(await openAt(endpoint, path, { lane, signal }, context)), failed: failures };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push(error);
      if (error.kind === "invalid" || error.kind === "not-found") break;
    }
  }
  // A node that was asked tells more than one that refused to be, and most of all where it may succeed later.
  const asked = failures.filter((failure) => !wasNotAsked(failure));
  const told = asked.find(({ foreign }) => !foreign) ?? asked[0] ?? failures.at(-1);
  if (told === undefined) throw new Error("a network has at least one node");
  const tried = failures.flatMap((failure) => failure.tried);
  throw failures.length === 1 ? told : withAttempts(told, { network: context.network, what: WHAT }, tried);
}

/**
 * The untried node to ask next; undefined where all were tried. Healthy ones with a free slot come first, and
 * up-to-date ones before those with an earlier slot, since a lagging node lacks the last entries; behind them those of
 * a history known to be shorter than the range, then those named in `after`, then all that are not healthy. Among
 * equals the order of preference holds.
 */
function readiest(
  untried: ReadonlySet<NodeEndpoint>,
  endpoints: readonly NodeEndpoint[],
  { from = nanoseconds(0n), after }: { from: Nanoseconds | undefined; after: LedgerOptions["after"] | undefined },
  clock: Clock,
): NodeEndpoint | undefined {
  const days = Number(clock.wallClock() - from) / DAY_NANOSECONDS;
  const rank = (endpoint: NodeEndpoint): number => {
    if (endpoint.breaker.refusedForMillis > 0) return 6;
    if (endpoint.breaker.health.circuitOpen) return 5;
    if (after?.has(endpoint.name) === true) return 4;
    if ((endpoint.ledgerDays ?? Infinity) < days) return 3;
    if (isBehind(endpoint, endpoints, clock.monotonicMillis())) return 2;
    return endpoint.exportSlot.waitMillis > 0 ? 1 : 0;
  };
  return [...untried].toSorted((a, b) => rank(a) - rank(b))[0];
}

/** The node cannot have begun an export. */
function wasNotAsked(error: ApiError): boolean {
  if (error.kind === "rate-limited" || error.kind === "banned") return true;
  return error.cause instanceof HttpFault && !error.cause.sent;
}

async function openAt(
  endpoint: NodeEndpoint,
  path: string,
  { lane, signal }: Pick<AttemptOptions, "lane" | "signal">,
  context: ClientContext,
): Promise<LedgerStream> {
  const target = endpoint.target(WHAT);
  const deadlineMillis = context.clock.monotonicMillis() + context.limits.callMillis;
  const attempt: AttemptOptions = { lane, fresh: true, deadlineMillis, signal };
  try {
    await endpoint.admit(WHAT, attempt);
  } catch (thrown) {
    endpoint.exportSlot.releaseUnused();
    throw thrown;
  }
  const { opened } = new LedgerReceiver(endpoint, path, target, attempt.signal, context);
  endpoint.reportOutcome(opened.then(() => ({})));
  return opened;
}

/** The largest number the interface's int64 holds. */
const MAX_INT64 = 2n ** 63n - 1n;

const YEARS = "Give a time between the years 1970 and 2262.";

/**
 * The export's path and query. An end without a start crashes some releases, so a start of 0 is sent. Throws UserError
 * for an invalid range.
 */
function ledgerPath(query: LedgerQuery): string {
  const { partyId, assetId, from, to } = query;
  if (partyId === "") throw new UserError("A ledger export needs a party.", { option: "party", remedy: "Name one." });
  if (assetId === "") throw new UserError("A ledger export needs an asset.", { option: "asset", remedy: "Name one." });
  if (from !== undefined && (from < 0n || from > MAX_INT64)) {
    throw new UserError("A ledger export cannot start then.", { option: "from", remedy: YEARS });
  }
  if (to !== undefined && to > MAX_INT64) {
    throw new UserError("A ledger export cannot end then.", { option: "to", remedy: YEARS });
  }
  if (to !== undefined && to <= (from ?? 0n)) {
    throw new UserError("The end of this ledger export is not after its start.", {
      option: "to",
      remedy: "Give a later end, or an earlier start.",
    });
  }
  const parameters = new URLSearchParams({ partyId, assetId });
  if (from !== undefined || to !== undefined) parameters.set("dateRange.startTimestamp", String(from ?? 0n));
  if (to !== undefined) parameters.set("dateRange.endTimestamp", String(to));
  return `/api/v2/ledgerentry/export?${parameters.toString()}`;
}
