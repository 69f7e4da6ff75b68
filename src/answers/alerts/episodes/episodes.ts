// Finds and names episodes for the alerts commands: by id, by words, in completion; and decides who may change one.
// episode-timeline.ts shows one from start to end, alert-log.ts all decisions and deliveries, network-status.ts the
// current status, drill.ts tests the whole delivery path.

import { z } from "zod";

import { isDrill, type Episode, episodeName, idOfName, isOpen, seenFrom } from "../../../alerts/judge/rules/episode.ts";
import { KIND_GROUPS } from "../../../alerts/judge/kinds/kinds.ts";
import { compareSeverity, timeFromText } from "../../../alerts/judge/kinds/kind.ts";
import { covers, isAlive } from "../../../alerts/route/subscription.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { happening } from "../../../alerts/words/condition-words.ts";
import { kindNoun } from "../../../alerts/words/subscription-words.ts";
import { cutShort, didYouMean, nearest, quoteTyped } from "../../../bot/nearest.ts";
import { type Choice, MAX_CHOICE_LENGTH, type SuggestContext } from "../../../bot/options/options.ts";
import { MAX_CHOICES } from "../../../bot/options/suggest-values.ts";
import { ignoreUserError, UserError } from "../../../errors.ts";
import { formatUtc } from "../../../units/time.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { type Action, commandAction } from "../../../reply/reply.ts";
import { matchingKinds } from "../alert-kinds.ts";
import {
  type AlertsContext,
  type CallerContext,
  destinationHere,
  isOperator,
  requireManagerOrMentioned,
} from "../destination.ts";
import {
  type Destination,
  destinationKey,
  distinctDestinations,
  StoredDestination,
} from "../../../alerts/destination.ts";
import { readReference } from "../../../alerts/message/message-group.ts";

/** How many recent episodes are searched by less than a whole id. */
const MAX_RECENT_EPISODES = 500;
/** How many candidates an error lists. */
const MAX_LISTED = 5;

type EpisodeReader = Pick<AlertService, "openEpisodes" | "lastEpisodes" | "history">;

/**
 * The episode for typed words: an id, its name, or any unambiguous part of either (`node.down`, `node.down api1`,
 * `network.stalled testnet`, `market.price|mainnet|f8ac`). Open episodes come first; of closed ones with the same rule and
 * subject the last one counts. A named network restricts the search.
 * @throws UserError where none matches, or several.
 */
export async function findEpisode(alerts: EpisodeReader, typed: string, network?: string): Promise<Episode> {
  const exact = await exactEpisode(alerts, typed);
  if (exact !== undefined) return exact;
  const found = (await matchingEpisodes(alerts, typed)).filter(
    (one) => network === undefined || one.network === network,
  );
  const open = found.filter(isOpen);
  const [only] = open;
  if (only !== undefined && open.length === 1) return only;
  const [last] = found;
  if (last === undefined) throw await noSuchEpisode(alerts, typed, network);
  const same = found.every(
    (one) => one.rule === last.rule && one.network === last.network && one.subject === last.subject,
  );
  if (open.length === 0 && same) return last;
  const candidates = open.length > 0 ? open : found;
  const more = candidates.length > MAX_LISTED ? ` and ${candidates.length - MAX_LISTED} more` : "";
  const listed = candidates.slice(0, MAX_LISTED).map((one) => distinctWords(one, candidates));
  throw new UserError(`${quoteTyped(typed)} could be ${candidates.length} episodes.`, {
    option: "episode",
    remedy: `It fits ${listed.join(", ")}${more}. Choose one.`,
    meanings: {
      typed,
      values: candidates.slice(0, MAX_CHOICES).map((one) => ({ label: episodeTitle(one), value: choiceValue(one) })),
    },
  });
}

/** The episode with that id, or that name where the name has all of the id. */
export async function exactEpisode(alerts: Pick<AlertService, "history">, typed: string): Promise<Episode | undefined> {
  const history = (await alerts.history(typed.trim())) ?? (await alerts.history(idOfName(typed)));
  return history?.episode;
}

/**
 * The episodes for typed words: one, or all that a grouped message named when its button was made, the button's own first.
 * @throws UserError where none matches, or several.
 */
export async function findEpisodes(
  alerts: EpisodeReader & Pick<AlertService, "grouped">,
  typed: string,
  network?: string,
): Promise<readonly [Episode, ...Episode[]]> {
  const group = readReference(typed);
  const [first, ...others] = group === undefined ? [] : await alerts.grouped(group.id, group.count);
  return first === undefined ? [await findEpisode(alerts, typed, network)] : [first, ...others];
}

/**
 * Episodes that match the typed words: open ones first, then recent ones, newest first. A prefix of a name matches only
 * where nothing has it as its whole name: `BTC/USD` is not `BTC/USDT`.
 */
async function matchingEpisodes(alerts: EpisodeReader, typed: string): Promise<Episode[]> {
  const all = await knownEpisodes(alerts);
  const matching = all.filter((episode) => matchesTyped(episode, typed));
  return matching.length > 0 ? matching : all.filter((episode) => matchesTyped(episode, typed, "prefix"));
}

async function knownEpisodes(alerts: EpisodeReader): Promise<readonly Episode[]> {
  const [open, last] = await Promise.all([alerts.openEpisodes(), alerts.lastEpisodes(MAX_RECENT_EPISODES)]);
  const ids = new Set(open.map(({ id }) => id));
  return [...worstFirst(open), ...last.filter(({ id }) => !ids.has(id))];
}

/** Whether typed words match an id, prefixes of its parts, or its words; with `prefix`, also prefixes of its name. */
export function matchesTyped(episode: Episode, typed: string, names: "whole" | "prefix" = "whole"): boolean {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return false;
  if (wanted.includes("|")) {
    const parts = wanted.split("|");
    const own = [episode.rule, episode.network, episode.subject].map((part) => part.toLowerCase());
    const [number] = parts.slice(3);
    return (
      parts.length <= 4 &&
      parts[0] !== "" &&
      parts.slice(0, 3).every((part, index) => own[index]?.startsWith(part) === true) &&
      (number === undefined || number === "" || number === String(episode.number))
    );
  }
  const label = episodeLabel(episode)?.toLowerCase();
  const prefixes = [episode.kind, episode.subject.toLowerCase(), ...(names === "prefix" ? [label ?? ""] : [])];
  const whole = [episode.rule, episode.network, label ?? "", ...(label?.split(/\s+/u) ?? []), String(episode.number)];
  return wanted
    .split(/\s+/u)
    .every(
      (word) =>
        prefixes.some((part) => part === word || (word.length >= 3 && part.startsWith(word))) ||
        whole.some((part) => part.toLowerCase() === word),
    );
}

/** The name of an episode's subject, where it has one. */
export function episodeLabel({ last }: Episode): string | undefined {
  return "label" in last ? last.label : undefined;
}

async function noSuchEpisode(alerts: EpisodeReader, typed: string, network: string | undefined): Promise<UserError> {
  const all = await knownEpisodes(alerts);
  const near = nearest(typed, [...all.map(({ id }) => episodeName(id)), ...new Set(all.map(({ kind }) => kind))]);
  return new UserError(`No episode ${quoteTyped(typed)} is known${network === undefined ? "" : ` on ${network}`}.`, {
    option: "episode",
    ...didYouMean(typed, near, "Episodes are kept for at least 30 days after their end. Open alerts are listed by:"),
    suggestion: "alerts status",
  });
}

/** Its name, or where a platform would cut it, a short id that still finds the episode. */
function choiceValue({ id, rule, network, subject, number }: Episode): string {
  const name = episodeName(id);
  if (name.length <= MAX_CHOICE_LENGTH) return name;
  return [rule.slice(0, 50), network.slice(0, 20), subject.slice(0, 12), number].join("|");
}

/** Words that match this candidate alone, else its name. */
function distinctWords(episode: Episode, candidates: readonly Episode[]): string {
  const words = episodeWords(episode);
  return candidates.filter((one) => matchesTyped(one, words)).length === 1 ? words : episodeName(episode.id);
}

/** Words to type for an episode: `market.auction mainnet BTC/USDT 3`. */
function episodeWords(episode: Episode): string {
  const { kind, network, number } = episode;
  return [kind, network, subjectWords(episode), number].filter((word) => word !== "").join(" ");
}

/** The subject's name, else a prefix of its id; empty where the subject is the network. */
function subjectWords(episode: Episode): string {
  const { subject } = episode;
  return episodeLabel(episode) ?? (/^[0-9a-f]{32,}$/iu.test(subject) ? subject.slice(0, 8) : subject);
}

/** The subject of an episode for a button, in a word or two: that of a network is the network. */
export function episodeSubject(episode: Episode): string {
  const subject = subjectWords(episode);
  return subject === "" ? episode.network : subject;
}

/** One line about an episode, for lists without markup: with its beginning, since several have all else in common. */
function episodeTitle(episode: Episode): string {
  const state = isOpen(episode) ? "since" : `${episode.state}, began`;
  // From the month to the minute: nothing is kept for a year.
  const began = formatUtc(timeFromText(episode.began)).slice(5, 16);
  const end = ` (${episode.severity}, ${state} ${began} UTC)`;
  return `${cutShort(plainText(happening(episode)), MAX_TITLE_LENGTH - end.length)}${end}`;
}

/** Slack's limit for the label of a button or an option. */
const MAX_TITLE_LENGTH = 75;

/**
 * What nobody has taken first, of that the worst, since it is the headline and gets the buttons; among equals by the order
 * of networks, then the widest (network, node, market), then the newest. Episodes that look good again come last.
 */
export function worstFirst(episodes: readonly Episode[], networks: readonly string[] = []): readonly Episode[] {
  return episodes.toSorted(
    (a, b) =>
      Number(a.state === "recovering") - Number(b.state === "recovering") ||
      Number(a.acknowledged !== undefined) - Number(b.acknowledged !== undefined) ||
      compareSeverity(b.severity, a.severity) ||
      placeOf(a.network, networks) - placeOf(b.network, networks) ||
      reach(a) - reach(b) ||
      Number(BigInt(b.began) - BigInt(a.began)),
  );
}

/** The place of a network among those that are configured; unknown ones come last. */
export function placeOf(network: string, networks: readonly string[]): number {
  const at = networks.indexOf(network);
  return at === -1 ? networks.length : at;
}

/** The reach of a condition: the lower, the wider. */
export function reach({ kind }: Episode): number {
  const groups = ["network", "nodes", "checkpoints"] as const;
  const widest = groups.findIndex((group) => KIND_GROUPS[group].includes(kind));
  return widest === -1 ? groups.length : widest;
}

/** Completion of an episode: open ones, then recent ones. */
export async function suggestEpisodes(typed: string, { alerts }: SuggestContext): Promise<readonly Choice[]> {
  return choicesOf(await knownEpisodes(alerts), typed);
}

/** Completion of an episode that is open: the worst first. */
export async function suggestOpenEpisodes(typed: string, { alerts }: SuggestContext): Promise<readonly Choice[]> {
  return choicesOf(worstFirst(await alerts.openEpisodes()), typed);
}

/** Completion for lines of the log: open episodes, then kinds. */
export async function suggestLogged(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  return [...(await suggestOpenEpisodes(typed, context)), ...matchingKinds(typed)];
}

/** Choices for episodes whose id or title matches the typed words. */
function choicesOf(all: readonly Episode[], typed: string): Choice[] {
  const low = typed.trim().toLowerCase();
  return (
    all
      .filter(
        (one) => low === "" || matchesTyped(one, typed) || `${one.id} ${episodeTitle(one)}`.toLowerCase().includes(low),
      )
      .filter((one) => choiceValue(one).length <= MAX_CHOICE_LENGTH)
      .slice(0, MAX_CHOICES)
      // On a typed line a market appears by its name, since nobody knows its id.
      .map((one) => ({ label: episodeTitle(one), value: choiceValue(one), typed: distinctWords(one, all) }))
  );
}

/** A button that shows an episode. */
export function detailsAction({ id }: Pick<Episode, "id">): Action {
  return commandAction("Details", "alerts why", { episode: episodeName(id) });
}

/** The buttons under an episode that is over: one silences the next ones of its kind, after a question; a drill has none. */
export function overActions(episode: Episode, length = "1h"): Action[] {
  return [...(isDrill(episode) ? [] : [silenceKindAction(episode, length)]), detailsAction(episode)];
}

function silenceKindAction(episode: Episode, length: string): Action {
  const { kind, network, subject } = episode;
  const of = subject === "" ? "" : ` of ${subjectWords(episode)}`;
  const options = { what: kind, for: length, network, ...(subject === "" ? {} : { subject }) };
  return {
    ...commandAction(`Silence ${kindNoun(kind)} ${length}`, "alerts silence", options),
    confirm: `Keep back all ${kindNoun(kind)}${of} on ${network} for ${length}?`,
  };
}

const StoredDelivery = z.object({ destination: StoredDestination });

/** The episode as the caller may see it: without the acknowledgement of another workspace. */
export function seenHere(episode: Episode, context: CallerContext): Episode {
  return isOperator(context) ? episode : seenFrom(episode, destinationHere(context));
}

/** The destinations that an episode was or will be delivered to. */
export async function notifiedDestinations(
  alerts: Pick<AlertService, "history">,
  episode: Episode,
): Promise<Destination[]> {
  const rows = (await alerts.history(episode.id))?.deliveries ?? [];
  return distinctDestinations(rows.map(({ data }) => StoredDelivery.parse(JSON.parse(data)).destination));
}

/**
 * The place that an action on an episode concerns: where it is asked, or, in a thread of the alert, the channel that was
 * told. On Discord a thread is a channel with the id of the message that it was begun at.
 */
export async function alertPlace(episode: Episode, context: AlertsContext): Promise<Destination> {
  const here = destinationHere(context);
  const { deliveries = [], receipts = [] } = (await context.alerts.history(episode.id)) ?? {};
  const starter = receipts.find(({ platform, message }) => platform === here.platform && message === here.channel);
  const row = deliveries.find(({ id }) => id === starter?.delivery);
  return row === undefined ? here : StoredDelivery.parse(JSON.parse(row.data)).destination;
}

/** Whether the caller may acknowledge the episode here: a button that would be refused is not offered. */
export async function mayAcknowledge(episode: Episode, context: AlertsContext): Promise<boolean> {
  return (await requireAcknowledger(episode, context).then(() => true, ignoreUserError)) === true;
}

/**
 * Throws UserError unless the caller may acknowledge the episode here: who manages the channel, or is mentioned by its
 * alerts, where the channel may change the episode.
 */
export async function requireAcknowledger(episode: Episode, context: AlertsContext): Promise<void> {
  await requireManagerOrMentioned(context, "acknowledge its alerts", await alertPlace(episode, context));
  await requireEpisodeAccess(episode, context);
}

/**
 * Throws UserError unless this destination may change the episode: it was notified here, or is subscribed to here.
 * Managing one channel gives no say in others.
 */
async function requireEpisodeAccess(episode: Episode, context: AlertsContext): Promise<void> {
  if (isOperator(context)) return;
  const { alerts } = context;
  const here = destinationKey(await alertPlace(episode, context));
  const notified = await notifiedDestinations(alerts, episode);
  if (notified.some((one) => destinationKey(one) === here)) return;
  const subscribed = (await alerts.subscriptions()).some(
    (one) =>
      destinationKey(one.destination) === here &&
      isAlive(one) &&
      one.kinds.includes(episode.kind) &&
      covers(one, episode),
  );
  if (subscribed) return;
  const of = episode.subject === "" ? "" : ` of ${episodeLabel(episode) ?? episode.subject}`;
  throw new UserError(`This channel is not told of ${kindNoun(episode.kind)}${of} on ${episode.network}.`, {
    option: "episode",
    remedy: "Acknowledge it where it is told, or subscribe this channel with:",
    suggestion: `alerts add ${episode.kind}`,
  });
}
