import type { z } from "zod";

import type { Milliseconds } from "../../units/duration.ts";
import type { CallOptions } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { Clock } from "../clock.ts";
import { BODY_BYTES } from "../limits.ts";
import { type ApiRequest, defineRequest, partiesStake } from "../model/model.ts";
import { assetNames, Assets, marketNames, Markets, NetworkNodes, nodeNames } from "../model/names.ts";
import { EMPTY_PAGE, type Page } from "../model/page.ts";
import type { Call } from "./operations.ts";

/** Names change rarely: when a market or an asset is proposed. */
const NAMES_CACHE_MILLIS: Milliseconds = 600_000;
/** A node without names is not asked again for this long. */
const NOT_OFFERED_CACHE_MILLIS: Milliseconds = 60_000;
const ROWS_PER_PAGE = 1000;
/** A safety bound, far beyond the number of markets: without its decimals, a market's prices cannot be watched. */
const MAX_PAGES = 50;

/** A cache of one kind of names: read completely, cached for long, never failing a call. */
export interface NamesCache<T> {
  /** The names, or the last known ones where the node fails. Rejects only with the signal's reason. */
  get(options?: CallOptions): Promise<readonly T[]>;
}

function createNamesCache<T>(clock: Clock, read: (options: CallOptions) => Promise<readonly T[]>): NamesCache<T> {
  let known: readonly T[] = [];
  let validUntilMillis = -1;
  return {
    async get(options = {}) {
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
    },
  };
}

/** Reads a list of names, page after page. */
function pagesOf<S extends z.ZodType, T>(
  call: Call,
  { list, schema, pick }: { list: string; schema: S; pick: (parsed: z.output<S>) => Page<T | undefined> },
): (options: CallOptions) => Promise<readonly T[]> {
  const requestFor = (after: string | undefined): ApiRequest<Page<T | undefined>> => {
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
  return async (options) => {
    const names: T[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const { value }: { value: Page<T | undefined> } = await call(requestFor(after), options);
      for (const row of value.rows) if (row.node !== undefined) names.push(row.node);
      if (!value.hasNextPage || value.endCursor === undefined || value.endCursor === after) break;
      after = value.endCursor;
    }
    return names;
  };
}

/** The caches of a network's names. */
export function createNamesCaches(call: Call, clock: Clock) {
  return {
    markets: createNamesCache(
      clock,
      pagesOf(call, { list: "markets", schema: Markets, pick: ({ markets }) => mapPage(markets, marketNames) }),
    ),
    assets: createNamesCache(
      clock,
      pagesOf(call, { list: "assets", schema: Assets, pick: ({ assets }) => mapPage(assets, assetNames) }),
    ),
    validators: createNamesCache(
      clock,
      pagesOf(call, { list: "nodes", schema: NetworkNodes, pick: ({ nodes }) => mapPage(nodes, nodeNames) }),
    ),
    stakers: createNamesCache(clock, async (options) => {
      const { value } = await call(partiesStake(undefined), options);
      return value
        .flatMap(({ party: id, currentStakeAvailable: stake = 0n }) => (id === undefined ? [] : [{ id, stake }]))
        .toSorted((a, b) => (a.stake < b.stake ? 1 : a.stake > b.stake ? -1 : 0));
    }),
  };
}

function mapPage<A, B>(page: Page<A> | undefined, map: (node: A) => B): Page<B> {
  if (page === undefined) return EMPTY_PAGE;
  return { ...page, rows: page.rows.map((row) => ({ cursor: row.cursor, node: map(row.node) })) };
}
