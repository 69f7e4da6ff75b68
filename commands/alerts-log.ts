import { destinationHere, isOperator } from "../src/answers/alerts/destination.ts";
import { logFile, logPage, logTable, MAX_LOG_ENTRIES, searchLog } from "../src/answers/alerts/episodes/alert-log.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { type Block, details, paragraph } from "../src/reply/block.ts";
import { type Action, reply } from "../src/reply/reply.ts";
import { text, time } from "../src/reply/text.ts";
import { formatCount } from "../src/units/format-number.ts";
import { fromMillis } from "../src/units/nanoseconds.ts";
import { destinationKey } from "../src/alerts/destination.ts";
import { LOG_OPTIONS } from "../src/answers/alerts/episodes/episode-options.ts";

/** About two screens of a phone. */
const PAGE_ROWS = 15;

export const alertsLog = command({
  name: "alerts log",
  alsoCalled: ["given up", "resolved"],
  summary: "What was decided and sent, newest first",
  verb: "Show log",
  examples: ["alerts log", "alerts log node.down", "alerts log suppressed page:2", "alerts log file:yes"],
  access: "everyone",
  audience: "caller",
  options: LOG_OPTIONS,
  run: async (context) => {
    const { alerts, options } = context;
    const here = isOperator(context) ? undefined : destinationKey(destinationHere(context));
    const wanted = options.what?.trim().toLowerCase();
    const { network, page = 1 } = options;
    const whole = wanted !== undefined || network !== undefined || options.file;
    const found = whole ? await searchLog(alerts, { here, wanted, network, signal: context.signal }) : undefined;
    const read =
      found === undefined
        ? await logPage(alerts, here, (lines) => rangeOf(page, lines))
        : { ...found, lines: found.rows.length };
    const pages = pagesOf(read.lines);
    const { from, to } = rangeOf(page, read.lines);
    const shown = found === undefined ? read.rows : found.rows.slice(from, to);
    const of = text`${options.what === undefined ? [] : text` with ${options.what}`}${network === undefined ? [] : text` on ${network}`}`;
    const narrowed = {
      ...(options.what === undefined ? {} : { what: options.what }),
      ...(network === undefined ? {} : { network }),
    };
    const [first] = page === 1 ? shown : [];
    const newest = first === undefined ? [] : text`, the last ${time(fromMillis(first.at))}`;
    const blocks: Block[] = [logTable(shown, context)];
    if (read.more) {
      blocks.push(
        ...details([paragraph(`It looks through the last ${formatCount(MAX_LOG_ENTRIES)} decisions and messages.`)]),
      );
    }
    const go = (label: string, to: number): Action => ({
      label,
      invocation: {
        command: "alerts log",
        options: { ...narrowed, page: to },
      },
      effect: "replace",
    });
    const asFile: Action = {
      label: "As a file",
      invocation: {
        command: "alerts log",
        options: { ...narrowed, file: true },
      },
      effect: "reply",
    };
    return reply({
      title:
        read.lines === 0
          ? text`Nothing${of} is in the log`
          : text`${formatCount(read.lines)} ${read.lines === 1 ? "decision" : "decisions"}${of}${pages === 1 ? "" : `, page ${page} of ${pages}`}${newest}`,
      blocks: read.lines === 0 ? [] : blocks,
      attachments: options.file && read.lines > 0 ? [await logFile(read.rows, context)] : [],
      actions: [
        ...(page > 1 ? [go("Newer", page - 1)] : []),
        ...(page < pages ? [go("Older", page + 1)] : []),
        ...(options.file || read.lines === 0 ? [] : [asFile]),
      ],
    });
  },
});

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
