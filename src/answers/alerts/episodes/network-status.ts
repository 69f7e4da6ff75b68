import { z } from "zod";

import { compareSeverity, IntegerText, timeFromText, TimeText, timeToText } from "../../../alerts/judge/kinds/kind.ts";
import type { NetworkStatus } from "../../../alerts/judge/kinds/network-status.ts";
import { KIND_GROUPS, KINDS } from "../../../alerts/judge/kinds/kinds.ts";
import { labelOf } from "../../../alerts/judge/kinds/reading.ts";
import { destinationKey } from "../../../alerts/destination.ts";
import { matchesSilence } from "../../../alerts/route/silence.ts";
import { silenceUntilWords } from "../../../alerts/words/silence-words.ts";
import { covers, rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import { type Episode, isOpen, type Machine } from "../../../alerts/judge/rules/episode.ts";
import { ruleFor, timingOf } from "../../../alerts/judge/rules/rules.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { conditionWords, happening } from "../../../alerts/words/condition-words.ts";
import { endOf, lengthWords } from "../../../alerts/words/phrases.ts";
import type { Labels } from "../../../alerts/words/subscription-words.ts";
import { DEFAULT_THRESHOLDS, standstillMillis, type Verdict } from "../../../api/verdict/verdict.ts";
import { EPISODE_WORDS, NETWORK_STATES, SEVERITY } from "../../../reply/states.js";
import type { Tone } from "../../../reply/reply.ts";
import { strong, text, type Text } from "../../../reply/text.ts";
import { formatDuration, fromMillis, type Milliseconds, type Nanoseconds, toMillis } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { capitalised } from "../../../reply/enum-words.ts";
import { shortText } from "../../../reply/fold.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { type CallerContext, destinationHere } from "../destination.ts";
import { episodeLabel, seenHere, worstFirst } from "./episodes.ts";

/** How many open episodes are named; the rest is counted. */
const MAX_NAMED_EPISODES = 5;

/** A block this much older than the observed stall is shown with its age. */
const BLOCK_AGE_SHOWN_FROM_MILLIS: Milliseconds = 10_000;

/** The parts in use of the watcher's last snapshot of a network's nodes. */
const SourcesSnapshot = z.object({
  round: z.object({
    witnesses: z.array(z.object({ reachable: z.boolean(), height: IntegerText.optional().catch(undefined) })),
  }),
  memory: z
    .object({ frontier: z.object({ time: TimeText }).optional() })
    .optional()
    .catch(undefined),
});

/**
 * A network's status from the watchers' last snapshots: asks no node. Names the episodes that the reader's subscription
 * tells; counts the rest, and which of them the others of its place tell.
 */
export async function networkStatus(
  network: string,
  alerts: Pick<AlertService, "openEpisodes" | "pending" | "snapshot" | "verdict" | "config">,
  {
    subscription,
    others = [],
    silenced,
  }: { subscription?: Subscription; others?: readonly Subscription[]; silenced?: NetworkStatus["silenced"] } = {},
): Promise<NetworkStatus> {
  const [open, pending, last] = await Promise.all([
    alerts.openEpisodes(network),
    alerts.pending(network),
    alerts.snapshot(network, "sources"),
  ]);
  const looked = last !== undefined && (alerts.verdict === undefined || alerts.verdict(network) !== undefined);
  const { round, memory } = SourcesSnapshot.safeParse(last?.data).data ?? {};
  const frontier = memory?.frontier === undefined ? undefined : toMillis(timeFromText(memory.frontier.time));
  const blockAge = last === undefined || frontier === undefined ? 0 : last.at - frontier;
  const labels = await watchedMarketLabels(network, alerts);
  const { own, toldAlready, isCovered } = shareOf(open, subscription, others, alerts.config);
  // Under a subscription's own thresholds it may be an alert already.
  const isOpen = ({ kind, subject }: Machine): boolean =>
    open.some((one) => one.kind === kind && one.subject === subject);
  const suspicious = pending
    .filter((one) => isCovered(one) && !isOpen(one))
    .slice(0, MAX_NAMED_EPISODES)
    .map((one) => suspicionOf(one, labels, alerts.config, blockAge));
  const elsewhere = open.length - own.length - toldAlready;
  const sorted = own.toSorted((a, b) => compareSeverity(b.severity, a.severity));
  return {
    network,
    verdict: last === undefined ? "unwatched" : looked ? verdictOf(open, pending) : "restarted",
    ...(last === undefined ? {} : { looked: timeToText(fromMillis(last.at)) }),
    ...roundFacts(round),
    firing: sorted.slice(0, MAX_NAMED_EPISODES).map((episode) => {
      const { id, kind, subject, severity, began, beganBefore } = episode;
      const label = episodeLabel(episode) ?? labels[subject];
      return { id, kind, subject, severity, since: began, ...withoutUndefined({ beganBefore, label }) };
    }),
    ...(suspicious.length === 0 ? {} : { suspicious }),
    more: Math.max(0, sorted.length - MAX_NAMED_EPISODES),
    ...(toldAlready === 0 ? {} : { toldAlready }),
    ...(elsewhere === 0 ? {} : { elsewhere }),
    ...(silenced === undefined ? {} : { silenced }),
  };
}

/** Which open episodes the reader's subscription tells, and how many of the rest another one tells at its place. */
function shareOf(
  open: readonly Episode[],
  subscription: Subscription | undefined,
  others: readonly Subscription[],
  config: AlertService["config"],
) {
  const isCovered = subscription === undefined ? (): boolean => true : coverageOf(subscription, config);
  const own = open.filter((one) => isCovered(one) && compareSeverity(one.severity, subscription?.floor ?? "info") >= 0);
  const told = others
    .filter(({ state }) => state === "active")
    .map((other) => ({ isCovered: coverageOf(other, config), floor: other.floor }));
  const toldAlready = open.filter(
    (one) =>
      !own.includes(one) &&
      told.some((other) => other.isCovered(one) && compareSeverity(one.severity, other.floor) >= 0),
  ).length;
  return { own, toldAlready, isCovered };
}

function roundFacts(
  round: z.infer<typeof SourcesSnapshot>["round"] | undefined,
): Pick<NetworkStatus, "answering" | "nodes" | "height"> {
  if (round === undefined) return {};
  const { witnesses } = round;
  const heights = witnesses.flatMap(({ height }) => (height === undefined ? [] : [BigInt(height)]));
  const highest = heights.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
  return {
    answering: witnesses.filter(({ reachable }) => reachable).length,
    nodes: witnesses.length,
    ...(highest === undefined ? {} : { height: highest.toString() }),
  };
}

/** Whether a subscription tells of such an episode or pending condition, whatever its severity. */
function coverageOf(subscription: Subscription, config: AlertService["config"]) {
  const rules = new Set(rulesOf(subscription, config).map(({ id }) => id));
  return (one: Pick<Episode, "rule" | "network" | "subject">) => rules.has(one.rule) && covers(subscription, one);
}

/**
 * A blind watcher says nothing of the network, so it comes first. Only rules with default thresholds count, and no
 * episode that looks good again: it is open until that has lasted.
 */
function verdictOf(open: readonly Episode[], pending: readonly Machine[]): NetworkStatus["verdict"] {
  const has = (kind: Episode["kind"]): boolean =>
    open.some(({ rule, state }) => rule === kind && state !== "recovering");
  if (has("watch.blind")) return "blind";
  if (has("network.stalled")) return "stalled";
  if (has("network.disagree")) return "disagree";
  return pending.some(({ kind }) => kind === "network.stalled") ? "suspicious" : "healthy";
}

function suspicionOf(
  { kind, subject, heldMillis, rounds }: Machine,
  labels: Labels,
  config: AlertService["config"],
  blockAge: Milliseconds,
): NonNullable<NetworkStatus["suspicious"]>[number] {
  const every = config.poll.time;
  const { forMillis, rounds: needed } = timingOf(ruleFor(kind, {}, config), every);
  // A condition that fires after so many observations has held since the first of them.
  const older = kind === "network.stalled" && blockAge - heldMillis > BLOCK_AGE_SHOWN_FROM_MILLIS;
  const label = labels[subject];
  const about = { kind, subject, ...(label === undefined ? {} : { label }) };
  return forMillis > 0
    ? {
        ...about,
        forMillis: heldMillis,
        alertsAtMillis: forMillis,
        ...(older ? { blockAgeMillis: blockAge } : {}),
      }
    : { ...about, forMillis: (rounds - 1) * every, alertsAtMillis: (needed - 1) * every };
}

/** The part that is read of the watcher's last snapshot of markets. */
const MarketsSnapshot = z.object({
  markets: z.record(z.string(), z.object({ label: z.string().optional().catch(undefined) })),
});

/** Names of a network's markets from the watchers' last snapshot, by id: asks no node. */
export async function watchedMarketLabels(network: string, alerts: Pick<AlertService, "snapshot">): Promise<Labels> {
  const { markets = {} } = MarketsSnapshot.safeParse((await alerts.snapshot(network, "markets"))?.data).data ?? {};
  return Object.fromEntries(
    Object.entries(markets).flatMap(([id, { label }]) => (label === undefined ? [] : [[id, label]])),
  );
}

/** An episode with the market's name that the watchers know, where its reading has none. */
export async function namedEpisode(episode: Episode, alerts: Pick<AlertService, "snapshot">): Promise<Episode> {
  const { last, network, subject } = episode;
  if (KINDS[last.kind].about !== "market" || labelOf(last) !== undefined) return episode;
  const { [subject]: label } = await watchedMarketLabels(network, alerts);
  return label === undefined ? episode : { ...episode, last: { ...last, label } as Episode["last"] };
}

/** The first of open episodes, how many more there are, and who takes them: `BTC/USDT is in an auction, 5 min so far`. */
export function worstWords(open: readonly Episode[], now: Milliseconds): Text | undefined {
  const [worst, ...others] = open;
  if (worst === undefined) return undefined;
  const first = openWords(worst, text`, ${lengthWords(worst, now)}`);
  const untaken = open.filter(({ acknowledged }) => acknowledged === undefined).length;
  if (0 < untaken && untaken < open.length)
    return text`${first}; nobody has taken ${untaken} of ${open.length} open alerts`;
  if (untaken === 0)
    return text`${first}; ${others.length === 0 ? `${worst.acknowledged?.by ?? "somebody"} takes it` : `all ${open.length} open alerts are taken`}`;
  return others.length === 0
    ? first
    : text`${first}; ${others.length} more ${others.length === 1 ? "alert is" : "alerts are"} open`;
}

function openWords(one: Episode, lasts: Text): Text {
  const words = conditionWords(one);
  return one.state === "recovering" ? text`${words.good}; its alert ends once that lasts` : text`${words.now}${lasts}`;
}

/** A halt that is over no longer than this is still news. */
const RECENT: Milliseconds = 1_800_000;

/** What is open beside a verdict: how a headline ends, in few words, and a line for each; none where nothing is. */
export interface OpenBeside {
  readonly ends: string;
  readonly lines: readonly Text[];
}

/**
 * What else is open beside a verdict on a network, or on its one node, and its halt that ended a short while ago and has not
 * begun again: where that is not good, without what it tells itself. No price that somebody watches is trouble.
 */
export async function besideVerdict(
  context: CallerContext & { readonly network: string; readonly alerts: AlertService },
  { tone, subject, now }: { readonly tone: Tone; readonly subject?: string | undefined; readonly now: Milliseconds },
): Promise<{ readonly open?: OpenBeside; readonly halt?: Episode }> {
  const { alerts, network } = context;
  // The verdict is answered even while the database cannot be read, which is reported elsewhere.
  const all = await alerts.openAndLastHalt(network).catch((): readonly Episode[] => []);
  const told = tone === "good" ? [] : [...KIND_GROUPS.network, ...KIND_GROUPS.nodes];
  const kinds = KIND_GROUPS.all.filter((kind) => !told.includes(kind));
  const others = all.filter(
    (one) => isOpen(one) && kinds.includes(one.kind) && one.subject === (subject ?? one.subject),
  );
  const sorted = worstFirst(others.map((one) => seenHere(one, context)));
  const named = await Promise.all(sorted.slice(0, MAX_NAMED_EPISODES).map((one) => namedEpisode(one, alerts)));
  const halt = tone === "bad" ? undefined : recentHalt(all, now);
  const [worst] = named;
  if (worst === undefined) return withoutUndefined({ halt });
  const left = sorted.length - named.length;
  const open = {
    ends: endWords(tone === "good" ? shortWords(worst, network) : undefined, sorted, tone === "bad" ? "other " : ""),
    lines: [
      ...named.map((one) => {
        const length = lengthWords(one, now).replace(/ so far$/u, "");
        const state = one.state === "recovering" ? `${EPISODE_WORDS.recovering}, its alert open for ` : "";
        return text`${shortWords(one, network)} · ${state}${length}`;
      }),
      ...(left > 0 ? [text`${left} more`] : []),
    ],
  };
  return withoutUndefined({ open, halt });
}

function recentHalt(known: readonly Episode[], now: Milliseconds): Episode | undefined {
  const last = known.findLast(({ kind }) => kind === "network.stalled");
  const isRecent = last?.state === "resolved" && now - toMillis(timeFromText(endOf(last))) <= RECENT;
  return isRecent ? last : undefined;
}

/** `LINK/USDC is in an auction`: its network stands before it. */
function shortWords(one: Episode, network: string): string {
  return plainText(shortText(happening(one))).replace(` on ${network}`, "");
}

/** `LINK/USDC is in an auction, and 2 more alerts are open, 1 recovering`; without what is worst, `3 alerts …`, `other` where the verdict is one. */
function endWords(worst: string | undefined, open: readonly Episode[], other: "other " | ""): string {
  const recovering = open.filter(({ state }) => state === "recovering").length;
  const firing = open.length - recovering;
  const named = worst === undefined || firing === 0 ? 0 : 1;
  const more = firing - named;
  const opens = `${more} ${named === 0 ? other : "more "}${more === 1 ? "alert is" : "alerts are"} open`;
  return [
    ...(named === 0 ? [] : [worst]),
    ...(more === 0 ? [] : [named === 0 ? opens : `and ${opens}`]),
    ...(recovering === 0
      ? []
      : [
          firing === 0
            ? `${recovering} alert${recovering === 1 ? " is" : "s are"} recovering`
            : `${recovering} recovering`,
        ]),
  ].join(", ");
}

/** A stall that the watchers know of, in words. */
export interface WatchedStall {
  readonly title: Text;
  readonly tone: Tone;
  readonly judgement: Text;
  /** Its open alert. */
  readonly fired?: Episode;
}

/**
 * A stall that the watchers observe, before it is long enough to be called one, or though a single request would call
 * the network healthy: their thresholds may be far shorter. Undefined if they observe none, or the network has advanced since.
 */
export async function watchedStall(
  context: CallerContext & {
    readonly network: string;
    readonly alerts: Pick<AlertService, "verdict" | "openEpisodes" | "silences">;
    readonly now: () => Nanoseconds;
  },
  verdict: Verdict,
): Promise<WatchedStall | undefined> {
  const { network, alerts } = context;
  const watched = alerts.verdict?.(network);
  const still = watchedStallMillis(verdict, watched);
  if (watched === undefined || still === undefined) return undefined;
  const open = await openStall(network, alerts);
  if (open !== undefined) {
    const fired = seenHere(open, context);
    const now = toMillis(context.now());
    const place = { ...open, destination: destinationKey(destinationHere(context)) };
    const silence = (await alerts.silences().catch(() => [])).find((one) => matchesSilence(one, place, now));
    const silenced = silence === undefined ? [] : text`, and is silenced here ${silenceUntilWords(silence, now)}`;
    return {
      fired,
      title: text`${network} has stood still for ${lengthWords(fired, now).replace(/ so far$/u, "")}`,
      tone: SEVERITY[fired.severity].tone,
      judgement: text`Its alert has fired, and ${fired.acknowledged?.by ?? "nobody"} has taken it${silenced}.`,
    };
  }
  if (verdict.network === "stalled" && still >= DEFAULT_THRESHOLDS.stalledMillis) return undefined;
  const seen = text`the watchers have seen no new block for ${formatDuration(still)}, and this look shows none either.`;
  return {
    title: text`${network}: no new block for ${formatDuration(still)}`,
    tone: NETWORK_STATES.suspicious.tone,
    judgement: text`${strong(capitalised(NETWORK_STATES.suspicious.word))}: ${seen} It becomes an alert if it lasts.`,
  };
}

function watchedStallMillis(verdict: Verdict, watched: Verdict | undefined): Milliseconds | undefined {
  if (verdict.network === "stalled" && verdict.basis === "advance") return verdict.stillMillis;
  if (verdict.network !== "healthy" || watched?.network !== "stalled") return undefined;
  const { frontier } = watched;
  if (frontier === undefined || (verdict.frontier !== undefined && verdict.frontier.time > frontier.time))
    return undefined;
  return standstillMillis(watched, verdict.atMillis - watched.atMillis);
}

async function openStall(network: string, alerts: Pick<AlertService, "openEpisodes">): Promise<Episode | undefined> {
  // The time is answered even while the database cannot be read, which is reported elsewhere.
  const open = await alerts.openEpisodes(network).catch((): readonly Episode[] => []);
  return open.find((episode) => episode.kind === "network.stalled" && isOpen(episode));
}
