import { hasWords, logTable, MAX_LOGGED, readLog, sayingWhat } from "../src/answers/alert-log.ts";
import { LOG_OPTIONS } from "../src/answers/alert-options.ts";
import { destinationHere, isOperator } from "../src/answers/alert-place.ts";
import { destinationKey } from "../src/alerts/subscription.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { paragraph, type Block } from "../src/reply/block.ts";
import { tableAttachment } from "../src/reply/csv.ts";
import { reply, type Action } from "../src/reply/reply.ts";
import { text } from "../src/reply/text.ts";
import { countWords } from "../src/units/count-words.ts";

/** What a phone shows without tiring the thumb. */
const PAGE_ROWS = 15;

export const alertsLog = command({
  name: "alerts log",
  summary: "What was decided and sent, newest first; as a file, all of it",
  examples: ["alerts log", "alerts log node.down", "alerts log suppressed page:2", "alerts log file:yes"],
  access: "everyone",
  audience: "caller",
  options: LOG_OPTIONS,
  run: async (context) => {
    const { alerts, options } = context;
    const here = isOperator(context) ? undefined : destinationKey(destinationHere(context));
    const every = await readLog(alerts, here);
    const wanted = options.what?.trim().toLowerCase();
    const { network } = options;
    const all = wanted !== undefined || network !== undefined || options.file ? await sayingWhat(alerts, every) : every;
    const there = network === undefined ? all : all.filter((row) => row.network === network);
    const rows = wanted === undefined ? there : there.filter((row) => hasWords(row, wanted));
    const { page = 1 } = options;
    const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
    if (page > pages) {
      throw new UserError(`There ${pages === 1 ? "is one page" : `are ${pages} pages`}, no page ${page}.`, {
        option: "page",
        remedy: "The newest is page 1.",
      });
    }
    const shown = await sayingWhat(alerts, rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS));
    const of = text`${options.what === undefined ? [] : text` with ${options.what}`}${network === undefined ? [] : text` on ${network}`}`;
    const narrowed = {
      ...(options.what === undefined ? {} : { what: options.what }),
      ...(network === undefined ? {} : { network }),
    };
    const blocks: Block[] = [logTable(shown, here)];
    if (every.length >= MAX_LOGGED)
      blocks.push(
        paragraph(`No more than the last ${countWords(MAX_LOGGED)} decisions and messages are looked through.`),
      );
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
        rows.length === 0
          ? text`Nothing${of} is in the log`
          : text`${countWords(rows.length)} lines${of}${pages === 1 ? "" : `, page ${page} of ${pages}`}`,
      blocks: rows.length === 0 ? [] : blocks,
      attachments: options.file && rows.length > 0 ? [tableAttachment(logTable(rows, here, true))] : [],
      actions: [
        ...(page > 1 ? [go("Newer", page - 1)] : []),
        ...(page < pages ? [go("Older", page + 1)] : []),
        ...(options.file || rows.length === 0 ? [] : [asFile]),
      ],
    });
  },
});
