import type { AlertDesk } from "../alerts/alert-desk.ts";
import type { Table } from "../reply/block.ts";
import { time, toText } from "../reply/text.ts";
import type { DecisionRow, DeliveryRow, ReceiptRow } from "../store/alert-ports.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import { keyWords } from "./alert-story.ts";
import { fateOf } from "./delivery-fate.ts";

/** As far back as is looked, of decisions and of messages each. */
export const MAX_LOGGED = 20_000;

/** One line of the log: something that was decided, or became of a message. */
export type LogRow = DecisionRow;

/** What was decided and what became of messages, newest first; `here` narrows to a destination and what is about none. */
export async function readLog(desk: Pick<AlertDesk, "log" | "settled">, here: string | undefined): Promise<LogRow[]> {
  const [decisions, { rows, receipts }] = await Promise.all([
    desk.log({ limit: MAX_LOGGED }),
    desk.settled(MAX_LOGGED, here),
  ]);
  const byDelivery = new Map(receipts.map((one) => [one.delivery, one]));
  const own = decisions.filter(({ destination }) => here === undefined || destination === null || destination === here);
  return [...own, ...rows.map((row) => messageRow(row, byDelivery.get(row.id)))].toSorted((a, b) => b.at - a.at);
}

function messageRow(row: DeliveryRow, receipt: ReceiptRow | undefined): LogRow {
  const { at, word, detail } = fateOf(row, receipt);
  const { episode, destination, id: delivery } = row;
  const network = episode?.split("|")[1] ?? null;
  const what = `${row.kind === "edit" ? `${row.phase} (edit)` : row.phase} ${word}`;
  return { at, what, network, episode, destination, delivery, detail };
}

/** Whether any part of a line has this in it, in lower case. */
export function hasWords(row: LogRow, wanted: string): boolean {
  const { what, network, episode, destination, delivery, detail } = row;
  return [what, network, episode, destination, delivery, detail].some(
    (part) => part?.toLowerCase().includes(wanted) === true,
  );
}

export function logTable(rows: readonly LogRow[], here: string | undefined): Table {
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
      toText(detail === null || detail === "" ? "–" : detail),
    ]),
  };
}
