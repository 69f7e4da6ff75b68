import { deliverySubject } from "../src/alerts/message/delivery-subject.ts";
import { callerZone, parsePastRange, pastRangeWords } from "../src/answers/alerts/alert-times.ts";
import { TOLD_OPTIONS } from "../src/answers/alerts/episodes/episode-options.ts";
import { readablePlaces, toldLines, toldTables } from "../src/answers/alerts/episodes/told.ts";
import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
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
    "happen|miss|go|went|break|broke|fail|fire|fired|come|came|news|new|summary|recap|overview|wrong|alert|incident|problem|issue|trouble|outage|page|anything|told|tell|change|report|catch|bring|speed night|overnight|asleep|slept|sleep|{when}|{since}",
    "was|were|did|had|have|any quiet|calm|busy|fine|page|problem|issue|trouble|incident|outage|down|alert night|overnight|{when}|{since}",
    "miss|overnight",
    "last|during night",
    "recap|summary",
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
    const range = parsePastRange(options, now, zone) ?? parsePastRange({ when: "last night" }, now, zone);
    if (range === undefined) throw new TypeError("last night is no time");
    const { keys, words } = await readablePlaces(context);
    const { told, more } = await alerts.told({ ...range, destinations: keys, limit: MAX_MESSAGES });
    const { network } = options;
    const isOn = (one: (typeof told)[number]): boolean =>
      network === undefined || deliverySubject(one.message, "").network === network;
    const lines = toldLines(told.filter(isOn), context, now);
    const what = `${formatCount(lines.length)} ${lines.length === 1 ? "thing was" : "things were"}`;
    const on = network === undefined ? "" : ` on ${network}`;
    const kept = now - alerts.retention;
    const notes = [
      words,
      ...(more ? [`Of that time, the last ${formatCount(MAX_MESSAGES)} messages were read.`] : []),
      ...(range.from < kept ? [`What is over is kept for 30 days: since ${localText(zone, kept)}.`] : []),
      ...(zone === "UTC" ? [text`${commandLine("my zone <zone>")} sets your clock.`] : []),
    ];
    return reply({
      title: `${lines.length === 0 ? "Nothing was" : what} told${on} ${pastRangeWords(range, now, zone)}`,
      blocks: [...toldTables(lines, context, zone), paragraph(joinText(notes, " "))],
      actions: lines.length > 0 ? [] : [commandAction("The last 7 days", "alerts told", { since: "7d" }, "replace")],
    });
  },
});
