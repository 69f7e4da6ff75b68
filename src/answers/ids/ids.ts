// Kinds of ids (market, asset, validator, party, order, proposal), the names that nodes give them, and the ids that
// replies have shown. typed-ids.ts reads and completes what people type for an id.

import type { ApiClient, CallOptions } from "../../api/api-client.ts";
import { isLiveState } from "../../api/model/market.ts";
import { inTime } from "../../units/time.ts";
import { shortText } from "../../reply/fold.ts";
import { plainText } from "../../reply/plain-text.ts";
import { text } from "../../reply/text.ts";
import type { SeenId, SeenIds, SeenKind } from "../../store/store.ts";
import { stakeAmount } from "../amounts.ts";
import { hasEnded, stateRank, stateWords } from "../markets.ts";

/** An id with its name. `label` can be typed for it, `more` describes it. */
export interface NamedId {
  readonly id: string;
  readonly label: string | undefined;
  readonly more?: string | undefined;
  readonly ended?: boolean;
  /** Its state, unless that is the usual one: `settled`. */
  readonly state?: string | undefined;
  /** Its place among equals, the lowest first: active markets before those that wait or have ended. */
  readonly place?: number;
}

/** A kind of id: its names in text, and the source of its labels. */
export interface IdKind {
  readonly kind: SeenKind;
  /** `market`, with its article `a`. */
  readonly noun: string;
  readonly article: "a" | "an";
  /** What can be typed instead of an id: `its code, such as BTC/USDT`; undefined without names. */
  readonly byName: string | undefined;
  readonly example: string;
  /** All ids that the node has a name for; rejects by the signal alone. */
  names(context: NamesContext): Promise<readonly NamedId[]>;
}

export const MARKET: IdKind = {
  kind: "market",
  noun: "market",
  article: "a",
  byName: "its code, such as BTC/USDT",
  example: "BTC/USDT",
  names: async ({ api, signal }) =>
    (await api.getMarketNames({ signal }))
      .map(({ id, code, name, state }) => ({ id, label: code ?? name, more: name, state }))
      // In the order of market list.
      .toSorted((a, b) => stateRank(a.state) - stateRank(b.state) || compareNames(a.label ?? "", b.label ?? ""))
      .map(({ state, ...named }, place) => ({
        ...named,
        ended: hasEnded(state),
        place,
        ...(state === undefined || state === "STATE_ACTIVE" ? {} : { state: stateWords(state) }),
      })),
};

/** In the order of their UTF-16 units. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export const ASSET: IdKind = {
  kind: "asset",
  noun: "asset",
  article: "an",
  byName: "its symbol, such as USDT",
  example: "USDT",
  names: async ({ api, signal }) => {
    const [assets, markets] = await Promise.all([api.getAssetNames({ signal }), api.getMarketNames({ signal })]);
    const live = markets.filter(({ state }) => isLiveState(state));
    // The more live markets settle in an asset, the more people ask for it.
    const placeOf = (id: string): number => -live.filter(({ settlementAsset }) => settlementAsset === id).length;
    return assets.map(({ id, symbol, name }) => ({ id, label: symbol ?? name, more: name, place: placeOf(id) }));
  },
};

export const VALIDATOR: IdKind = {
  kind: "node",
  noun: "validator node",
  article: "a",
  byName: "its name",
  example: "validator-1",
  names: async ({ api, signal }) => (await api.getNodeNames({ signal })).map(({ id, name }) => ({ id, label: name })),
};

export const PARTY: IdKind = {
  kind: "party",
  noun: "party",
  article: "a",
  byName: undefined,
  example: "f8ac93d1…",
  names: async ({ api, signal }) =>
    (await api.getStakers({ signal })).map(({ id, stake }, place) => ({
      id,
      label: undefined,
      more: plainText(shortText(text`stakes ${stakeAmount(stake)}`)),
      place,
    })),
};
const unnamed = { byName: undefined, names: (): Promise<readonly NamedId[]> => Promise.resolve([]) };
export const ORDER: IdKind = { kind: "order", noun: "order", article: "an", example: "a1b2c3d4…", ...unnamed };
export const PROPOSAL: IdKind = { kind: "proposal", noun: "proposal", article: "a", example: "3f2a91c4…", ...unnamed };

/** A reply does not wait longer for names, which only ease reading. */
const NAMES_WAIT_MILLIS = 2000;

/** The part of a command's or completion's context that asks for names. */
export interface NamesContext {
  readonly api: ApiClient;
  readonly signal: AbortSignal;
}

/** What nodes name, by id; empty where the node offers no names or takes too long. */
export const marketsById = byId((api, options) => api.getMarketNames(options));
export const assetsById = byId((api, options) => api.getAssetNames(options));
export const nodesById = byId((api, options) => api.getNodeNames(options));

function byId<T extends { readonly id: string }>(get: (api: ApiClient, options: CallOptions) => Promise<readonly T[]>) {
  return async ({ api, signal }: NamesContext): Promise<ReadonlyMap<string, T>> => {
    const asked = get(api, { signal }).catch((): readonly T[] => []);
    const names = await inTime(asked, { millis: NAMES_WAIT_MILLIS }, (): readonly T[] => []);
    return new Map(names.map((named) => [named.id, named]));
  };
}

/** What a line calls an id: its name, where no other one that lives has it and no id begins like it, else the id itself. */
export function typedName({ id, label, ended }: NamedId, all: readonly NamedId[]): string {
  if (label === undefined || /^[0-9a-f]*$/iu.test(label)) return id;
  const low = label.toLowerCase();
  const rivals = all.filter((one) => one.id === id || ended === true || one.ended !== true);
  const so = rivals.filter((one) => one.label?.toLowerCase() === low);
  return so.length === 1 && so[0]?.id === id ? label : id;
}

/** The part of a command's context that remembers ids. */
export interface SeenContext {
  readonly network: string;
  readonly seen: SeenIds;
}

/** Records ids that a reply shows, for completion. Does not wait, and ignores failures. */
export function noteSeen(
  context: SeenContext,
  kind: SeenKind,
  ids: readonly { readonly id: string | undefined; readonly label?: string | undefined }[],
): void {
  const known = new Map<string, SeenId>();
  for (const { id, label } of ids) if (id !== undefined && id !== "") known.set(id, { id, label });
  if (known.size === 0) return;
  // Seen ids only ease typing: a failing store must not prevent the answer.
  Promise.try(() => context.seen.note(context.network, kind, [...known.values()])).catch(() => {});
}

/** Ids with the typed prefix, or whose label contains the typed text; none where the store fails. */
export async function findSeen(
  context: SeenContext,
  kind: SeenKind,
  typed: string,
  limit: number,
): Promise<readonly SeenId[]> {
  return Promise.try(() => context.seen.find(context.network, kind, typed, limit)).catch(() => []);
}

/** The first word of a name: `btc` of `BTC/USDT`. */
export function firstWord(label = ""): string | undefined {
  return label.toLowerCase().split(/[^\p{L}\p{N}]+/u)[0];
}

/** The shortest of several names, where it begins all of them. */
export function plainest(labels: readonly string[]): string | undefined {
  const shortest = labels.toSorted((a, b) => a.length - b.length)[0];
  return shortest !== undefined && labels.every((label) => label.startsWith(shortest)) ? shortest : undefined;
}
