import { deliverySubject } from "../src/alerts/message/delivery-subject.ts";
import { callerZone, localText, parsePastRange, pastRangeWords } from "../src/answers/alerts/alert-times.ts";
import { destinationHere, isOperator, directMessages, isSameDestination } from "../src/answers/alerts/destination.ts";
import { TOLD_OPTIONS } from "../src/answers/alerts/episodes/episode-options.ts";
import { readablePlaces, toldLines, toldTable, toldTables } from "../src/answers/alerts/episodes/told.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { type Block, paragraph } from "../src/reply/block.ts";
import { tableAttachment } from "../src/reply/csv.ts";
import { commandAction, reply } from "../src/reply/reply.ts";
import { text } from "../src/reply/text.ts";
import { formatCount } from "../src/units/format-number.ts";
import { toMillis } from "../src/units/nanoseconds.ts";

/** Messages that are read at most. */
const MAX_MESSAGES = 5000;
/** Lines that a reply shows; a file has all. */
const MAX_LINES = 60;

type Context = CommandContext<typeof TOLD_OPTIONS>;

export const alertsTold = command({
  name: "alerts told",
  alsoCalled: ["last night", "told"],
  summary: "What people were told: since 18:00 yesterday, or when you say",
  verb: "Show",
  title: "What people were told",
  examples: [
    "alerts told last night",
    "alerts told yesterday",
    "alerts told since:18:00",
    "alerts told since:7d until:3d",
  ],
  personal: true,
  options: TOLD_OPTIONS,
  run: async (context) => {
    const { alerts, options } = context;
    const now = toMillis(context.now());
    const zone = await callerZone(context);
    const { when, since, until } = options;
    const asked = when ?? since ?? until;
    const range = parsePastRange(asked === undefined ? { when: "last night" } : options, now, zone);
    if (range === undefined) throw new TypeError("a range without words");
    const destinations = await readablePlaces(context);
    const { told, more } = await alerts.told({ ...range, destinations, limit: MAX_MESSAGES });
    const fitting = told.filter(
      ({ message }) => options.network === undefined || deliverySubject(message, "").network === options.network,
    );
    const lines = toldLines(fitting, context, now);
    const shown = lines.slice(0, MAX_LINES);
    const count =
      lines.length === 0
        ? "Nothing was"
        : `${formatCount(lines.length)} ${lines.length === 1 ? "thing was" : "things were"}`;
    const on = options.network === undefined ? "" : ` on ${options.network}`;
    const notes = [
      scopeWords(context),
      ...(shown.length < lines.length ? [`${lines.length - shown.length} earlier ones are in the file.`] : []),
      ...(more
        ? [`It reads the last ${formatCount(MAX_MESSAGES)} messages of that time; give a shorter one for the rest.`]
        : []),
      ...(range.from < now - alerts.retention
        ? [`What is over is kept for 30 days: since ${localText(zone, now - alerts.retention).slice(0, 16)}.`]
        : []),
    ];
    const blocks: Block[] = [...toldTables(shown, context, zone), paragraph(notes.join(" "))];
    return reply({
      title: text`${count} told${on} ${pastRangeWords(range, now, zone)}`,
      blocks,
      attachments: shown.length < lines.length ? [tableAttachment(toldTable(lines, context, zone))] : [],
      actions: lines.length > 0 ? [] : [commandAction("The last 7 days", "alerts told", { since: "7d" }, "replace")],
    });
  },
});

/** Of which places the answer tells. */
function scopeWords(context: Context): string {
  if (isOperator(context)) return "All places.";
  const { caller, here } = context;
  if (caller.managesWorkspace === true && here.workspace !== undefined) {
    return `All channels of this ${context.platforms.workspaceNoun(here.platform)}, and your own watches.`;
  }
  if (isSameDestination(destinationHere(context), directMessages(context))) return "Your own watches.";
  return caller.mayManageChannel
    ? "This channel, and your own watches."
    : "Your own watches; what this channel was told, those who manage it can ask.";
}
