import type { HomeLine, HomeSilence, HomeStanding, OpenAlert } from "../../adapters/chat/home-data.ts";
import { type Destination, destinationFromKey, destinationKey, tokenKey } from "../../alerts/destination.ts";
import { timeFromText } from "../../alerts/judge/kinds/kind.ts";
import type { NetworkStatus } from "../../alerts/judge/kinds/network-status.ts";
import type { Episode } from "../../alerts/judge/rules/episode.ts";
import { isSilenceActive, matchesSilence, type Silence } from "../../alerts/route/silence.ts";
import { happening } from "../../alerts/words/condition-words.ts";
import { networkState, verdictWords } from "../../alerts/words/network-status-words.ts";
import { channelName, markedTitle, sinceWords } from "../../alerts/words/phrases.ts";
import { silenceScopeWords, silenceTimeWords, silenceUntilWords } from "../../alerts/words/silence-words.ts";
import { directMessages, isCaller } from "../../answers/alerts/destination.ts";
import { mayAcknowledge, notifiedDestinations, seenHere, worstFirst } from "../../answers/alerts/episodes/episodes.ts";
import { namedEpisode, networkStatus } from "../../answers/alerts/episodes/network-status.ts";
import { readablePlaces } from "../../answers/alerts/episodes/told.ts";
import { EPISODE_WORDS, NETWORK_STATES, SEVERITY, worstTone } from "../../reply/states.js";
import type { Tone } from "../../reply/reply.ts";
import { strong, text, type Text, time, toText } from "../../reply/text.ts";
import { formatCount, groupDigits } from "../../units/format-number.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import type { HomeContext } from "./home-subscriptions.ts";

/** How many open alerts a page names, the worst first; the others are counted. */
const PER_PAGE = 3;

/** Nodes are looked at every few seconds. */
const STALE_AFTER: Milliseconds = 120_000;

/** What a page says about the alerts of one moment. */
interface Moment {
  readonly context: HomeContext;
  readonly now: Milliseconds;
  /** The keys of the places that the viewer may read. */
  readonly readable: ReadonlySet<string>;
  /** The silences that the viewer may see. */
  readonly silences: readonly Silence[];
}

/** The first part of the page: what is open, the state of each network, and what is silenced. Asks no node. */
export async function homeStanding(
  context: HomeContext,
  networks: readonly string[],
  page: number,
  simulated: boolean,
): Promise<HomeStanding> {
  const { alerts } = context;
  const now = toMillis(alerts.clock.wallClock());
  const [statuses, episodes, known, { keys = [] }] = await Promise.all([
    Promise.all(networks.map((network) => networkStatus(network, alerts))),
    alerts.openEpisodes(),
    alerts.silences(),
    readablePlaces(context),
  ]);
  const readable = new Set(keys);
  const silences = known
    .filter((one) => isReadable(one, readable) || isCaller(one.person, context))
    .toSorted((a, b) => a.from - b.from);
  const moment: Moment = { context, now, readable, silences };
  const open = worstFirst(
    episodes.map((one) => seenHere(one, context)),
    networks,
  );
  const pages = Math.max(1, Math.ceil(open.length / PER_PAGE));
  const from = Math.min(page, pages - 1) * PER_PAGE;
  const shown = open.slice(from, from + PER_PAGE);
  const lines = statuses.map((status): HomeLine => {
    const { tone, words } = stateOf(status, now);
    return { tone, text: text`${strong(status.network)}: ${words}${factWords(status)}` };
  });
  return {
    title: { tone: worstOf(lines), text: markedTitle(titleWords(open, statuses), simulated ? { simulated } : {}) },
    networks: lines,
    open: await Promise.all(shown.map((one) => openAlert(moment, one))),
    more: open.length - shown.length,
    pages,
    silences: silences.map((one) => homeSilence(moment, one)),
  };
}

function isReadable({ scope }: Silence, readable: ReadonlySet<string>): boolean {
  return scope.destination === undefined || readable.has(scope.destination);
}

/** `2 alerts are open, 1 of them acknowledged`; where none is, nodes that do not answer come first. */
function titleWords(open: readonly Episode[], statuses: readonly NetworkStatus[]): Text {
  const nodes = statuses.reduce((sum, one) => sum + (one.nodes ?? 0), 0);
  const troubled = statuses.reduce((sum, one) => sum + (one.nodes ?? 0) - (one.answering ?? one.nodes ?? 0), 0);
  const trouble = `${formatCount(troubled)} of ${formatCount(nodes)} nodes in trouble`;
  if (open.length === 0 && statuses.every(({ verdict }) => verdict === "unwatched"))
    return toText(strong("Nothing is watched yet"));
  if (open.length === 0) return toText(strong(troubled === 0 ? "No alert is open" : `${trouble}, no alert is open`));
  const taken = open.filter(({ acknowledged }) => acknowledged !== undefined).length;
  const counted = open.length === 1 ? "1 alert is open" : `${formatCount(open.length)} alerts are open`;
  const rest =
    taken === 0 ? "" : open.length === 1 ? " and acknowledged" : `, ${formatCount(taken)} of them acknowledged`;
  return text`${strong(counted)}${rest}`;
}

function worstOf(lines: readonly HomeLine[]): Tone {
  const order = ["bad", "warning", "neutral"] as const;
  return order.find((tone) => lines.some((line) => line.tone === tone)) ?? "good";
}

/** A network has the tone of its worst open alert; what few nodes say, or said long ago, calls none healthy. */
function stateOf(status: NetworkStatus, now: Milliseconds): { readonly tone: Tone; readonly words: string } {
  const { verdict, firing, looked, answering, nodes = 0 } = status;
  const words = verdictWords(status);
  if (verdict !== "healthy") {
    return { tone: firing.length > 0 ? worstTone(firing) : networkState(status).tone, words };
  }
  if (looked !== undefined && now - toMillis(timeFromText(looked)) > STALE_AFTER) {
    return { tone: "warning", words: "not looked at lately" };
  }
  const { tone } = firing.length > 0 ? { tone: worstTone(firing) } : networkState(status);
  if (answering === undefined || answering >= nodes || tone === "bad") return { tone, words };
  return { tone: "warning", words: tone === "good" ? NETWORK_STATES.troubled.word : words };
}

function factWords({ answering, nodes, height, looked }: NetworkStatus): Text {
  const count = answering === undefined || nodes === undefined ? "" : ` · ${answering} of ${nodes} nodes answer`;
  const block = height === undefined ? "" : ` · block ${groupDigits(height)}`;
  const seen = looked === undefined ? [] : text` · seen ${time(timeFromText(looked), "relative")}`;
  return text`${count}${block}${seen}`;
}

/** What can be done about it is done where it was told: in a channel of the viewer's workspace, else to the viewer. */
async function openAlert(moment: Moment, given: Episode): Promise<OpenAlert> {
  const { context, now, readable } = moment;
  const episode = await namedEpisode(given, context.alerts);
  const { id, severity, network, kind, subject, acknowledged } = episode;
  const place = await toldPlace(episode, context, readable);
  const destination = place === undefined ? "" : destinationKey(place);
  const silence = moment.silences.find((one) => matchesSilence(one, { destination, network, kind, subject }, now));
  const what = happening(episode);
  const states = [
    ...(episode.state === "recovering" ? [EPISODE_WORDS.recovering] : []),
    ...(acknowledged === undefined ? [] : [`acknowledged by ${acknowledged.by}`]),
    ...(silence === undefined ? [] : ["silenced"]),
  ];
  const shown = {
    tone: SEVERITY[severity].tone,
    text: text`${what} · ${SEVERITY[severity].word} · since ${sinceWords(episode, "both")}${states.map((one) => ` · ${one}`).join("")}`,
    why: { command: "alerts why", options: { episode: id } },
  };
  if (place === undefined) return shown;
  const isDirect = place.channel.startsWith("user:");
  const may =
    isDirect ||
    context.caller.mayManageChannel ||
    (await mayAcknowledge(episode, { ...context, here: { ...context.here, channel: place.channel } }));
  if (!may) return shown;
  return {
    ...shown,
    ...(acknowledged === undefined ? { acknowledge: { command: "alerts ack", options: { episode: id } } } : {}),
    ...(silence === undefined ? { silence: { command: "alerts silence", options: { what: id, for: "1h" } } } : {}),
    ...(isDirect ? {} : { channel: place.channel }),
  };
}

/** Where in the viewer's workspace it was told: first in a channel that the viewer may read. */
async function toldPlace(
  episode: Episode,
  context: HomeContext,
  readable: ReadonlySet<string>,
): Promise<Destination | undefined> {
  const direct = directMessages(context);
  const told = (await notifiedDestinations(context.alerts, episode)).filter(
    (one) => tokenKey(one) === tokenKey(direct),
  );
  const channels = told.filter(({ channel }) => !channel.startsWith("user:"));
  return (
    channels.find((one) => readable.has(destinationKey(one))) ??
    channels[0] ??
    told.find(({ channel }) => channel === direct.channel)
  );
}

function homeSilence({ context, now }: Moment, one: Silence): HomeSilence {
  const { platforms, here, caller } = context;
  const { by, id, reason, scope } = one;
  const place = scope.destination === undefined ? undefined : destinationFromKey(scope.destination);
  const isDirect = place?.channel.startsWith("user:") === true;
  const where =
    place === undefined
      ? text`in all channels`
      : isDirect
        ? text`for you`
        : text`in ${channelName(place, platforms, here)}`;
  const when = isSilenceActive(one, now) ? silenceUntilWords(one, now) : silenceTimeWords(one, now);
  const why = reason === undefined ? "" : `: ${reason}`;
  const may = place !== undefined && (isDirect || caller.mayManageChannel || isCaller(one.person, context));
  return {
    text: text`${silenceScopeWords(one)} ${where}, ${when}, by ${by}${why}`,
    ...(may ? { end: { command: "alerts unsilence", options: { id } } } : {}),
    ...(place === undefined || isDirect ? {} : { channel: place.channel }),
  };
}
