import { destinationHere, isOperator } from "../src/answers/alerts/destination.ts";
import { logFile, logPage, logTable, MAX_LOG_ENTRIES, searchLog } from "../src/answers/alerts/episodes/alert-log.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { details, paragraph } from "../src/reply/block.ts";
import { type Action, type Ask, reply } from "../src/reply/reply.ts";
import { text, type Text, time } from "../src/reply/text.ts";
import { formatCount } from "../src/units/format-number.ts";
import { fromMillis } from "../src/units/nanoseconds.ts";
import { destinationKey } from "../src/alerts/destination.ts";
import { LOG_OPTIONS } from "../src/answers/alerts/episodes/episode-options.ts";

/** About two screens of a phone. */
const PAGE_ROWS = 15;

type Context = CommandContext<typeof LOG_OPTIONS>;

export const alertsLog = command({
  name: "alerts log",
  alsoCalled: ["given up", "resolved"],
  summary: "What was decided and sent, newest first",
  verb: "Show log",
  examples: ["alerts log", "alerts log node.down", "alerts log suppressed page:2", "alerts log file:yes"],
  options: LOG_OPTIONS,
  run: async (context) => {
    const { what, network, page = 1, file } = context.options;
    const { rows, lines, more, shown } = await readLog(context, page);
    if (lines === 0) return reply({ title: text`Nothing${narrowedWords(what, network)} is in the log` });
    const narrowed = { ...(what === undefined ? {} : { what }), ...(network === undefined ? {} : { network }) };
    const ask = (label: string, options: Ask["options"], effect: "replace" | "reply"): Action => ({
      label,
      invocation: { command: "alerts log", options: { ...narrowed, ...options } },
      effect,
    });
    const pages = pagesOf(lines);
    const [first] = page === 1 ? shown : [];
    const newest = first === undefined ? [] : text`, the last ${time(fromMillis(first.at))}`;
    const count = `${formatCount(lines)} ${lines === 1 ? "decision" : "decisions"}`;
    const place = pages === 1 ? "" : `, page ${page} of ${pages}`;
    const limit = paragraph(`It looks through the last ${formatCount(MAX_LOG_ENTRIES)} decisions and messages.`);
    return reply({
      title: text`${count}${narrowedWords(what, network)}${place}${newest}`,
      blocks: [logTable(shown, context), ...(more ? details([limit]) : [])],
      attachments: file ? [await logFile(rows, context)] : [],
      actions: [
        ...(page > 1 ? [ask("Newer", { page: page - 1 }, "replace")] : []),
        ...(page < pages ? [ask("Older", { page: page + 1 }, "replace")] : []),
        ...(file ? [] : [ask("As a file", { file: true }, "reply")]),
      ],
    });
  },
});

/** The rows that the question asks for, and those of its page; a question that narrows nothing reads its page alone. */
async function readLog({ alerts, options, signal, ...context }: Context, page: number) {
  const here = isOperator(context) ? undefined : destinationKey(destinationHere(context));
  const { what, network, file } = options;
  if (what === undefined && network === undefined && !file) {
    const read = await logPage(alerts, here, (lines) => rangeOf(page, lines));
    return { ...read, shown: read.rows };
  }
  const { rows, more } = await searchLog(alerts, { here, wanted: what?.trim().toLowerCase(), network, signal });
  const { from, to } = rangeOf(page, rows.length);
  return { rows, more, lines: rows.length, shown: rows.slice(from, to) };
}

function narrowedWords(what: string | undefined, network: string | undefined): Text {
  return text`${what === undefined ? [] : text` with ${what}`}${network === undefined ? [] : text` on ${network}`}`;
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
