import { deliverySubject } from "../src/alerts/message/delivery-subject.ts";
import { callerZone, parsePastRange, pastRangeText } from "../src/answers/alerts/alert-times.ts";
import { TOLD_OPTIONS } from "../src/answers/alerts/episodes/episode-options.ts";
import { readablePlaces, toldLines, toldTable, toldTables, worstFirst } from "../src/answers/alerts/episodes/told.ts";
import { command } from "../src/bot/command.ts";
import { LAST_NIGHT } from "../src/bot/options/time-span.ts";
import { details, paragraph } from "../src/reply/block.ts";
import { commandAction, reply } from "../src/reply/reply.ts";
import { commandLine, joinText, text } from "../src/reply/text.ts";
import { formatCount } from "../src/units/format-number.ts";
import { localText } from "../src/units/local-time.ts";
import { toMillis } from "../src/units/nanoseconds.ts";

/** Messages that are read at most. */
const MAX_MESSAGES = 2000;

export const alertsTold = command({
  name: "alerts told",
  alsoCalled: ["last night", "told"],
  asked: [
    "happen|miss|go|went|event|break|broke|fail|fire|fired|come|came|news|new|summary|recap|overview|wrong|alert|incident|problem|issue|trouble|outage|page|anything|told|tell|change|report|catch|bring|speed night|overnight|asleep|slept|sleep|{when}|{since}",
    "was|were|did|had|have|any quiet|calm|busy|fine|page|problem|issue|trouble|incident|outage|down|alert night|overnight|{when}|{since}",
    "miss|overnight",
    "last|during night",
    "recap|summary|report",
    "alert told recap|summary|report|overview|news",
    "happen",
    "told",
    "catch up",
    "while asleep|slept|sleep|away|gone",
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
    const isNight = isLastNight(options);
    const { keys, words } = await readablePlaces(context);
    const { told, more } = await alerts.told({ ...range, destinations: keys, limit: MAX_MESSAGES });
    const { network } = options;
    const isOn = (one: (typeof told)[number]): boolean =>
      network === undefined || deliverySubject(one.message, "").network === network;
    const lines = toldLines(told.filter(isOn), context, now, zone);
    const on = network === undefined ? "" : ` on ${network}`;
    const kept = now - alerts.retention;
    const when = pastRangeText(range, now, zone);
    const notes = [
      ...(isNight ? [text`That is ${when}.`] : []),
      words,
      ...(more ? [`Of that time, the last ${formatCount(MAX_MESSAGES)} messages were read.`] : []),
      ...(range.from < kept ? [`What is over is kept for 30 days: since ${localText(zone, kept)}.`] : []),
      ...(zone === "UTC" ? [text`${commandLine("my zone <zone>")} sets your clock.`] : []),
    ];
    const later = { since: localText(zone, range.to), network };
    const days = toldTables(lines, context, zone);
    const isLong = lines.length > FIRST_LINES;
    const first = { name: "alerts-told-first", title: text`What matters most`, zone, from: 0 };
    return reply({
      title: text`${countWords(lines)} told${on} ${isNight ? text`last night` : when}`,
      blocks: [
        ...(isLong ? [toldTable(worstFirst(lines).slice(0, FIRST_LINES), first, context)] : days),
        paragraph(joinText(notes, " ")),
        ...(isLong ? details(days) : []),
      ],
      actions: [
        ...(range.to < now ? [commandAction("Since then", "alerts told", later, "reply")] : []),
        ...(lines.length > 0 || (range.from <= now - WEEK && range.to >= now)
          ? []
          : [commandAction("The last 7 days", "alerts told", { since: "7d", network }, "replace")]),
      ],
    });
  },
});

const WEEK = 7 * 86_400_000;
/** More are below the fold, by their days. */
const FIRST_LINES = 5;

function isLastNight({ when, since, until }: Partial<Record<"when" | "since" | "until", string | undefined>>): boolean {
  return when?.trim().toLowerCase() === LAST_NIGHT && since === undefined && until === undefined;
}

/** `2 alerts and 19 other things were` */
function countWords(lines: readonly { readonly isAlert: boolean }[]): string {
  if (lines.length === 0) return "Nothing was";
  const alerts = lines.filter(({ isAlert }) => isAlert).length;
  const others = lines.length - alerts;
  const counted = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
  const words = [
    ...(alerts > 0 ? [counted(alerts, "alert")] : []),
    ...(others > 0 ? [counted(others, alerts > 0 ? "other thing" : "thing")] : []),
  ];
  return `${words.join(" and ")} ${lines.length === 1 ? "was" : "were"}`;
}
