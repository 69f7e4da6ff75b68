import type { Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { type ApiError, asApiError } from "../api-error.ts";
import { type Clock, systemClock } from "../clock.ts";
import { parseBaseUrl } from "../http/base-url.ts";
import { isRouteMissingResponse } from "../http/error-body.ts";
import { HttpFault } from "../http/http-fault.ts";
import { type HttpResponse, openHttp } from "../http/http.ts";
import { failureOfFault, failureOfResponse, type RequestTarget } from "../http/node-failure.ts";
import { parseResponse } from "../http/parse-response.ts";
import { readBlock } from "../http/response-headers.ts";
import { type ApiRequest, networkTime, nodeInfo, partiesStake } from "../model/model.ts";

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

/** Asks a data node for its time and its version: three requests at most. Never rejects. */
export async function inspectNode(url: string, options: InspectionOptions): Promise<NodeInspection> {
  const { clock = systemClock } = options;
  return atBase(url, options, async (send, read) => {
    const began = clock.monotonicMillis();
    const first = await send(networkTime.path, networkTime);
    const other = isRouteMissingResponse(first) && networkTime.legacyPath !== undefined;
    const response = other ? await send(networkTime.legacyPath ?? "", networkTime) : first;
    const roundTripMillis = Math.round(clock.monotonicMillis() - began);
    const { timestamp: time } = read(networkTime, response);
    const { blockHeight: height } = readBlock(response.headers);
    return {
      dialect: other ? "v0.71" : "contract",
      ...withoutUndefined({ time, height, rateLimit: rateLimitOf(response) }),
      at: clock.wallClock(),
      roundTripMillis,
      ...(await versionOf(send, read)),
    };
  });
}

/** Asks a core node for the stake of a party that does not exist: whether it serves stakes at all. Never rejects. */
export function inspectCore(url: string, options: InspectionOptions): Promise<NodeInspection> {
  const stake = partiesStake(NO_PARTY);
  return atBase(url, options, async (send, read) => {
    read(stake, await send(stake.path, stake));
    return {};
  });
}

type Send = (path: string, request: ApiRequest<unknown>) => Promise<HttpResponse>;
type Read = <T>(request: ApiRequest<T>, response: HttpResponse) => T;

async function atBase(
  url: string,
  { network, timeoutMillis = TIMEOUT_MILLIS }: InspectionOptions,
  inspect: (send: Send, read: Read) => Promise<Omit<NodeInspection, "node">>,
): Promise<NodeInspection> {
  const base = parseBaseUrl(url);
  const { name: node, redact } = base;
  const http = openHttp(base);
  const targetOf = ({ what }: ApiRequest<unknown>): RequestTarget => ({ network, node, what, redact });
  const send: Send = async (path, request) => {
    try {
      return await http.get(path, { timeoutMillis, maxBytes: request.maxBytes }).response;
    } catch (error) {
      if (error instanceof HttpFault) throw failureOfFault(error, targetOf(request));
      throw error;
    }
  };
  const read: Read = (request, response) => {
    if (response.status !== 200) throw failureOfResponse(response, targetOf(request));
    return request.pick(parseResponse(response, request.schema, targetOf(request)) as never);
  };
  try {
    return { node, ...(await inspect(send, read)) };
  } catch (error) {
    return { node, failure: asApiError(error) };
  } finally {
    await http.close();
  }
}

/** A node without a version still serves requests. */
async function versionOf(send: Send, read: Read): Promise<{ version?: string }> {
  try {
    const { version } = read(nodeInfo, await send(nodeInfo.path, nodeInfo));
    return withoutUndefined({ version });
  } catch (error) {
    asApiError(error);
    return {};
  }
}

function rateLimitOf({ headers }: HttpResponse): NodeInspection["rateLimit"] {
  const [limit, remaining] = [headers["ratelimit-limit"], headers["ratelimit-remaining"]].map((value) =>
    // The limit may be followed by its policy, behind a comma.
    typeof value === "string" ? /^\d{1,9}/u.exec(value)?.[0] : undefined,
  );
  return limit === undefined || remaining === undefined
    ? undefined
    : { limit: Number(limit), remaining: Number(remaining) };
}
