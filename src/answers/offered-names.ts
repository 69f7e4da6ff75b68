import type { ApiClient, CallOptions } from "../api/api-client.ts";
import type { AssetNames, MarketNames, NodeNames } from "../api/names.ts";

/** A reply does not wait longer than this for names that are only there to ease reading. */
const NAMES_WAIT_MILLIS = 2000;

/** Where names are asked for: a command's context, or a completion's. */
export interface NamesContext {
  readonly api: ApiClient;
  readonly signal: AbortSignal;
}

/** Markets by id; empty where the node offers no names or takes too long. */
export function marketsById(context: NamesContext): Promise<ReadonlyMap<string, MarketNames>> {
  return byId(context, (options) => context.api.getMarketNames(options));
}

/** Assets by id; empty where the node offers no names or takes too long. */
export function assetsById(context: NamesContext): Promise<ReadonlyMap<string, AssetNames>> {
  return byId(context, (options) => context.api.getAssetNames(options));
}

/** Validator nodes by id; empty where the node offers no names or takes too long. */
export function nodesById(context: NamesContext): Promise<ReadonlyMap<string, NodeNames>> {
  return byId(context, (options) => context.api.getNodeNames(options));
}

async function byId<T extends { readonly id: string }>(
  { signal }: NamesContext,
  get: (options: CallOptions) => Promise<readonly T[]>,
): Promise<ReadonlyMap<string, T>> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<readonly T[]>((resolve) => {
    timer = setTimeout(() => resolve([]), NAMES_WAIT_MILLIS);
  });
  try {
    const names = await Promise.race([get({ signal }).catch((): readonly T[] => []), tooLong]);
    return new Map(names.map((named) => [named.id, named]));
  } finally {
    clearTimeout(timer);
  }
}
