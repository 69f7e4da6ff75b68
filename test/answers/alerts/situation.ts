import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import type { GivenParameters } from "../../../src/alerts/judge/kinds/kind.ts";
import type { ConditionKind } from "../../../src/alerts/judge/kinds/kinds.ts";
import type { Episode } from "../../../src/alerts/judge/rules/episode.ts";
import type { TrialRequest } from "../../../src/alerts/trial/trial.ts";
import { othersOf, type Tried, tryAll } from "../../../src/answers/alerts/subscriptions/try-subscription.ts";
import { type LooksRange, pageReader } from "../../../src/looks/read.ts";
import { type Json, type Look, lookToText } from "../../../src/looks/look.ts";
import { tryNewestFirst } from "../../../src/main/alerting/newest-first.ts";
import type { Store } from "../../../src/store/store.ts";
import { fromMillis, type Milliseconds, toMillis } from "../../../src/units/time.ts";
import { ann, OPS } from "../../commands/alert-channel.ts";
import { DAY, HOUR, looksUntil, type Trouble, type Unseen } from "../../support/kept-looks.ts";
import { PLATFORMS } from "../../support/platforms.ts";
import { NOON } from "../../support/talk.ts";

export const NOW = toMillis(NOON);
export const CONFIG = DEFAULT_ALERTS_CONFIG;

/** What was seen until now, and one threshold that is tried on it. */
export interface Situation {
  readonly kind: ConditionKind;
  readonly given: GivenParameters;
  readonly since?: Milliseconds;
  readonly troubles?: readonly Trouble[];
  readonly unseen?: readonly Unseen[];
  /** Facts of the network so long ago. */
  readonly network?: (ago: Milliseconds) => Json;
  /** A market so long ago, looked at every hour, perhaps since later. */
  readonly marketSince?: Milliseconds;
  readonly market?: (ago: Milliseconds) => Json;
  /** The alerts that were told. */
  readonly told?: readonly Episode[];
}

/** What is kept of a situation, by watcher. */
export function looksOf({
  since = 30 * DAY,
  network,
  market,
  marketSince = since,
  ...kept
}: Situation): Readonly<Record<string, readonly Look[]>> {
  const sources = looksUntil(NOW, { since, ...kept }).map((look) => {
    const { facts } = look.seen as { readonly facts: object };
    return network === undefined
      ? look
      : { ...look, seen: { facts: { ...facts, ...Object(network(NOW - look.dueMillis)) } } };
  });
  const every = HOUR;
  const markets = Array.from({ length: market === undefined ? 0 : marketSince / every }, (_, index): Look => {
    const at = NOW - marketSince + index * every;
    const record = { label: "BTC/USDT", state: "STATE_ACTIVE", ...Object(market?.(NOW - at)) };
    return {
      run: "one",
      dueMillis: at,
      every,
      at: fromMillis(at),
      seen: { node: "sim-1", behind: false, markets: { a1: record } },
    };
  });
  return { sources, markets };
}

export function triedOf({ kind, given }: Pick<Situation, "kind" | "given">): Tried {
  return { network: "mainnet", kinds: [kind], subjects: [], parameters: { [kind]: given }, floor: "info" };
}

/** What comes of a situation, with the other thresholds of the advice. */
export async function tryIn(situation: Situation) {
  const { since = 30 * DAY, told = [] } = situation;
  const rows = new Map(
    Object.entries(looksOf(situation)).map(([watcher, looks]) => [
      watcher,
      looks.map((look, index) => ({ number: index + 1, at: toMillis(look.at), data: lookToText(look) })),
    ]),
  );
  const tables = {
    looks: {
      packed: async () => [],
      tailBetween: async ({ watcher, from, to, after, limit }: LooksRange & { after: number; limit: number }) =>
        (rows.get(watcher) ?? []).filter(({ number, at }) => number > after && at >= from && at <= to).slice(0, limit),
    },
  };
  const store: Pick<Store, "read"> = { read: async (ask) => ask(tables as never) };
  const alerts = {
    config: CONFIG,
    trial: (request: TrialRequest) => tryNewestFirst(pageReader(store), { ...request, config: CONFIG }, 10_000),
    episodesBetween: async () => [...told],
  };
  const tried = triedOf(situation);
  const others = othersOf(tried, CONFIG);
  const answer = await tryAll(
    [tried, ...others.map((one) => one.tried)],
    { from: NOW - since, to: NOW },
    { alerts, network: "mainnet", signal: new AbortController().signal, here: OPS, caller: ann, platforms: PLATFORMS },
  );
  return { tried, others, answer };
}
