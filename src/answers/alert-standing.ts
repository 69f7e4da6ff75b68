import { z } from "zod";

import { IntegerText, timeFromText, TimeText, timeToText } from "../alerts/kinds/json-fields.ts";
import type { NetworkStatus } from "../alerts/kinds/network-status.ts";
import { compareSeverity } from "../alerts/kinds/severity.ts";
import { covers, rulesOf, type Subscription } from "../alerts/routing/subscription.ts";
import type { Episode, Machine } from "../alerts/rules/episode.ts";
import { ruleFor, timingOf } from "../alerts/rules/rules.ts";
import type { AlertService } from "../alerts/service/service.ts";
import type { Labels } from "../alerts/wording/subscription-words.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis, toMillis } from "../units/nanoseconds.ts";
import { episodeLabel } from "./alert-episodes.ts";
import { watchedMarketLabels } from "./watched-labels.ts";

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
