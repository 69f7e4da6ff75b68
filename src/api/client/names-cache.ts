import type { z } from "zod";

import type { Milliseconds } from "../../units/duration.ts";
import type { CallOptions } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { Clock } from "../clock.ts";
import { BODY_BYTES } from "../limits.ts";
import { type ApiRequest, defineRequest } from "../model/model.ts";
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
export class NamesCache<T> {
  readonly #call: Call;
  readonly #clock: Clock;
  readonly #requestFor: (after: string | undefined) => ApiRequest<Page<T | undefined>>;
  #names: readonly T[] = [];
  #validUntilMillis = -1;

  constructor(call: Call, clock: Clock, requestFor: (after: string | undefined) => ApiRequest<Page<T | undefined>>) {
    this.#call = call;
    this.#clock = clock;
    this.#requestFor = requestFor;
  }

  /** The names, or the last known ones where the node fails. Rejects only with the signal's reason. */
  async get(options: CallOptions = {}): Promise<readonly T[]> {
    options.signal?.throwIfAborted();
    if (options.fresh !== true && this.#clock.monotonicMillis() < this.#validUntilMillis) return this.#names;
    try {
      const names = await this.#read(options);
      this.#names = names;
      this.#validUntilMillis = this.#clock.monotonicMillis() + NAMES_CACHE_MILLIS;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      this.#validUntilMillis = this.#clock.monotonicMillis() + NOT_OFFERED_CACHE_MILLIS;
    }
    return this.#names;
  }

  async #read(options: CallOptions): Promise<readonly T[]> {
    const names: T[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const { value }: { value: Page<T | undefined> } = await this.#call(this.#requestFor(after), options);
      for (const row of value.rows) if (row.node !== undefined) names.push(row.node);
      if (!value.hasNextPage || value.endCursor === undefined || value.endCursor === after) break;
      after = value.endCursor;
    }
    return names;
  }
}

export const marketNamesCache = (call: Call, clock: Clock) =>
  new NamesCache(
    call,
    clock,
    requestFor("markets", Markets, (parsed) => mapPage(parsed.markets, marketNames)),
  );

export const assetNamesCache = (call: Call, clock: Clock) =>
  new NamesCache(
    call,
    clock,
    requestFor("assets", Assets, (parsed) => mapPage(parsed.assets, assetNames)),
  );

export const nodeNamesCache = (call: Call, clock: Clock) =>
  new NamesCache(
    call,
    clock,
    requestFor("nodes", NetworkNodes, (parsed) => mapPage(parsed.nodes, nodeNames)),
  );

/** Requests for the pages of a list, each behind a cursor. */
function requestFor<S extends z.ZodType, T>(list: string, schema: S, pick: (parsed: z.output<S>) => Page<T>) {
  return (after: string | undefined): ApiRequest<Page<T>> => {
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
}

function mapPage<A, B>(page: Page<A> | undefined, map: (node: A) => B): Page<B> {
  if (page === undefined) return EMPTY_PAGE;
  return { ...page, rows: page.rows.map((row) => ({ cursor: row.cursor, node: map(row.node) })) };
}
