import { watcherNames } from "../src/alerts/alerts-config.ts";
import { timeFromText } from "../src/alerts/judge/kinds/kind.ts";
import type { NetworkStatus } from "../src/alerts/judge/kinds/network-status.ts";
import { isSilenceActive } from "../src/alerts/route/silence.ts";
import { type Episode, episodeName } from "../src/alerts/judge/rules/episode.ts";
import type { AlertService } from "../src/alerts/service/service.ts";
import { happening } from "../src/alerts/words/condition-words.ts";
import { networkState, suspicionWords, verdictWords } from "../src/alerts/words/network-status-words.ts";
import { kindNoun } from "../src/alerts/words/subscription-words.ts";
import { silenceLine } from "../src/alerts/words/silence-words.ts";
import { destinationKey, type Platforms, tokenKey } from "../src/alerts/destination.ts";
import { sinceWords } from "../src/alerts/words/phrases.ts";
import { ALL_NETWORKS_OPTION } from "../src/answers/alerts/alert-options.ts";
import { episodeSubject, mayAcknowledge, seenHere, worstFirst } from "../src/answers/alerts/episodes/episodes.ts";
import { namedEpisode, networkStatus, worstWords } from "../src/answers/alerts/episodes/network-status.ts";
import { destinationHere, isAmongMany, isOperator } from "../src/answers/alerts/destination.ts";
import { servedSuspensions, suspensionWords, unreachablePlaces } from "../src/answers/alerts/suspension-words.ts";
import { visibleSilences } from "../src/answers/alerts/silences/silences.ts";
import { refreshAction, rowActions } from "../src/answers/answer.ts";
import { command } from "../src/bot/command.ts";
import { EPISODE_WORDS, worstTone } from "../src/reply/states.js";
import { type Block, details, facts, field, paragraph, table, type Table } from "../src/reply/block.ts";
import { type Action, commandAction, givenOptions, invalidatingAction, reply, type Tone } from "../src/reply/reply.ts";
import { code, joinText, strong, type Text, text } from "../src/reply/text.ts";
import { formatDuration, type Milliseconds, toMillis } from "../src/units/time.ts";
import { formatCount } from "../src/units/format-number.ts";

/** A watcher is late after so many of its intervals without an observation. */
const LATE_INTERVALS = 3;
/** No watcher is late earlier, however short its interval. */
const MIN_LATE_MILLIS: Milliseconds = 30_000;
/** How many episodes get buttons. */
const BUTTONS = 2;
/** How many markets without looks are named. */
const NAMED_MARKETS = 10;
/** Of more networks the verdicts stand in a table above the fold. */
const FEW_NETWORKS = 4;

export const alertsStatus = command({
  name: "alerts status",
  alsoCalled: ["episode", "suspicious", "pending", "firing", "recovering", "look", "not sent yet"],
  asked: [
    "show|list|see|view alert me|us",
    "show|list|see|view alert",
    "alert open|active|fire|firing|current|now|any|status|state|unacknowledged",
    "what|anything|something wrong|burn|fire|firing|open",
    "problem|issue|incident|trouble",
    "alert",
  ],
  summary: "Verdicts, open alerts, and messages not sent yet",
  verb: "Show alerts",
  audience: "channel",
  options: { network: ALL_NETWORKS_OPTION },
  run: async (context) => {
    const { alerts, options } = context;
    const networks = options.network === undefined ? context.networks : [options.network];
    const isAsked = ({ network }: { readonly network: string }): boolean =>
      options.network === undefined || network === options.network;
    const now = toMillis(context.now());
    const [statuses, observations, episodes, owed, all] = await Promise.all([
      Promise.all(networks.map((network) => networkStatus(network, alerts))),
      Promise.all(networks.map((network) => observationsOf(network, alerts, now))),
      alerts.openEpisodes(),
      alerts.outboxDepth(isAmongMany(context) ? tokenKey(destinationHere(context)) : undefined),
      alerts.subscriptions(),
    ]);
    const seen = worstFirst(
      episodes.filter(isAsked).map((one) => seenHere(one, context)),
      context.networks,
    );
    const open = await Promise.all(seen.map((one) => namedEpisode(one, alerts)));
    const known = await alerts.suspensions();
    const suspensions = servedSuspensions(known, context);
    const unreachable = unreachablePlaces(all.filter(isAsked), known, context);
    const isUnwatched = alerts.verdict === undefined;
    const silences = visibleSilences(await alerts.silences(), context).filter((one) => isSilenceActive(one, now));
    const here = isOperator(context) ? undefined : destinationKey(destinationHere(context));
    const silenced = silences.map((one) => silenceLine(one, now, context.platforms, here));
    const why = rowActions(
      "Explain",
      open.map((one) => ({
        name: buttonSubject(one, open),
        invocation: { command: "alerts why", options: { episode: episodeName(one.id) } },
      })),
    );
    const suspicions = statuses.flatMap(({ network, suspicious = [] }) =>
      suspicious
        // Without those that have fired since the statuses were read.
        .filter((one) => !open.some((known) => isSameThing(known, { ...one, network })))
        .map((one) => text`${strong(network)}: ${suspicionWords(one)}`),
    );
    const late = observations.flat().filter(({ isLate }) => isLate);
    const doubts = [
      ...countedDoubt(suspicions, "thing is suspicious", "things are suspicious"),
      ...countedDoubt(late, "watcher is late", "watchers are late"),
      ...countedDoubt(suspensions, "platform takes no message", "platforms take no message"),
      ...countedDoubt(unreachable, "place cannot be reached, or was lost", "places cannot be reached, or were lost"),
    ];
    const blocks: Block[] = [
      ...(isUnwatched ? [paragraph(unwatchedWords(statuses, now))] : []),
      ...suspensions.map((suspension) => paragraph(suspensionWords(suspension, context.platforms, now))),
      ...(open.length === 0 ? [] : [episodeTable(open, why.inTable)]),
      ...facts([
        field("Silenced", countedOrOnly(silenced, "silences are active")),
        field("Not sent yet", unsentWords(owed, now, context.platforms)),
        field("Unreachable", countedOrOnly(unreachable, "places cannot be reached, or were lost")),
      ]),
    ];
    const below: Block[] = [];
    if (suspicions.length > 0) {
      blocks.push({ kind: "list", title: text`Suspicious, and no alert yet`, items: suspicions });
    }
    if (late.length > 0) blocks.push({ kind: "list", title: text`Watchers that are late`, items: late.map(lateWords) });
    if (silenced.length > 1) below.push({ kind: "list", title: text`Silenced now`, items: silenced });
    if (unreachable.length > 1) {
      below.push({ kind: "list", title: text`Places that cannot be reached, or were lost`, items: unreachable });
    }
    const unkept = networks.flatMap((network) => withoutLooks(network, alerts.marketsWithoutLooks?.(network) ?? []));
    if (unkept.length > 0)
      below.push({ kind: "list", title: text`Markets without looks (LOOKS_MARKETS)`, items: unkept });
    const live = isOperator(context) ? ((await alerts.processes?.()) ?? []) : [];
    if (live.length > 0) below.push({ kind: "list", title: text`Processes`, items: live.map(processWords) });
    // The headline names few networks with their verdicts already.
    (networks.length <= FEW_NETWORKS ? below : blocks).push(networkTable(statuses, observations, now));
    const offered = open.slice(0, BUTTONS).filter(({ acknowledged }) => acknowledged === undefined);
    const again = { command: "alerts status", options: givenOptions({ network: options.network }) };
    // What everybody sees stays as it is: whoever may acknowledges there, and the answer to that says so.
    const acknowledge = (one: Episode): Action => {
      const label = `Acknowledge ${buttonSubject(one, open)}`;
      const ack = { episode: episodeName(one.id) };
      return context.audience === "channel"
        ? commandAction(label, "alerts ack", ack)
        : invalidatingAction(label, "alerts ack", ack, again);
    };
    const acknowledgeable = await Promise.all(offered.map((one) => mayAcknowledge(one, context)));
    return reply({
      title: headline(statuses, open, doubts, isUnwatched, now),
      tone: toneOf(statuses, open, isUnwatched || doubts.length > 0),
      blocks: [...blocks, ...details(below)],
      actions: [
        ...why.actions,
        ...offered.flatMap((one, index) => (acknowledgeable[index] === true ? [acknowledge(one)] : [])),
        refreshAction(again),
      ],
    });
  },
});

type LiveProcess = Awaited<ReturnType<NonNullable<AlertService["processes"]>>>[number];

function processWords({ id, beatAgo, duties }: LiveProcess): Text {
  const has = duties.map(({ name, epoch }) => `${name} (epoch ${epoch})`).join(", ");
  return text`${strong(id)}: heartbeat ${formatDuration(beatAgo)} ago, ${has === "" ? "no duty" : has}`;
}

type Thing = Pick<Episode, "kind" | "network" | "subject">;

function isSameThing(a: Thing, b: Thing): boolean {
  return a.kind === b.kind && a.network === b.network && a.subject === b.subject;
}

type WatcherObservation = Awaited<ReturnType<typeof observationsOf>>[number];

/** How long ago each watcher of a network observed it last; undefined before the first observation. */
async function observationsOf(network: string, alerts: AlertService, now: Milliseconds) {
  return Promise.all(
    watcherNames(alerts.config).map(async ({ name, every }) => {
      const at = await alerts.lastObservedAt(network, name);
      const ageMillis = at === undefined ? undefined : Math.max(0, now - at);
      const limit = Math.max(MIN_LATE_MILLIS, LATE_INTERVALS * every);
      return { network, watcher: name, ageMillis, isLate: ageMillis !== undefined && ageMillis > limit };
    }),
  );
}

function networkTable(
  statuses: readonly NetworkStatus[],
  observations: readonly (readonly WatcherObservation[])[],
  now: Milliseconds,
): Table {
  return table({
    name: "networks",
    title: text`Networks`,
    rows: statuses,
    columns: [
      ["Network", ({ network }) => strong(network)],
      ["Verdict", verdictWords],
      ["Nodes", ({ answering, nodes }) => (answering === undefined ? "–" : `${answering} of ${nodes ?? 0} answer`), 2],
      ["Block", ({ height }) => (height === undefined ? "–" : BigInt(height)), "right", 3],
      ["Last look", ({ looked }) => (looked === undefined ? "never" : agoWords(looked, now)), 2],
      ["Watchers", (_, index) => watcherWords(observations[index] ?? []), 3],
    ],
  });
}

function agoWords(looked: string, now: Milliseconds): string {
  return `${formatDuration(Math.max(0, now - toMillis(timeFromText(looked))))} ago`;
}

function watcherWords(own: readonly WatcherObservation[]): string {
  const ages = own.flatMap(({ ageMillis }) => ageMillis ?? []);
  const oldest = formatDuration(Math.max(0, ...ages));
  return ages.length === 0 ? "none has looked" : `${ages.length} of ${own.length}, the oldest look ${oldest} ago`;
}

function episodeTable(open: readonly Episode[], inTable: Pick<Table, "rowAction">): Table {
  return table({
    name: "open-episodes",
    title: text`Open alerts`,
    rows: open,
    columns: [
      ["Alert", happening],
      ["Severity", ({ severity }) => strong(severity)],
      ["State", openWords, ...(open.some(({ acknowledged }) => acknowledged) ? [] : ["varies" as const])],
      ["Since", (episode) => sinceWords(episode, "both"), 2],
      // For a line that is typed; below the fold, since the alert is named.
      ["Episode", ({ id }) => ({ ...code(episodeName(id)), detail: true }), 3],
    ],
    ...inTable,
  });
}

function openWords({ state, acknowledged }: Episode): string {
  const words = [
    ...(state === "recovering" ? [EPISODE_WORDS.recovering] : []),
    ...(acknowledged === undefined ? [] : [`acknowledged by ${acknowledged.by}`]),
  ];
  return words.length === 0 ? EPISODE_WORDS.firing : words.join("; ");
}

function lateWords({ network, watcher, ageMillis }: WatcherObservation): Text {
  return text`${code(watcher)} on ${strong(network)} last looked ${formatDuration(ageMillis ?? 0)} ago`;
}

/** Of which markets no looks are kept; none where there are looks of all. */
function withoutLooks(network: string, markets: readonly string[]): readonly Text[] {
  if (markets.length === 0) return [];
  const more = markets.length - NAMED_MARKETS;
  const named = joinText(markets.slice(0, NAMED_MARKETS).map(code), ", ");
  const rest = more > 0 ? ` and ${formatCount(more)} more` : "";
  return [text`${strong(network)}: ${named}${rest}`];
}

/** One line as it is, several counted: the list of them is a detail. Undefined where there is none. */
function countedOrOnly(lines: readonly Text[], words: string): Text | undefined {
  return lines.length <= 1 ? lines[0] : text`${lines.length} ${words}`;
}

function unsentWords(
  owed: Awaited<ReturnType<AlertService["outboxDepth"]>>,
  now: Milliseconds,
  platforms: Platforms,
): Text | undefined {
  const waiting = owed.filter((one) => one.owed > 0);
  if (waiting.length === 0) return undefined;
  return joinText(
    waiting.map(({ owed: count, platform, oldest }) => {
      const waits = now - oldest < 1000 ? "" : `, the oldest for ${formatDuration(now - oldest)}`;
      return `${formatCount(count)} on ${platforms.nameOf(platform)}${waits}`;
    }),
    "; ",
  );
}

/** No process watches: everything shown is what an earlier one stored. */
function unwatchedWords(statuses: readonly NetworkStatus[], now: Milliseconds): Text {
  const observations = statuses.flatMap(({ looked }) => (looked === undefined ? [] : [toMillis(timeFromText(looked))]));
  const last =
    observations.length === 0
      ? ""
      : ` All of this is ${formatDuration(Math.max(0, now - Math.max(...observations)))} old.`;
  return text`${strong("Bellwether is not running.")} Start it to be told of alerts.${last}`;
}

/** The worst that is open; networks without an alert, with their verdicts, behind it. */
function headline(
  statuses: readonly NetworkStatus[],
  open: readonly Episode[],
  doubts: readonly string[],
  isUnwatched: boolean,
  now: Milliseconds,
): Text {
  const isNew = statuses.every(({ verdict }) => verdict === "unwatched");
  const before = isUnwatched ? `Nobody is watching${isNew ? "" : "; when last seen"}: ` : "";
  const alerting = new Set(open.map(({ network }) => network));
  const verdicts = statuses
    .filter(({ network }) => !alerting.has(network))
    .map((status) => text`${status.network} ${verdictWords(status)}`);
  const words = worstWords(open, now);
  if (words === undefined) {
    const but = doubts.length === 0 ? [] : text`, but ${joinText(doubts, ", ")}`;
    return text`${before}${joinText(verdicts, ", ")}; no alert is open${but}`;
  }
  const rest = verdicts.length === 0 ? [] : text`; ${joinText(verdicts, ", ")}`;
  return text`${before}${words}${rest}`;
}

/** The tone of the worst that is shown; good where all is well. */
function toneOf(statuses: readonly NetworkStatus[], open: readonly Episode[], isDoubtful: boolean): Tone {
  // Of a network with alerts they say how bad it is: a stall is a warning before it is critical.
  const alerting = new Set(open.map(({ network }) => network));
  const quiet = statuses.filter(({ network }) => !alerting.has(network));
  const tones = new Set<Tone>([...quiet.map((one) => networkState(one).tone), worstTone(open)]);
  if (tones.has("bad")) return "bad";
  if (isDoubtful || tones.has("warning")) return "warning";
  return open.length === 0 && statuses.every(({ verdict }) => verdict === "healthy") ? "good" : "neutral";
}

/** What is not well though no alert is open. */
function countedDoubt({ length }: readonly unknown[], one: string, several: string): string[] {
  return length === 0 ? [] : [`${length} ${length === 1 ? one : several}`];
}

/** A distinct name for a button: the subject alone, where no other open episode has the same. */
function buttonSubject(episode: Episode, open: readonly Episode[]): string {
  const words = [episodeSubject, withNetwork, (one: Episode) => `${withNetwork(one)}, ${kindNoun(one.kind)}`];
  const enough = words.find((of) => open.filter((one) => of(one) === of(episode)).length === 1);
  return (enough ?? withNetwork)(episode);
}

function withNetwork(episode: Episode): string {
  const subject = episodeSubject(episode);
  return subject === episode.network ? subject : `${subject} on ${episode.network}`;
}
