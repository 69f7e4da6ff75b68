import { z } from "zod";

import { IntegerText, timeFromText, TimeText, timeToText } from "../../../alerts/kinds/json-fields.ts";
import type { NetworkStatus } from "../../../alerts/kinds/network-status.ts";
import { compareSeverity } from "../../../alerts/kinds/severity.ts";
import { covers, rulesOf, type Subscription } from "../../../alerts/routing/subscription.ts";
import { type Episode, isOpen, type Machine } from "../../../alerts/rules/episode.ts";
import { ruleFor, timingOf } from "../../../alerts/rules/rules.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import type { Labels } from "../../../alerts/wording/subscription-words.ts";
import type { Verdict } from "../../../api/verdict/verdict.ts";
import type { Tone } from "../../../reply/reply.ts";
import { code, strong, text, type Text } from "../../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../../units/duration.ts";
import { fromMillis, toMillis } from "../../../units/nanoseconds.ts";
import { episodeLabel } from "./episodes.ts";

/** How many open episodes are named; the rest is counted. */
const MAX_NAMED_EPISODES = 5;

/** A block that is so much older than what was seen of a standstill is told with its age. */
const BLOCK_AGE_SHOWN_FROM_MILLIS: Milliseconds = 10_000;

/** What is read of the last round over a network's nodes; whatever else stands there does not matter here. */
const SourcesSnapshot = z.object({
  round: z.object({
    witnesses: z.array(z.object({ reachable: z.boolean(), height: IntegerText.optional().catch(undefined) })),
  }),
  memory: z
    .object({ frontier: z.object({ time: TimeText }).optional() })
    .optional()
    .catch(undefined),
});

/** How a network stands, as the watchers left it: no node is asked. Of what is open, `told` is named and the rest counted. */
export async function networkStatus(
  network: string,
  desk: Pick<AlertService, "openEpisodes" | "pending" | "snapshot" | "verdict" | "config">,
  told?: Subscription,
): Promise<NetworkStatus> {
  const [open, pending, last] = await Promise.all([
    desk.openEpisodes(network),
    desk.pending(network),
    desk.snapshot(network, "sources"),
  ]);
  const looked = last !== undefined && (desk.verdict === undefined || desk.verdict(network) !== undefined);
  const { round, memory } = SourcesSnapshot.safeParse(last?.data).data ?? {};
  const frontier = memory?.frontier === undefined ? undefined : toMillis(timeFromText(memory.frontier.time));
  const blockAge = last === undefined || frontier === undefined ? 0 : last.at - frontier;
  const heights = (round?.witnesses ?? []).flatMap(({ height }) => (height === undefined ? [] : [BigInt(height)]));
  const highest = heights.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
  const rules = told === undefined ? undefined : new Set(rulesOf(told, desk.config).map(({ id }) => id));
  const isTold = (one: Pick<Episode, "rule" | "network" | "subject">): boolean =>
    told === undefined || (rules?.has(one.rule) === true && covers(told, one));
  const own = open.filter((one) => isTold(one) && compareSeverity(one.severity, told?.floor ?? "info") >= 0);
  // Under thresholds of somebody's own it may be an alert already.
  const isOpen = ({ kind, subject }: Machine): boolean =>
    open.some((one) => one.kind === kind && one.subject === subject);
  const suspicious = pending.filter((one) => isTold(one) && !isOpen(one));
  const labels = await watchedMarketLabels(network, desk);
  const elsewhere = open.length - own.length;
  const sorted = own.toSorted((a, b) => compareSeverity(b.severity, a.severity));
  return {
    network,
    verdict: last === undefined ? "unwatched" : looked ? verdictOf(open, pending) : "restarted",
    ...(last === undefined ? {} : { looked: timeToText(fromMillis(last.at)) }),
    ...(round === undefined
      ? {}
      : { answering: round.witnesses.filter(({ reachable }) => reachable).length, nodes: round.witnesses.length }),
    ...(highest === undefined ? {} : { height: highest.toString() }),
    firing: sorted.slice(0, MAX_NAMED_EPISODES).map((episode) => {
      const { id, kind, subject, severity, began, beganBefore } = episode;
      const label = episodeLabel(episode) ?? labels[subject];
      return {
        id,
        kind,
        subject,
        severity,
        since: began,
        ...(beganBefore === undefined ? {} : { beganBefore }),
        ...(label === undefined ? {} : { label }),
      };
    }),
    ...(suspicious.length === 0
      ? {}
      : {
          suspicious: suspicious
            .slice(0, MAX_NAMED_EPISODES)
            .map((one) => suspicionOf(one, labels, desk.config, blockAge)),
        }),
    more: Math.max(0, sorted.length - MAX_NAMED_EPISODES),
    ...(elsewhere === 0 ? {} : { elsewhere }),
  };
}

/** A blind watcher says nothing of the network, so that comes first. Rules of other thresholds than the usual ones are people's own. */
function verdictOf(open: readonly Episode[], pending: readonly Machine[]): NetworkStatus["verdict"] {
  const has = (kind: Episode["kind"]): boolean => open.some((episode) => episode.rule === kind);
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
  // What fires after so many looks has been bad since the first of them.
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

/** What is read of the markets' last look; whatever else stands there does not matter here. */
const MarketsSnapshot = z.object({
  markets: z.record(z.string(), z.object({ label: z.string().optional().catch(undefined) })),
});

/** What the watchers know the markets of a network by, by id: no node is asked. */
export async function watchedMarketLabels(network: string, desk: Pick<AlertService, "snapshot">): Promise<Labels> {
  const { markets = {} } = MarketsSnapshot.safeParse((await desk.snapshot(network, "markets"))?.data).data ?? {};
  return Object.fromEntries(
    Object.entries(markets).flatMap(([id, { label }]) => (label === undefined ? [] : [[id, label]])),
  );
}

/** What the watchers know of a standstill, in words. */
interface WatchedStall {
  readonly title: Text;
  readonly tone: Tone;
  readonly judgement: Text;
}

/**
 * What the watchers see where one look alone would call the network healthy, by thresholds that may be configured far
 * shorter than those of a look: undefined where it is not suspicious to them, or has gone on since.
 */
export async function watchedStall(
  network: string,
  verdict: Verdict,
  alerts: Pick<AlertService, "verdict" | "openEpisodes">,
): Promise<WatchedStall | undefined> {
  const watched = alerts.verdict?.(network);
  const still = watchedStallMillis(verdict, watched);
  if (still === undefined) return undefined;
  const height = watched?.frontier?.height;
  const block = height === undefined ? text`` : text`, block ${height}`;
  const seen = text`the watchers have seen no new block for ${formatDuration(still)}, and this look shows none either.`;
  if (await hasStallFired(network, alerts)) {
    return {
      title: text`${network} stands still${block}`,
      tone: "bad",
      judgement: text`${strong("Stalled")}: ${seen} The alert ${code("network.stalled")} has fired.`,
    };
  }
  return {
    title: text`${network}: no new block for ${formatDuration(still)} (watched)${block}`,
    tone: "warning",
    judgement: text`${strong("Suspicious")}: ${seen} It becomes an alert if it lasts.`,
  };
}

function watchedStallMillis(verdict: Verdict, watched: Verdict | undefined): Milliseconds | undefined {
  if (verdict.network !== "healthy" || watched?.network !== "stalled") return undefined;
  const { frontier } = watched;
  if (frontier === undefined || (verdict.frontier !== undefined && verdict.frontier.time > frontier.time))
    return undefined;
  const still = (watched.basis === "age" ? watched.ageMillis : watched.stillMillis) ?? 0;
  return still + Math.max(0, verdict.atMillis - watched.atMillis);
}

async function hasStallFired(network: string, alerts: Pick<AlertService, "openEpisodes">): Promise<boolean> {
  try {
    const open = await alerts.openEpisodes(network);
    return open.some((episode) => episode.kind === "network.stalled" && isOpen(episode));
  } catch {
    // What time it is must be told even while the database cannot be read, which is told elsewhere.
    return false;
  }
}
