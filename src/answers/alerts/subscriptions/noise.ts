import { type ConditionKind, isConditionKind } from "../../../alerts/judge/kinds/kinds.ts";
import { destinationKey } from "../../../alerts/destination.ts";
import { covers, rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { adviceOf } from "../../../alerts/trial/advice.ts";
import { DAY, inTime, type Milliseconds } from "../../../units/time.ts";
import type { Block } from "../../../reply/block.ts";
import { type Action, type Ask, invalidatingAction } from "../../../reply/reply.ts";
import { code, text, type Text } from "../../../reply/text.ts";
import { formatCount } from "../../../units/format-number.ts";
import { changeAsk, contentKey } from "./subscriptions.ts";
import { watchedMillis } from "./trial-reply.ts";
import { othersOf, type OtherTried, tryAll } from "./try-subscription.ts";

/** A subscription that told more than ten alerts of a kind within seven days. */
export interface Noise {
  readonly subscription: Subscription;
  readonly kind: ConditionKind;
  /** So many alerts. */
  readonly told: number;
  /** Other thresholds, by which it would have told fewer. */
  readonly better?: Better;
}

type Better = Pick<OtherTried, "typed"> & { readonly told: number };

const WEEK: Milliseconds = 7 * DAY;
const MOST = 10;
/** So many are named: the noisiest. */
const NAMED = 3;
/** Of a busier week less is read, and less is counted. */
const MAX_MESSAGES = 2000;
/** Nobody waits longer for other thresholds; what comes later is known to the next who asks. */
const WAIT: Milliseconds = 1000;

type NoiseContext = Omit<Parameters<typeof tryAll>[2], "network" | "alerts"> & {
  readonly alerts: Pick<AlertService, "config" | "trial" | "episodesBetween" | "told">;
};

/** The noise of these subscriptions that nobody has left as it is, the worst first. */
export async function noiseOf(
  subscriptions: readonly Subscription[],
  now: Milliseconds,
  context: NoiseContext,
): Promise<readonly Noise[]> {
  const { alerts, signal } = context;
  const active = subscriptions.filter(({ state, kinds }) => state === "active" && kinds.some(isConditionKind));
  if (active.length === 0) return [];
  const destinations = [...new Set(active.map(({ destination }) => destinationKey(destination)))];
  const { told } = await alerts.told({ from: now - WEEK, to: now, destinations, limit: MAX_MESSAGES });
  const byRule = Map.groupBy(
    told.filter(({ episode }) => episode !== undefined),
    ({ destination, episode }) => `${destination} ${episode?.rule}`,
  );
  const worst = active
    .flatMap((subscription): Noise[] => {
      const key = destinationKey(subscription.destination);
      const byKind = Map.groupBy(rulesOf(subscription, alerts.config), ({ kind }) => kind);
      return [...byKind].map(([kind, rules]) => {
        const episodes = rules
          .flatMap(({ id }) => byRule.get(`${key} ${id}`) ?? [])
          .flatMap(({ episode }) => (episode !== undefined && covers(subscription, episode) ? [episode.id] : []));
        return { subscription, kind, told: new Set(episodes).size };
      });
    })
    .filter((one) => one.told > MOST && one.subscription.leaves?.includes(one.kind) !== true)
    .toSorted((a, b) => b.told - a.told)
    .slice(0, NAMED);
  const advised = adviseAll(worst, now, context);
  await inTime(advised.over, { millis: WAIT, signal }, () => undefined);
  return worst.map((one, index) => ({ ...one, ...advised.found[index] }));
}

/** What was advised of a subscription as it stands, on a day. */
const known = new WeakMap<AlertService["trial"], Map<string, Pick<Noise, "better">>>();
const MAX_KNOWN = 500;

/** Tries other thresholds, one after the other; `found` has those that are known by now. */
function adviseAll(all: readonly Noise[], now: Milliseconds, context: NoiseContext) {
  const { config, trial } = context.alerts;
  const memo = known.get(trial) ?? new Map<string, Pick<Noise, "better">>();
  known.set(trial, memo);
  const found: Pick<Noise, "better">[] = [];
  const keyOf = ({ subscription, kind }: Noise): string =>
    `${subscription.id} ${kind} ${Math.floor(now / DAY)} ${contentKey(subscription, config)}`;
  async function advise(): Promise<void> {
    for (const [index, one] of all.entries()) {
      const advice = memo.get(keyOf(one)) ?? (await betterOf(one, now, context));
      if (memo.size >= MAX_KNOWN) memo.clear();
      memo.set(keyOf(one), advice);
      found[index] = advice;
    }
  }
  // Where it fails, the number alone is told.
  return { found, over: advise().catch(() => undefined) };
}

async function betterOf(
  { subscription, kind, told }: Noise,
  now: Milliseconds,
  context: NoiseContext,
): Promise<Pick<Noise, "better">> {
  const tried = { ...subscription, kinds: [kind] };
  const others = othersOf(tried, context.alerts.config);
  if (others.length === 0) return {};
  const all = [tried, ...others.map((one) => one.tried)];
  const asking = { ...context, network: subscription.network };
  const answer = await tryAll(all, { from: now - WEEK, to: now }, asking, true);
  const [asked, ...counted] = answer.results.map((one, index) => ({ ...one, typed: others[index - 1]?.typed ?? {} }));
  const better = asked && adviceOf(asked, counted, watchedMillis(answer, asked) / DAY)?.better;
  return better === undefined || better.told.length >= told
    ? {}
    : { better: { typed: better.typed, told: better.told.length } };
}

/** `node.lagging told 31 times this week; with behind:2m it would have been 4`. */
export function noiseWords({ kind, told, better }: Noise): Text {
  const words = text`${kind} told ${formatCount(told)} times this week`;
  return better === undefined
    ? words
    : text`${words}; with ${typedWords(better)} it would have been ${formatCount(better.told)}`;
}

export function noiseList(all: readonly Noise[]): Block[] {
  const items = all.map((one) => text`${code(one.subscription.id)}: ${noiseWords(one)}`);
  return items.length === 0 ? [] : [{ kind: "list", items }];
}

function typedWords({ typed }: Better): string {
  return Object.entries(typed)
    .map(([option, value]) => `${option}:${value}`)
    .join(" ");
}

/** Changes the subscription, to the better thresholds where there are any. */
export function noiseChange({ subscription, better }: Noise): Ask {
  const { command, options } = changeAsk(subscription);
  return { command, options: { ...options, ...better?.typed } };
}

/** Says no more that it tells often. */
export function noiseLeave({ subscription: { id }, kind }: Noise): Ask {
  return { command: "alerts edit", options: { id, leave: kind } };
}

/** The buttons of both; the form has the better thresholds. */
export function noiseActions(noise: Noise, name: string): Action[] {
  const { command, options } = noiseLeave(noise);
  const form = noise.better === undefined ? {} : { form: true as const };
  return [
    { label: `Change${name}…`, invocation: noiseChange(noise), effect: "reply", ...form },
    invalidatingAction(`Leave it${name}`, command, options, { command: "alerts list", options: {} }),
  ];
}
