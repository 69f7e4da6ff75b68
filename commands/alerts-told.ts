import { deliverySubject } from "../src/alerts/message/delivery-subject.ts";
import { callerZone, parsePastRange, pastRangeText } from "../src/answers/alerts/alert-times.ts";
import { type AlertsContext, offersChanges } from "../src/answers/alerts/destination.ts";
import { type Episode, episodeName, isOpen } from "../src/alerts/judge/rules/episode.ts";
import { mayAcknowledge } from "../src/answers/alerts/episodes/episodes.ts";
import { worstTone } from "../src/reply/states.js";
import { TOLD_OPTIONS } from "../src/answers/alerts/episodes/episode-options.ts";
import {
  MAX_MESSAGES,
  momentOf,
  readablePlaces,
  type ToldLine,
  toldLines,
  toldTable,
  untoldLines,
  worstFirst,
} from "../src/answers/alerts/episodes/told.ts";
import { calmWords, watchedSince } from "../src/answers/alerts/episodes/watched.ts";
import { command } from "../src/bot/command.ts";
import { LAST_NIGHT } from "../src/bot/options/time-span.ts";
import { details, paragraph } from "../src/reply/block.ts";
import { capitalised, listWords } from "../src/reply/enum-words.ts";
import { type Action, commandAction, inZone, reply, type Tone } from "../src/reply/reply.ts";
import { clockTime, type Inline, joinText, text, type Text, type TextPart } from "../src/reply/text.ts";
import { formatCount } from "../src/units/format-number.ts";
import { localText } from "../src/units/local-time.ts";
import { DAY, fromMillis, type Milliseconds, type Stretch, toMillis } from "../src/units/time.ts";

export const alertsTold = command({
  name: "alerts told",
  alsoCalled: ["last night", "told"],
  asked: [
    "happen|miss|go|going|went|been|how|blow|blew|drama|handover|handoff|summarise|summarize|digest|rundown|sitrep|event|break|broke|broken|fail|fire|fired|come|came|news|new|summary|recap|overview|wrong|alert|incident|problem|issue|trouble|outage|page|anything|told|tell|change|report|catch|bring|speed|status night|overnight|asleep|slept|sleep|{when}|{since}",
    "was|were|did|had|have|any|how quiet|calm|busy|fine|page|problem|issue|trouble|incident|outage|stall|halt|lag|auction|down|downtime|offline|broken|alert|status night|overnight|{when}|{since}",
    "miss|overnight",
    "last|during night",
    "recap|summary|summarise|summarize|report|handover|handoff",
    "alert told recap|summary|report|overview|news|event|incident|problem|issue|trouble|outage|page|handover",
    "was|were|did|had tell|told|say|post|send|sent|warn|write|inform|notify|report bot|you|channel|here|us|we|me|anyone|anything",
    "was|were|did|had alert|notification|message|page get|receive|come|arrive|go channel|here|us|we|me|anyone",
    "happen",
    "told",
    "catch up",
    "while asleep|slept|sleep|away|gone",
    "when|long|often|much|many|did|was|were down|downtime|offline|outage|unreachable|lag|crash|die|died|fail|halt|broken {about}",
    "downtime|outage {about}",
    "long was|were|did stop|halt|stall|stuck|down|last",
    "who|did acknowledge|ack|take|took|see|saw",
    "who|anyone|anybody|somebody|someone|nobody acknowledge|ack|take|took|taken|see|saw|seen|handle|stall|halt|outage|alert|page",
    "who|when|last outage|downtime|incident|stall|halt|stop|down|alert|page",
    "down|downtime|offline|outage|unreachable|lag|crash|fail|halt|broken {about} {when}|{since}",
    "was|were|did|had|has|have|any|how network|chain|node|everything|all|{about}|{network} quiet|calm|fine|ok|okay|well|good|healthy|up|alive|problem|issue|trouble|incident|outage|down|downtime|offline|broken|broke|stall|halt|stop|slow|crash|lag|auction|status night|overnight|{when}|{since}",
  ],
  summary: "What people were told last night, or when you say",
  verb: "Show",
  title: "What people were told",
  examples: ["alerts told last night", "alerts told yesterday", "alerts told since:7d until:3d"],
  personal: true,
  readsHere: true,
  options: TOLD_OPTIONS,
  run: async (context) => {
    const { alerts, options } = context;
    const now = toMillis(context.now());
    const zone = await callerZone(context);
    const range = parsePastRange(options, now, zone) ?? parsePastRange({ since: "yesterday 22:00" }, now, zone);
    if (range === undefined) throw new TypeError("yesterday 22:00 is no time");
    const { keys, words } = await readablePlaces(context);
    const { told, more } = await alerts.told({ ...range, destinations: keys, limit: MAX_MESSAGES });
    const { network, about } = options;
    const isOn = (one: (typeof told)[number]): boolean =>
      network === undefined || deliverySubject(one.message, "").network === network;
    const lines = toldLines(told.filter(isOn), context, now, zone).filter(isAbout(about));
    // Within a day its clock is enough: the reader's, or that of a zone that is named.
    const isDay = range.to - range.from <= DAY;
    const [unheard, watched] = await Promise.all([
      untoldLines(range, network, context, now),
      watchedSince(range, keys, network, context),
    ]);
    const untold = unheard.filter(isAbout(about));
    const shown = (at: Milliseconds): Inline => momentOf(at, isDay && now - at < DAY ? undefined : zone);
    const later = { since: localText(zone, range.to), network, about };
    // What began before that day has its day, too.
    const inTable = (at: Milliseconds): Inline => momentOf(at, isDay && at >= range.from ? undefined : zone);
    const missed = { name: "alerts-untold", title: text`Fired, and told to nobody` };
    const happened = lines.filter(({ isDrill }) => !isDrill);
    const worst = worstFirst([...happened, ...untold])[0]?.episode;
    const tables = [
      ...(lines.length === 0 ? [] : [toldTable(lines, { name: "alerts-told" }, inTable, context)]),
      ...(untold.length === 0 ? [] : [toldTable(untold, missed, inTable, context)]),
    ];
    const notes = [
      ...(lines.length > 0 || watched.since === 0 ? [words] : []),
      ...(more ? [`Of that time, the last ${formatCount(MAX_MESSAGES)} messages were read.`] : []),
      ...keptWords(range, now - alerts.retention, zone),
    ];
    const tests = testsWords(lines);
    const title = happenedWords([...happened, ...untold], shown, tests);
    const known = knownWords(watched.since, range, [...happened, ...untold], (at) =>
      clockTime(fromMillis(at), localText(zone, at, 16).slice(isDay ? "YYYY-MM-DD ".length : 0)),
    );
    const calm = calmWords(watched, range, whereWords(options), namedSpan(options), shown);
    const said = reply({
      tone: toneOf(worst),
      title: title ?? joinText([calm, ...tests], "; "),
      blocks: [
        paragraph(text`${asSentence(pastRangeText(range, now, zone))}${known}.${takenWords([...lines, ...untold])}`),
        // The headline says of one thing what its row does.
        ...(isOne([...lines, ...untold], title) ? details(tables) : tables),
        ...(happened.length === 0 ? watched.notes.map((note) => paragraph(note)) : []),
        paragraph(joinText(notes, " ")),
      ],
      actions: [
        ...(await alertActions(worst, context)),
        ...(happened.length === 0 && !watched.isSubscribed && offersChanges(context)
          ? [commandAction("Subscribe", "alerts add")]
          : []),
        ...(range.to < now ? [commandAction("Since then", "alerts told", later, "replace")] : []),
        ...(happened.length > 0 || isOfWeek(range, now)
          ? []
          : [commandAction("The last 7 days", "alerts told", { since: "7d", network, about }, "replace")]),
        ...zoneActions(zone),
      ],
    });
    return zone === "UTC" ? said : inZone(said, zone);
  },
});

function isOne(lines: readonly ToldLine[], title: Text | undefined): boolean {
  return lines.length === 1 && title !== undefined;
}

function toneOf(worst: Episode | undefined): Tone {
  return worstTone(worst !== undefined && isOpen(worst) ? [worst] : []);
}

/** What to do about the worst alert. */
async function alertActions(episode: Episode | undefined, context: AlertsContext): Promise<readonly Action[]> {
  if (episode === undefined) return [];
  const named = { episode: episodeName(episode.id) };
  const isUntaken = isOpen(episode) && episode.acknowledged === undefined;
  const mayTake = isUntaken && (await mayAcknowledge(episode, context));
  return [
    commandAction("Why", "alerts why", named),
    ...(mayTake ? [commandAction("Acknowledge", "alerts ack", named)] : []),
  ];
}

function whereWords({
  about,
  network,
}: {
  readonly about?: string | undefined;
  readonly network?: string | undefined;
}): string {
  return `${about === undefined ? "" : ` of ${about}`}${network === undefined ? "" : ` on ${network}`}`;
}

/** Whether a line tells of that node or market. */
function isAbout(name = ""): (line: ToldLine) => boolean {
  return ({ what }) => what.toLowerCase().includes(name.toLowerCase());
}

/** Who took the alerts; of several, the table says which. */
function takenWords(lines: readonly ToldLine[]): string {
  const alerts = lines.filter(({ isAlert }) => isAlert);
  const takers = [...new Set(alerts.map(({ taker }) => taker).filter((taker) => taker !== "–"))];
  if (alerts.length === 0) return "";
  return takers.length === 0
    ? ` Nobody has taken ${alerts.length === 1 ? "it" : "any"}.`
    : ` Taken by ${listWords(takers, " and ")}.`;
}

/** Since when the time is known in which something happened, where that is not all of it. */
function knownWords(
  since: Milliseconds,
  { from }: Stretch,
  lines: readonly ToldLine[],
  shown: (at: Milliseconds) => Inline,
): Text {
  const isPart = since > from && lines.length > 0 && lines.every(({ at }) => at >= since);
  return isPart ? text`; known only since ${shown(since)}` : [];
}

/** `last night`, where that is all that was said of the time. */
function namedSpan({
  when = "",
  since,
  until,
}: Partial<Record<"when" | "since" | "until", string | undefined>>): string {
  const span = when.trim().toLowerCase();
  return NAMED_SPANS.has(span) && since === undefined && until === undefined ? span : "";
}

/** Spans of time that a first line names as they were typed. */
const NAMED_SPANS: ReadonlySet<string> = new Set([LAST_NIGHT, "overnight", "this morning", "yesterday", "today"]);
const WEEK = 7 * DAY;

function isOfWeek({ from, to }: Stretch, now: Milliseconds): boolean {
  return from <= now - WEEK && to >= now;
}

/** For whoever has no zone of their own. */
function zoneActions(zone: string): readonly Action[] {
  return zone === "UTC" ? [{ ...commandAction("Set my time zone", "my zone"), form: true }] : [];
}

function keptWords({ from }: Stretch, kept: Milliseconds, zone: string): readonly TextPart[] {
  return from < kept ? [text`What is over is kept for 30 days: since ${momentOf(kept, zone)}.`] : [];
}

/** How often the way of alerts was tested, which is no news. */
function testsWords(lines: readonly ToldLine[]): readonly string[] {
  const tests = lines.reduce((sum, { isDrill, count }) => sum + (isDrill ? count : 0), 0);
  return tests === 0 ? [] : [counted(tests, "test")];
}

/** `mainnet made no block for 9 min 20 s from 13:55; 8 more alerts and 5 other events`: the worst, and the rest counted. */
function happenedWords(
  lines: readonly ToldLine[],
  shown: (at: Milliseconds) => Inline,
  tests: readonly string[],
): Text | undefined {
  const [worst, ...others] = worstFirst(lines);
  if (worst === undefined) return undefined;
  const { first, lasted, at, isAlert, count } = worst;
  const what = first.isOver
    ? text`${first.words} for ${lasted} from ${shown(at)}`
    : text`${first.words}${isAlert ? `, ${lasted}` : ""}`;
  const sum = (of: boolean): number => others.reduce((all, one) => all + (one.isAlert === of ? one.count : 0), 0);
  const [alerts, events] = [sum(true) + (isAlert ? count - 1 : 0), sum(false)];
  const rest = listWords(
    [
      ...(alerts > 0 ? [counted(alerts, isAlert ? "more alert" : "alert")] : []),
      ...(events > 0 ? [counted(events, "other event")] : []),
      ...tests,
    ],
    " and ",
  );
  return text`${what}${rest === "" ? "" : `; ${rest}`}`;
}

function asSentence([first, ...rest]: Text): Text {
  return first?.kind === "text" ? [{ ...first, text: capitalised(first.text) }, ...rest] : rest;
}

function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
