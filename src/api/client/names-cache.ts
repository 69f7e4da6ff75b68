import type { z } from "zod";

import { compareIntegers } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Answer, CallOptions, Operations } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { Clock } from "../clock.ts";
import { BODY_BYTES } from "../limits.ts";
import { type ApiRequest, defineRequest, partiesStake } from "../model/model.ts";
import { assetNames, Assets, marketNames, Markets, NetworkNodes, nodeNames } from "../model/names.ts";
import type { Page } from "../model/page.ts";

/** Gets the answer to one request. */
export type Call = <T>(request: ApiRequest<T>, options: CallOptions | undefined) => Promise<Answer<T>>;

/** Names change rarely: when a market or an asset is proposed. */
const NAMES_CACHE_MILLIS: Milliseconds = 600_000;
/** A node without names is not asked again for this long. */
const NOT_OFFERED_CACHE_MILLIS: Milliseconds = 60_000;
const ROWS_PER_PAGE = 1000;
/** A safety bound, far beyond the number of markets: without its decimals, a market's prices cannot be watched. */
const MAX_PAGES = 50;

/** Keeps one kind of names for long: gets them, or the last known ones where the node fails. */
function cached<T>(clock: Clock, read: (options: CallOptions) => Promise<readonly T[]>) {
  let known: readonly T[] = [];
  let validUntilMillis = -1;
  return async (options: CallOptions = {}): Promise<readonly T[]> => {
    options.signal?.throwIfAborted();
    if (options.fresh !== true && clock.monotonicMillis() < validUntilMillis) return known;
    try {
      known = await read(options);
      validUntilMillis = clock.monotonicMillis() + NAMES_CACHE_MILLIS;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      validUntilMillis = clock.monotonicMillis() + NOT_OFFERED_CACHE_MILLIS;
    }
    return known;
  };
}

/** Reads a list of names, page after page, and keeps it. */
function cachedPages<S extends z.ZodType, Row, T>(
  call: Call,
  clock: Clock,
  list: string,
  schema: S,
  pick: (parsed: z.output<S>) => Page<Row>,
  namesOf: (row: Row) => T | undefined,
): (options?: CallOptions) => Promise<readonly T[]> {
  const requestFor = (after: string | undefined): ApiRequest<Page<Row>> => {
    const query = new URLSearchParams({ "pagination.first": String(ROWS_PER_PAGE) });
    if (after !== undefined) query.set("pagination.after", after);
    return defineRequest({
      path: `/api/v2/${list}?${query.toString()}`,
      what: `the ${list}' names`,
      schema,
      maxBytes: BODY_BYTES.names,
      pick,
      cacheMillis: 0,
      pages: true,
      ...(after === undefined ? {} : { cursor: after }),
    });
  };
  return cached(clock, async (options) => {
    const names: T[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const { value }: { value: Page<Row> } = await call(requestFor(after), options);
      names.push(...value.rows.map(({ node }) => namesOf(node)).filter((one) => one !== undefined));
      if (!value.hasNextPage || value.endCursor === undefined || value.endCursor === after) break;
      after = value.endCursor;
    }
    return names;
  });
}

/** The operations for names, of which each has its own cache. */
export function namesOperations(call: Call, clock: Clock) {
  return {
    getMarketNames: cachedPages(call, clock, "markets", Markets, ({ markets }) => markets, marketNames),
    getAssetNames: cachedPages(call, clock, "assets", Assets, ({ assets }) => assets, assetNames),
    getNodeNames: cachedPages(call, clock, "nodes", NetworkNodes, ({ nodes }) => nodes, nodeNames),
    getStakers: cached(clock, async (options) => {
      const { value } = await call(partiesStake(undefined), options);
      return value
        .flatMap(({ party: id, currentStakeAvailable: stake = 0n }) => (id === undefined ? [] : [{ id, stake }]))
        .toSorted((a, b) => compareIntegers(b.stake, a.stake));
    }),
  } satisfies Partial<Operations>;
}
