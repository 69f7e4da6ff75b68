import { callerZone, parsePastRange, pastRangeWords, splitPast } from "../src/answers/alerts/alert-times.ts";
import { destinationHere, isOperator } from "../src/answers/alerts/destination.ts";
import { logFile, logPage, logTable, MAX_LOG_ENTRIES, searchLog } from "../src/answers/alerts/episodes/alert-log.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { details, paragraph } from "../src/reply/block.ts";
import { type Action, type Ask, commandAction, inZone, reply, type Reply } from "../src/reply/reply.ts";
import { text, time } from "../src/reply/text.ts";
import { formatCount } from "../src/units/format-number.ts";
import { fromMillis, toMillis } from "../src/units/time.ts";
import { withoutUndefined } from "../src/units/without-undefined.ts";
import { destinationKey } from "../src/alerts/destination.ts";
import { LOG_OPTIONS } from "../src/answers/alerts/episodes/episode-options.ts";

/** About two screens of a phone. */
const PAGE_ROWS = 15;

type Context = CommandContext<typeof LOG_OPTIONS>;

export const alertsLog = command({
  name: "alerts log",
  alsoCalled: ["given up", "resolved"],
  asked: ["log", "which|what sent|decided|delivered|suppressed|held", "history|past alert"],
  summary: "What was decided and sent, newest first",
  verb: "Show alert log",
  examples: [
    "alerts log",
    "alerts log node.down",
    "alerts log sent last night",
    "alerts log suppressed page:2",
    "alerts log file:yes",
  ],
  options: LOG_OPTIONS,
  run: async (context) => {
    const { what, network, since, until, page = 1, file } = context.options;
    const filter = await readFilter(context);
    const { rows, lines, more, shown, searched } = await readLog(context, page, filter);
    if (lines === 0) return emptyReply(searched, filter.words);
    const narrowed = withoutUndefined({ what, network, since, until });
    const ask = (label: string, options: Ask["options"], effect: "replace" | "reply"): Action => ({
      label,
      invocation: { command: "alerts log", options: { ...narrowed, ...options } },
      effect,
    });
    const pages = pagesOf(lines);
    const [first] = page === 1 ? shown : [];
    const isNamed = filter.range !== undefined || filter.zone !== "UTC";
    // Without a range, nothing else names the zone.
    const named = isNamed && filter.range === undefined ? ` (${filter.zone})` : "";
    const newest = first === undefined ? [] : text`, the last ${time(fromMillis(first.at))}${named}`;
    const place = pages === 1 ? "" : `, page ${page} of ${pages}`;
    const limit = paragraph(`It looks through the last ${formatCount(MAX_LOG_ENTRIES)} decisions and messages.`);
    const said = reply({
      title: text`${decisionsWords(lines)}${filter.words}${place}${newest}`,
      blocks: [logTable(shown, context), ...(more ? details([limit]) : [])],
      attachments: file ? [await logFile(rows, context)] : [],
      actions: [
        ...(page > 1 ? [ask("Newer", { page: page - 1 }, "replace")] : []),
        ...(page < pages ? [ask("Older", { page: page + 1 }, "replace")] : []),
        ...(file ? [] : [ask("As a file", { file: true }, "reply")]),
      ],
    });
    return isNamed ? inZone(said, filter.zone) : said;
  },
});

/** What the question narrows: a text, a time by the caller's clock, a network; and in words. */
async function readFilter(context: Context) {
  const { what, network, since, until } = context.options;
  const now = toMillis(context.now());
  const zone = await callerZone(context);
  const { text: typed, given } = splitPast(what ?? "", now, zone);
  const range = parsePastRange({ ...given, ...withoutUndefined({ since, until }) }, now, zone);
  const wanted = typed === "" ? undefined : typed;
  const words = [
    ...(wanted === undefined ? [] : [`with ${wanted}`]),
    ...(network === undefined ? [] : [`on ${network}`]),
    ...(range === undefined ? [] : [pastRangeWords(range, now, zone)]),
  ];
  return {
    wanted: wanted?.trim().toLowerCase(),
    network,
    range,
    zone,
    words: words.map((word) => ` ${word}`).join(""),
  };
}

type Filter = Awaited<ReturnType<typeof readFilter>>;

/** The rows that the question asks for, and those of its page; a question that narrows nothing reads its page alone. */
async function readLog({ alerts, options, signal, ...context }: Context, page: number, filter: Filter) {
  const here = isOperator(context) ? undefined : destinationKey(destinationHere(context));
  if (filter.words === "" && !options.file) {
    const read = await logPage(alerts, here, (lines) => rangeOf(page, lines));
    return { ...read, shown: read.rows, searched: read.lines };
  }
  const { rows, more, searched } = await searchLog(alerts, { here, ...filter, signal });
  const { from, to } = rangeOf(page, rows.length);
  return { rows, more, searched, lines: rows.length, shown: rows.slice(from, to) };
}

function emptyReply(searched: number, words: string): Reply {
  if (searched === 0) return reply({ title: "Nothing is in the log" });
  return reply({
    title: text`The log has ${decisionsWords(searched)}, and none${words}`,
    actions: [commandAction("The whole log", "alerts log", {}, "replace")],
  });
}

function decisionsWords(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "decision" : "decisions"}`;
}

function pagesOf(lines: number): number {
  return Math.max(1, Math.ceil(lines / PAGE_ROWS));
}

/**
 * The lines of a page.
 * @throws UserError where there is no such page.
 */
function rangeOf(page: number, lines: number): { from: number; to: number } {
  const pages = pagesOf(lines);
  if (page > pages) {
    throw new UserError(`There ${pages === 1 ? "is one page" : `are ${pages} pages`}, no page ${page}.`, {
      option: "page",
      remedy: "The newest is page 1.",
    });
  }
  return { from: (page - 1) * PAGE_ROWS, to: page * PAGE_ROWS };
}
