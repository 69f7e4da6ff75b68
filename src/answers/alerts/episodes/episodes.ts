import { z } from "zod";

import { covers, destinationKey, isAlive, StoredDestination } from "../../../alerts/routing/subscription.ts";
import { type Episode, isOpen } from "../../../alerts/rules/episode.ts";
import type { Destination } from "../../../alerts/sender.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { conditionWords } from "../../../alerts/wording/condition-words.ts";
import { sinceWords } from "../../../alerts/wording/phrases.ts";
import { nearest, quoteTyped } from "../../../bot/nearest.ts";
import type { Choice, SuggestContext } from "../../../bot/options/options.ts";
import { MAX_CHOICES } from "../../../bot/options/suggest-values.ts";
import { UserError } from "../../../errors.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { matchingKinds } from "../alert-kinds.ts";
import { type CallerContext, destinationHere, isOperator } from "../destination.ts";

/** How far back an episode is looked for by less than its id. */
const MAX_RECENT_EPISODES = 500;
/** How many candidates an error lists. */
const MAX_LISTED = 5;
/** As much of a market's id as tells it from others, and fits into a column. */
const BRIEF_SUBJECT_LENGTH = 8;
/** What Discord takes as a choice's name and value. */
const MAX_LABEL_LENGTH = 100;

type EpisodeReader = Pick<AlertService, "openEpisodes" | "lastEpisodes" | "why">;

/**
 * The episode that somebody means: by its id, or by as much of it as is unambiguous (`node.down`, `node.down api1`,
 * `network.stalled testnet`, `market.price|mainnet|f8ac`). Open ones come first; of closed ones of the same thing the
 * last one is meant.
 * Where a network is named, only its own are meant.
 * @throws UserError where there is none, or more than one.
 */
export async function findEpisode(desk: EpisodeReader, typed: string, network?: string): Promise<Episode> {
  const exact = await desk.why(typed.trim());
  if (exact !== undefined) return exact.episode;
  const found = (await matchingEpisodes(desk, typed)).filter((one) => network === undefined || one.network === network);
  const open = found.filter(isOpen);
  const [only] = open;
  if (only !== undefined && open.length === 1) return only;
  const [last] = found;
  if (last === undefined) throw await noSuchEpisode(desk, typed, network);
  const same = found.every(
    (one) => one.rule === last.rule && one.network === last.network && one.subject === last.subject,
  );
  if (open.length === 0 && same) return last;
  const candidates = open.length > 0 ? open : found;
  const more = candidates.length > MAX_LISTED ? ` and ${candidates.length - MAX_LISTED} more` : "";
  const listed = candidates.slice(0, MAX_LISTED).map((one) => distinctWords(one, candidates));
  throw new UserError(`${quoteTyped(typed)} could be ${candidates.length} episodes.`, {
    option: "episode",
    remedy: `It fits ${listed.join(", ")}${more}: type one of these instead.`,
  });
}

/**
 * Those that what is typed may mean: open ones first, then the last ones, newest first. The beginning of a name is enough
 * where it is nobody's whole name: `BTC/USD` is not `BTC/USDT`.
 */
async function matchingEpisodes(desk: EpisodeReader, typed: string): Promise<Episode[]> {
  const all = await knownEpisodes(desk);
  const meant = all.filter((episode) => matchesTyped(episode, typed));
  return meant.length > 0 ? meant : all.filter((episode) => matchesTyped(episode, typed, "begun"));
}

async function knownEpisodes(desk: EpisodeReader): Promise<readonly Episode[]> {
  const [open, last] = await Promise.all([desk.openEpisodes(), desk.lastEpisodes(MAX_RECENT_EPISODES)]);
  const ids = new Set(open.map(({ id }) => id));
  return [...open, ...last.filter(({ id }) => !ids.has(id))];
}

/** Whether a whole id, or the beginnings of its parts, or words of it, are what was typed; names may be `begun`, too. */
function matchesTyped(episode: Episode, typed: string, names: "whole" | "begun" = "whole"): boolean {
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
  const begun = [episode.kind, episode.subject.toLowerCase(), ...(names === "begun" ? [label ?? ""] : [])];
  const whole = [episode.rule, episode.network, label ?? "", ...(label?.split(/\s+/u) ?? []), String(episode.number)];
  return wanted
    .split(/\s+/u)
    .every(
      (word) =>
        begun.some((part) => part === word || (word.length >= 3 && part.startsWith(word))) ||
        whole.some((part) => part.toLowerCase() === word),
    );
}

/** What people call the subject of an episode, where it has a name. */
export function episodeLabel({ last }: Episode): string | undefined {
  return "label" in last ? last.label : undefined;
}

async function noSuchEpisode(desk: EpisodeReader, typed: string, network: string | undefined): Promise<UserError> {
  const all = await knownEpisodes(desk);
  const near = nearest(typed, [...all.map(({ id }) => id), ...new Set(all.map(({ kind }) => kind))]);
  return new UserError(`No episode ${quoteTyped(typed)} is known${network === undefined ? "" : ` on ${network}`}.`, {
    option: "episode",
    remedy: `${near === undefined ? "" : `Did you mean ${near}? `}Episodes are kept for 30 days after their end; what is open now is shown by:`,
    suggestion: "alerts status",
  });
}

/** As much of an id as names it and fits where a platform takes a hundred characters. */
function shortEpisodeId({ id, rule, network, subject, number }: Episode): string {
  if (id.length <= MAX_LABEL_LENGTH) return id;
  return [rule.slice(0, 50), network.slice(0, 20), subject.slice(0, 12), number].join("|");
}

/** An id that fits into a line, and that every command takes for the whole one: `market.auction|mainnet|f8ac0d13|3`. */
export function briefEpisodeId(id: string): string {
  const [rule = "", network = "", subject = "", ...rest] = id.split("|");
  if (!/^[0-9a-f]{32,}$/iu.test(subject)) return id;
  return [rule, network, subject.slice(0, BRIEF_SUBJECT_LENGTH), ...rest].join("|");
}

/** What tells one candidate from the others: its words, or its id where others have the same. */
function distinctWords(episode: Episode, candidates: readonly Episode[]): string {
  const words = episodeWords(episode);
  return candidates.filter((one) => matchesTyped(one, words)).length === 1 ? words : briefEpisodeId(episode.id);
}

/** What somebody can type for an episode: `market.auction mainnet BTC/USDT 3`. */
function episodeWords(episode: Episode): string {
  const { kind, network, number } = episode;
  return [kind, network, subjectWords(episode), number].filter((word) => word !== "").join(" ");
}

/** Its name, its id's beginning, or nothing where it is the network. */
function subjectWords(episode: Episode): string {
  const { subject } = episode;
  return episodeLabel(episode) ?? (/^[0-9a-f]{32,}$/iu.test(subject) ? subject.slice(0, 8) : subject);
}

/** What a button about an episode is about, in a word or two. */
export function episodeSubject(episode: Episode): string {
  const subject = subjectWords(episode);
  return subject === "" ? episode.kind : subject;
}

/** One line that says what an episode is, for lists without any markup. */
function episodeTitle(episode: Episode): string {
  const state = isOpen(episode) ? `since ${plainText(sinceWords(episode))}` : episode.state;
  return `${plainText(conditionWords(episode).bad)} (${episode.severity}, ${state})`;
}

/** Completion of an episode: what is open, then what was. */
export async function suggestEpisodes(typed: string, { alerts }: SuggestContext): Promise<readonly Choice[]> {
  return choicesOf(await knownEpisodes(alerts), typed);
}

/** What can be silenced: open episodes, then kinds. */
export async function suggestSilenceable(typed: string, { alerts }: SuggestContext): Promise<readonly Choice[]> {
  return [...choicesOf(await alerts.openEpisodes(), typed), ...matchingKinds(typed)];
}

/** Those that what is typed may become, by their ids or by what people call them. */
function choicesOf(all: readonly Episode[], typed: string): Choice[] {
  const low = typed.trim().toLowerCase();
  return all
    .filter(
      (one) => low === "" || matchesTyped(one, typed) || `${one.id} ${episodeTitle(one)}`.toLowerCase().includes(low),
    )
    .filter((one) => shortEpisodeId(one).length <= MAX_LABEL_LENGTH)
    .slice(0, MAX_CHOICES)
    .map((one) => choiceOf(one, all));
}

/** Nobody knows a market by its id, so on a line it stands by its name. */
function choiceOf(episode: Episode, all: readonly Episode[]): Choice {
  return {
    label: cut(episodeTitle(episode)),
    value: shortEpisodeId(episode),
    typed: distinctWords(episode, all),
  };
}

function cut(label: string): string {
  const points = Array.from(label);
  return points.length <= MAX_LABEL_LENGTH ? label : `${points.slice(0, MAX_LABEL_LENGTH - 1).join("")}…`;
}

const StoredDelivery = z.object({ destination: StoredDestination });

/** Where an episode was told, or is to be. */
export async function notifiedDestinations(desk: Pick<AlertService, "why">, episode: Episode): Promise<Destination[]> {
  const rows = (await desk.why(episode.id))?.deliveries ?? [];
  const told = rows.map(({ data }) => StoredDelivery.parse(JSON.parse(data)).destination);
  return [...new Map(told.map((one) => [destinationKey(one), one])).values()];
}

/**
 * Throws UserError unless the episode is this place's to change: told here, or subscribed to here. Whoever manages one
 * channel does not thereby speak for those of others.
 */
export async function requireEpisodeAccess(
  desk: Pick<AlertService, "why" | "subscriptions">,
  episode: Episode,
  context: CallerContext,
): Promise<void> {
  if (isOperator(context)) return;
  const here = destinationKey(destinationHere(context));
  const told = await notifiedDestinations(desk, episode);
  if (told.some((one) => destinationKey(one) === here)) return;
  const subscribed = (await desk.subscriptions()).some(
    (one) =>
      destinationKey(one.destination) === here &&
      isAlive(one) &&
      one.kinds.includes(episode.kind) &&
      covers(one, episode),
  );
  if (subscribed) return;
  throw new UserError(`This channel is not told of ${episode.id}.`, {
    option: "episode",
    remedy: "Acknowledge it where it is told, or subscribe this channel with:",
    suggestion: `alerts add ${episode.kind}`,
  });
}
