import { ALERT_KINDS } from "../../alerts/judge/kinds/kinds.ts";
import type { Json } from "../../looks/look.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { type Changes, changesOf, keptFindings } from "../kept.ts";
import type { KeptContext, WatcherOptions } from "../watcher.ts";
import type { MarketsState } from "./markets.ts";

/** Of so many markets looks are kept where nobody says otherwise. */
export const MAX_KEPT_MARKETS = 200;

/** The kinds of alerts that name markets. */
const MARKET_KINDS = ALERT_KINDS.filter((kind) => kind.startsWith("market."));

/** What changed of the markets of which looks are kept, or all of them, with the events of all. */
export function keptMarkets(
  after: MarketsState,
  before: MarketsState | undefined,
  seen: Omit<KeptContext<MarketsState>, "before">,
  { markets: most, onBeyond }: NonNullable<WatcherOptions["looks"]>,
): Json {
  const ids = idsOf(after, seen.named(MARKET_KINDS), most);
  const others = Object.entries(after.markets).filter(([id, { absent }]) => !ids.has(id) && absent !== true);
  onBeyond?.(others.map(([id, { label }]) => label ?? id));
  const { events } = keptFindings(seen.findings);
  return { ...changesOf(before && only(before, ids), only(after, ids), seen.isWhole), ...withoutUndefined({ events }) };
}

/** The markets of which looks are kept: those that a subscription names, then the others in the order of the list. */
function idsOf({ markets }: MarketsState, named: ReadonlySet<string>, most: number): ReadonlySet<string> {
  const ids = Object.keys(markets);
  const first = ids.filter((id) => named.has(id));
  return new Set([...first, ...ids.filter((id) => !named.has(id))].slice(0, most));
}

function only({ markets, ...rest }: MarketsState, ids: ReadonlySet<string>): Changes {
  const kept: Record<string, Changes> = {};
  for (const [id, market] of Object.entries(markets)) {
    // What a value was before is in the looks before.
    const { history: _history, ...present } = market;
    if (ids.has(id)) kept[id] = present;
  }
  return { ...rest, markets: kept };
}
