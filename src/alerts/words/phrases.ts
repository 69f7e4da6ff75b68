import { type Action, type Attachment, commandAction } from "../../reply/reply.ts";
import { EPISODE_WORDS } from "../../reply/states.js";
import { type Block, field, type Field, paragraph } from "../../reply/block.ts";
import { tableAttachment } from "../../reply/csv.ts";
import {
  clockTime,
  code,
  type Inline,
  joinText,
  link,
  named,
  strong,
  text,
  type Text,
  type TextPart,
  time,
  toText,
} from "../../reply/text.ts";
import { capitalised } from "../../reply/enum-words.ts";
import { compareIntegers } from "../../units/decimal.ts";
import { formatDuration, formatUtc, fromMillis, type Milliseconds, toMillis } from "../../units/time.ts";
import type { Guidance } from "../alerts-config.ts";
import { timeFromText, timeToText } from "../judge/kinds/kind.ts";
import { type AlertKind, isConditionKind, KINDS } from "../judge/kinds/kinds.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import { groupReference, type MessageGroup } from "../message/message-group.ts";
import type { Destination, Platforms } from "../destination.ts";
import type { RoutingDecision } from "../route/route.ts";
import { type Episode, isOpen } from "../judge/rules/episode.ts";
import { groupedNumber, ruleWords, tellAtActions } from "./subscription-words.ts";

/** A channel by its name, where its platform shows it: one of another workspace than the reader's is unknown there. */
export function channelName(
  { platform, workspace, channel }: Destination,
  platforms: Platforms | undefined,
  here?: Pick<Destination, "workspace">,
): Inline {
  const isAmongMany = platforms?.chat(platform)?.destinationsPerWorkspace === true;
  const isNear = workspace !== undefined && workspace === here?.workspace;
  return isAmongMany && !isNear ? code(channel) : named("channel", platform, channel);
}

/** A title; drills and simulations say so first. */
export function markedTitle(
  title: Text,
  marks: { readonly simulated?: true | undefined; readonly drill?: true | undefined },
): Text {
  const simulated = marks.simulated === true ? text`${strong("SIMULATED")} · ` : [];
  const drill = marks.drill === true ? text`${strong("DRILL")} · ` : [];
  return text`${simulated}${drill}${title}`;
}

/** Precedes the sentence of an alert that is over: by its first word a locked phone tells it from a new one. */
export function overLead(isMerged: boolean | undefined): string {
  return isMerged === true ? "Over already: " : `${capitalised(EPISODE_WORDS.resolved)}: `;
}

/** Follows the name of an alert whose end was not seen. */
export const UNSEEN_ENDS: Partial<Record<Episode["state"], string>> = {
  gone: EPISODE_WORDS.gone,
  withdrawn: EPISODE_WORDS.withdrawn,
};

/** Events of a kind, for counting: `12 checkpoints`. */
export function countOf(kind: AlertKind, count: number): string {
  const [one, many] = isConditionKind(kind) ? [kind, kind] : KINDS[kind].nouns;
  return `${groupedNumber(count)} ${count === 1 ? one : many}`;
}

/** How a clock is written: with the date where it is not that of `day`; `named` says UTC, once in a line. */
interface ClockForm {
  readonly day?: string;
  readonly seconds?: true;
  readonly named?: false;
}

/** A moment for a line that stands alone on a locked phone: `03:10 UTC`. The console shows the reader's own clock instead. */
export function clock(moment: string, { day = moment, seconds, named }: ClockForm = {}): Inline {
  const at = formatUtc(timeFromText(moment));
  const [date = "", minute = ""] = at.slice(0, seconds === true ? 19 : 16).split(" ");
  const isThatDay = formatUtc(timeFromText(day)).startsWith(date);
  const words = named === false ? minute : `${minute} UTC`;
  return clockTime(timeFromText(moment), isThatDay ? words : `${date} ${words}`);
}

/** A story shorter than this is told to the second. */
const TO_THE_SECOND: Milliseconds = 600_000;

/** Whether the clocks of a story from the one moment to the other have seconds. */
export function secondsIn(from: string, to: string): Pick<ClockForm, "seconds"> {
  const length = toMillis(timeFromText(to)) - toMillis(timeFromText(from));
  return Math.abs(length) < TO_THE_SECOND ? { seconds: true } : {};
}

type Suppressor = Extract<RoutingDecision, { notify: false }>["by"];
type WordedEpisode = Pick<Episode, "kind" | "rule" | "last"> & Partial<Pick<Episode, "state">>;
type Begun = Pick<Episode, "began" | "beganBefore">;

/** Follows `since`: when it began, or `at least` when it was first observed. */
export function sinceWords({ began, beganBefore }: Begun, style: "absolute" | "both" = "absolute"): Text {
  const at = time(timeFromText(began), style);
  return beganBefore === true ? text`at least ${at}` : toText(at);
}

/** Why an alert was not told when it began, by what suppressed it; other reasons are words already. */
const WHY_LATE: Readonly<Record<Suppressor, string>> = {
  silence: "alerts were silenced here",
  severity: "it was not severe enough for this subscription",
  inhibition: "another alert explained it",
  flapping: "it came and went too often",
  "quiet hours": "quiet hours held here",
};

/** Why an alert that began earlier comes only now. */
export function lateTriggerNote(already: string | undefined): Block[] {
  if (already === undefined) return [];
  const why = Object.hasOwn(WHY_LATE, already) ? WHY_LATE[already as Suppressor] : already;
  return [paragraph(`Told only now because ${why}.`)];
}

/** What a condition means, and what to do about it, in one paragraph; nothing of what looks good again. */
export function explanation({ kind, rule, last, state }: WordedEpisode): Block[] {
  if (state === "recovering") return [];
  return meaningBlocks(KINDS[kind].meaning(last, ruleWords(rule) || "beyond its threshold"), KINDS[kind].remedy);
}

/** What an alert means, and what to do about it, in one paragraph; none where it says neither. */
export function meaningBlocks(meaning: string | undefined, remedy: string | undefined): Block[] {
  const todo = remedy === undefined ? [] : [text`${strong("What to do:")} ${remedy}`];
  const parts = [...(meaning === undefined ? [] : [meaning]), ...todo];
  return parts.length === 0 ? [] : [paragraph(joinText(parts, " "))];
}

/** What the operators add, for everybody and for this subscription. */
export function guidanceBlocks(
  kind: AlertKind,
  { guidance }: Pick<DeliveryContext, "guidance">,
  message: { readonly guidance?: Guidance },
): Block[] {
  const { note, runbook } = { ...guidance?.[kind], ...message.guidance };
  const parts = [...(note === undefined ? [] : [note]), ...(runbook === undefined ? [] : [link("Runbook", runbook)])];
  return parts.length === 0 ? [] : [paragraph(joinText(parts, " · "))];
}

export function whatToDo(remedy: Text): Block {
  return paragraph(text`${strong("What to do:")} ${remedy}`);
}

/** What to do if a platform refuses the bot's token, or that of one workspace. */
export function tokenRemedy(
  { platform, workspace }: { readonly platform: string; readonly workspace?: string | undefined },
  platforms: Platforms | undefined,
): Text {
  if (workspace !== undefined)
    return text`ask somebody in the ${platforms?.workspaceNoun(platform) ?? "workspace"} ${code(workspace)} to add the app again.`;
  const doctor = text`${code("npm run doctor")} says whether it is right.`;
  const chat = platforms?.chat(platform);
  if (chat === undefined) return text`set a token that ${platform} accepts and start the bot again. ${doctor}`;
  const { setting, source } = chat.token;
  return text`get a token that ${chat.name} accepts (${source}), set ${code(setting)} to it and start the bot again. ${doctor}`;
}

/** The file of all that a message counts and does not name. */
export function tableFile(
  name: string,
  titles: readonly string[],
  rows: readonly (readonly TextPart[])[],
  marks: { readonly simulated?: true | undefined },
): Attachment {
  const columns = titles.map((title) => ({ title }));
  const cells = rows.map((row) => row.map((cell) => toText(cell)));
  return tableAttachment({ kind: "table", name, columns, rows: cells }, marks.simulated === true ? "SIMULATED-" : "");
}

/**
 * The commands behind the buttons; they carry the episode, so that they work after a restart. Of a group Acknowledge and
 * Silence hold for all that the message says now, whatever joins it later. Nothing acts on what is over.
 */
export function actionsOf(first: Episode, group?: MessageGroup): Action[] {
  const open = (group?.episodes ?? [first]).filter(isOpen);
  const all = group === undefined ? first.id : groupReference(group);
  const details = commandAction("Details", "alerts why", { episode: first.id });
  if (open.length === 0) return [details];
  return [
    ...(open.every(({ acknowledged }) => acknowledged !== undefined)
      ? []
      : [commandAction("Acknowledge", "alerts ack", { episode: all })]),
    commandAction("Silence 1 h", "alerts silence", { what: all, for: "1h" }),
    details,
    ...(open.length === 1 ? tellAtActions(open[0] ?? first) : []),
  ];
}

// What follows the sentence of one alert, or of several of a kind, in the first line of its messages: no local times, since a
// locked phone shows nothing else, and no span that grows. The first clock names the zone.

/** ` since 03:10:02 UTC · critical since 03:13:02 · Mia takes it`. */
export function openWords(episodes: readonly Episode[], marks: { readonly phase?: string } = {}): Text {
  const [first] = byBeginning(episodes);
  if (first === undefined) return [];
  const earlier = first.beganBefore === true ? " or earlier" : "";
  const since = text` since ${clock(first.began, { day: first.detected, seconds: true })}${earlier}`;
  const critical = episodes.find(({ severity }) => severity === "critical");
  const escalated = critical?.escalated;
  const worse =
    critical === undefined
      ? []
      : [
          escalated === undefined
            ? "critical"
            : text`critical since ${clock(escalated, { ...secondsIn(critical.began, escalated), day: critical.detected, named: false })}`,
        ];
  const takers = [...new Set(episodes.flatMap(({ acknowledged }) => acknowledged?.by ?? []))];
  const take = takers.length === 1 ? "takes" : "take";
  const taken = takers.length === 0 || marks.phase === "reminder" ? [] : [`${takers.join(" and ")} ${take} it`];
  return joinText(
    [since, ...worse, ...taken].map((part) => toText(part)),
    " · ",
  );
}

/** ` for 4 min 2 s (03:10:02 to 03:14:04 UTC) · Mia took it`; with a pause between them no span. */
export function overWords(episodes: readonly Episode[]): Text {
  const sorted = byBeginning(episodes);
  const [first] = sorted;
  const ends = episodes.map(endOf).toSorted((a, b) => compare(a, b));
  const last = ends.at(-1);
  if (first === undefined || last === undefined) return [];
  const end = toMillis(timeFromText(last));
  const start = beginningOf(first, end);
  const lasted = end - start;
  const isAtLeast = first.beganBefore === true;
  const isBroken = sorted.some(
    ({ began }, index) => index > 0 && sorted.slice(0, index).every((one) => compare(endOf(one), began) < 0),
  );
  const lastedFor = isBroken
    ? ", one after another"
    : ` for ${isAtLeast ? "at least " : ""}${formatDuration(lengthBetween(start, end))}`;
  // The clock was ahead when it began: how long it lasted is not known then.
  const span = lasted < 0 ? "" : lastedFor;
  const begun = clock(timeToText(fromMillis(start)), { day: last, seconds: true, named: false });
  const from = lasted < 0 ? "" : text`${begun}${isAtLeast ? " or earlier" : ""} to `;
  const takers = [...new Set(episodes.flatMap(({ acknowledged }) => acknowledged?.by ?? []))];
  const taken = takers.length === 0 ? "" : ` · ${takers.join(" and ")} took it`;
  return text`${span} (${from}${clock(last, { seconds: true })})${taken}`;
}

/** From the one clock to the other, so that what is said of a length agrees with them. */
function lengthBetween(from: Milliseconds, to: Milliseconds): Milliseconds {
  return (Math.floor(to / 1000) - Math.floor(from / 1000)) * 1000 || Math.max(0, to - from);
}

/** How long one alert lasted, or has lasted by now: `at least 4 min 2 s`. */
export function lengthWords(episode: Episode, now: Milliseconds): string {
  const end = isOpen(episode) ? now : toMillis(timeFromText(endOf(episode)));
  const lasted = formatDuration(Math.max(0, lengthBetween(beginningOf(episode, end), end)));
  return `${episode.beganBefore === true ? "at least " : ""}${lasted}${isOpen(episode) ? " so far" : ""}`;
}

/**
 * When it began. Of a clock that was wrong then and is right at the end, by the network's time, if that fits better how
 * long it was seen.
 */
function beginningOf({ began, first, seenMillis }: Episode, end: Milliseconds): Milliseconds {
  const start = toMillis(timeFromText(began));
  if (first.kind !== "network.clock") return start;
  const byNetwork = start - (first.facts.driftMillis ?? 0);
  const seen = seenMillis ?? Math.max(0, end - start);
  const misses = (from: Milliseconds): Milliseconds => (from > end ? Infinity : Math.abs(end - from - seen));
  return misses(byNetwork) < misses(start) ? byNetwork : start;
}

/** `03:10:02 to 03:14:04`, or since when it lasts. */
export function spanWords(episode: Episode, isOver: boolean): Text {
  const form = { seconds: true, named: false } as const;
  const from = clock(episode.began, { ...form, day: episode.detected });
  if (!isOver) return text`since ${from}`;
  return text`${from} to ${clock(endOf(episode), { ...form, day: episode.began })}`;
}

export function endOf({ recovered, ended, detected }: Episode): string {
  return recovered ?? ended ?? detected;
}

function byBeginning(episodes: readonly Episode[]): Episode[] {
  return episodes.toSorted((a, b) => compare(a.began, b.began));
}

/** Compares moments, as decimal nanoseconds. */
function compare(a: string, b: string): number {
  return compareIntegers(BigInt(a), BigInt(b));
}

/** A moment in the details; none where it is not known. */
export function timeField(name: string, moment: string | undefined): Field[] {
  return moment === undefined ? [] : [field(name, time(timeFromText(moment), "both"))];
}
