import { silentLog } from "../../log.ts";
import type { Milliseconds, Nanoseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Answer } from "../api-client.ts";
import { type ApiError, asApiError } from "../api-error.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { HttpHeaders } from "../http/http.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { type ApiRequest, networkTime, nodeInfo, partiesStake } from "../model/model.ts";
import { NodeEndpoint } from "./node.ts";

/** The result of one inspection: no retry, no cache, no rate budget. */
export interface NodeInspection {
  /** Host, port and path: no credentials. */
  readonly node: string;
  /** Why the inspection failed; the other members are then missing. */
  readonly failure?: ApiError;
  /** The paths that it serves: those of the published contract or of v0.71 nodes. */
  readonly dialect?: "contract" | "v0.71";
  readonly time?: Nanoseconds;
  readonly height?: bigint;
  /** Wall clock when the answer arrived. */
  readonly at?: Nanoseconds;
  readonly roundTripMillis?: Milliseconds;
  readonly version?: string;
  /** Its rate limit by its headers, where it sends them. */
  readonly rateLimit?: { readonly limit: number; readonly remaining: number };
}

export interface InspectionOptions {
  readonly network: string;
  /** For each request. Default 4 s. */
  readonly timeoutMillis?: Milliseconds;
  readonly clock?: Clock;
}

const TIMEOUT_MILLIS: Milliseconds = 4000;
/** A party that does not exist: the answer is short on any network. */
const NO_PARTY = "0".repeat(64);

/** A node that keeps the headers of its last answer. */
class InspectedNode extends NodeEndpoint {
  headers: HttpHeaders = {};

  override observeHeaders(headers: HttpHeaders): void {
    this.headers = headers;
    super.observeHeaders(headers);
  }

  ask<T>(request: ApiRequest<T>): Promise<Answer<T>> {
    return this.request(request, { lane: "people", fresh: true, deadlineMillis: Number.POSITIVE_INFINITY });
  }
}

/** Asks a data node for its time and its version: three requests at most. Never rejects. */
export function inspectNode(url: string, options: InspectionOptions): Promise<NodeInspection> {
  const { clock = systemClock } = options;
  return inspect(url, options, async (node) => {
    const began = clock.monotonicMillis();
    const { value, asOf } = await node.ask(networkTime);
    const roundTripMillis = Math.round(clock.monotonicMillis() - began);
    const rateLimit = rateLimitOf(node.headers);
    return {
      dialect: node.speaksLegacy ? "v0.71" : "contract",
      ...withoutUndefined({ time: value.timestamp, height: asOf.blockHeight, rateLimit }),
      at: asOf.receivedAt,
      roundTripMillis,
      ...(await versionOf(node)),
    };
  });
}

/** Asks a core node for the stake of a party that does not exist: whether it serves stakes at all. Never rejects. */
export function inspectCore(url: string, options: InspectionOptions): Promise<NodeInspection> {
  return inspect(url, options, async (node) => {
    await node.ask(partiesStake(NO_PARTY));
    return {};
  });
}

async function inspect(
  url: string,
  { network, timeoutMillis = TIMEOUT_MILLIS, clock = systemClock }: InspectionOptions,
  look: (node: InspectedNode) => Promise<Omit<NodeInspection, "node">>,
): Promise<NodeInspection> {
  const limits = { ...DEFAULT_LIMITS, tryMillis: timeoutMillis };
  const common = { network, simulated: false, cache: false, log: silentLog(), random: Math.random };
  const node = new InspectedNode(url, undefined, { ...common, limits, clock });
  try {
    return { node: node.name, ...(await look(node)) };
  } catch (error) {
    return { node: node.name, failure: asApiError(error) };
  } finally {
    await node.close();
  }
}

/** A node without a version still serves requests. */
async function versionOf(node: InspectedNode): Promise<{ version?: string }> {
  try {
    const { version } = (await node.ask(nodeInfo)).value;
    return withoutUndefined({ version });
  } catch (error) {
    asApiError(error);
    return {};
  }
}

function rateLimitOf(headers: HttpHeaders): NodeInspection["rateLimit"] {
  const [limit, remaining] = [headers["ratelimit-limit"], headers["ratelimit-remaining"]].map((value) =>
    // The limit may be followed by its policy, behind a comma.
    typeof value === "string" ? /^\d{1,9}/u.exec(value)?.[0] : undefined,
  );
  return limit === undefined || remaining === undefined
    ? undefined
    : { limit: Number(limit), remaining: Number(remaining) };
}
