import { LOG_OPTIONS } from "../src/answers/alert-options.ts";
import { destinationHere, isOperator } from "../src/answers/alert-place.ts";
import { keyWords } from "../src/answers/alert-story.ts";
import type { AlertDesk } from "../src/alerts/alert-desk.ts";
import { destinationKey } from "../src/alerts/subscription.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { paragraph, type Block, type Table } from "../src/reply/block.ts";
import { tableAttachment } from "../src/reply/csv.ts";
import { reply, type Action } from "../src/reply/reply.ts";
import { text, time, toText } from "../src/reply/text.ts";
import { countWords } from "../src/units/count-words.ts";
import { fromMillis } from "../src/units/nanoseconds.ts";

type DecisionRow = Awaited<ReturnType<AlertDesk["log"]>>[number];

/** What a phone shows without tiring the thumb. */
const PAGE_ROWS = 15;
/** As far back as is looked. */
const MAX_ROWS = 20_000;

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
    const all = await alerts.log({ limit: MAX_ROWS });
    const wanted = options.what?.trim().toLowerCase();
    const rows = all.filter((row) => isShown(row, here) && (wanted === undefined || contains(row, wanted)));
    const { page = 1 } = options;
    const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
    if (page > pages) {
      throw new UserError(`There ${pages === 1 ? "is one page" : `are ${pages} pages`}, no page ${page}.`, {
        option: "page",
        remedy: "The newest is page 1.",
      });
    }
    const shown = rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
    const of = options.what === undefined ? [] : text` with ${options.what}`;
    const blocks: Block[] = [tableOf(shown, here)];
    if (all.length === MAX_ROWS)
      blocks.push(paragraph(`Only the last ${countWords(MAX_ROWS)} decisions are looked through.`));
    const go = (label: string, to: number): Action => ({
      label,
      invocation: {
        command: "alerts log",
        options: { ...(options.what === undefined ? {} : { what: options.what }), page: to },
      },
      effect: "replace",
    });
    const asFile: Action = {
      label: "As a file",
      invocation: {
        command: "alerts log",
        options: { ...(options.what === undefined ? {} : { what: options.what }), file: true },
      },
      effect: "reply",
    };
    return reply({
      title:
        rows.length === 0
          ? text`No decisions${of} are kept`
          : text`${countWords(rows.length)} decisions${of}${pages === 1 ? "" : `, page ${page} of ${pages}`}`,
      blocks: rows.length === 0 ? [] : blocks,
      attachments: options.file && rows.length > 0 ? [tableAttachment(tableOf(rows, here))] : [],
      actions: [
        ...(page > 1 ? [go("Newer", page - 1)] : []),
        ...(page < pages ? [go("Older", page + 1)] : []),
        ...(options.file || rows.length === 0 ? [] : [asFile]),
      ],
    });
  },
});

/** What is about other channels is theirs. */
function isShown({ destination }: DecisionRow, here: string | undefined): boolean {
  return here === undefined || destination === null || destination === here;
}

function contains(row: DecisionRow, wanted: string): boolean {
  const { what, network, episode, destination, delivery, detail } = row;
  return [what, network, episode, destination, delivery, detail].some(
    (part) => part?.toLowerCase().includes(wanted) === true,
  );
}

function tableOf(rows: readonly DecisionRow[], here: string | undefined): Table {
  return {
    kind: "table",
    name: "alerts-log",
    columns: [
      { title: "When" },
      { title: "What" },
      { title: "Network", priority: 3 },
      { title: "Episode", priority: 2 },
      { title: "Where", priority: 3 },
      { title: "Delivery", priority: 3 },
      { title: "More", priority: 2 },
    ],
    rows: rows.map(({ at, what, network, episode, destination, delivery, detail }) => [
      toText(time(fromMillis(at))),
      toText(what),
      toText(network ?? "–"),
      toText(episode ?? "–"),
      keyWords(destination, here),
      toText(delivery ?? "–"),
      toText(detail ?? "–"),
    ]),
  };
}
