import { setImmediate } from "node:timers/promises";

import { LRUCache } from "lru-cache";

import { deliverySubject } from "../../../alerts/message/delivery-subject.ts";
import type { AlertMessage } from "../../../alerts/message/message.ts";
import { episodeName } from "../../../alerts/judge/rules/episode.ts";
import type { AlertService, LogEntry } from "../../../alerts/service/service.ts";
import { happening } from "../../../alerts/words/condition-words.ts";
import { kindNoun, type Labels } from "../../../alerts/words/subscription-words.ts";
import { describe } from "../../../alerts/words/words.ts";
import { type Attachment, memoryAttachment, withTimes } from "../../../reply/reply.ts";
import { table, type Table } from "../../../reply/block.ts";
import { tableToCsv } from "../../../reply/csv.ts";
import { shortText } from "../../../reply/fold.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { code, type Inline, type Text, time } from "../../../reply/text.ts";
import { fromMillis, type Stretch } from "../../../units/time.ts";
import type { DecisionRow, LoggedDelivery } from "../../../store/alert-tables/alert-tables.ts";
import { type CallerContext, destinationKeyWords } from "../destination.ts";
import { decisionWords, phaseWords, storedName, summarizeDelivery } from "./episode-timeline.ts";
import { episodeLabel } from "./episodes.ts";
import { watchedMarketLabels } from "./network-status.ts";

/** How many decisions, and how many messages, are read at most. */
export const MAX_LOG_ENTRIES = 20_000;
/** Ids of parties, markets and orders; the prefix identifies one. */
const LONG_ID = /\b([0-9a-f]{8})[0-9a-f]{56}\b/gu;
/** How many recent episodes are read for the names that they and their markets have. */
const MAX_NAMED_EPISODES = 500;
/** Rows written to a file at a time. */
const FILE_CHUNK_ROWS = 1000;

/** Which rows of the log are asked for. */
interface LogSearch {
  /** A destination's key: rows about it or about none. */
  readonly here: string | undefined;
  /** In lower case. */
  readonly wanted: string | undefined;
  readonly network: string | undefined;
  readonly range?: Stretch | undefined;
  readonly signal: AbortSignal;
}

/** Entries read at a time: a few milliseconds' work, after which the event loop runs. */
const SEARCH_BATCH_ENTRIES = 500;

/** One page of the whole log; reads only the entries that it shows. `range` picks them, given their number. */
export async function logPage(
  alerts: LogSource,
  here: string | undefined,
  range: (entries: number) => { readonly from: number; readonly to: number },
): Promise<{ readonly rows: readonly LogRow[]; readonly lines: number; readonly more: boolean }> {
  const of = { within: MAX_LOG_ENTRIES, destination: here };
  const { entries, more } = await alerts.log.count(of);
  const { from, to } = range(entries);
  const rows = await createLogRowWriter(alerts)(await alerts.log.page(of, from, to));
  return { rows: newestFirst(rows), lines: entries, more };
}

/** All rows that match, newest first, and how many were looked through. Rejects with the signal's reason. */
export async function searchLog(
  alerts: LogSource,
  { here, wanted, network, range, signal }: LogSearch,
): Promise<{ readonly rows: readonly LogRow[]; readonly more: boolean; readonly searched: number }> {
  const of = { within: MAX_LOG_ENTRIES, destination: here };
  const { entries: searched, more } = await alerts.log.count(of);
  const write = createLogRowWriter(alerts);
  const found: LogRow[] = [];
  for await (const entries of alerts.log.batches(of, SEARCH_BATCH_ENTRIES)) {
    for (const row of await write(entries)) {
      const isThere = network === undefined || row.network === network;
      const isThen = range === undefined || (row.at >= range.from && row.at < range.to);
      if (isThere && isThen && (wanted === undefined || rowIncludes(row, wanted))) found.push(row);
    }
    await setImmediate();
    signal.throwIfAborted();
  }
  return { rows: newestFirst(found), more, searched };
}

/** A receipt may be a moment older than its delivery's entry. */
function newestFirst(rows: readonly LogRow[]): LogRow[] {
  return rows.toSorted((a, b) => b.at - a.at);
}

/** One row of the log: a decision, or the outcome of a delivery. */
interface LogRow extends DecisionRow {
  /** The id of a message about no episode, and its kind. */
  readonly message?: string;
  readonly kind?: string;
  /** The alert, or what a message says: `a:1 on mainnet does not answer`. */
  readonly about?: string;
  /** The detail as people read it. */
  readonly more: string;
}

type LogSource = Pick<AlertService, "log" | "messages" | "snapshot" | "lastEpisodes">;

/** Turns entries into rows with names instead of ids, in their order. */
function createLogRowWriter(alerts: LogSource): (entries: readonly LogEntry[]) => Promise<LogRow[]> {
  const known = new Set<string | null>([null]);
  const about = new Map<string, string>();
  const labels: Record<string, string> = {};
  let loaded: Promise<void> | undefined;
  /** Recent episodes name themselves, and markets that the watchers no longer list. */
  const loadEpisodes = async (): Promise<void> => {
    for (const episode of await alerts.lastEpisodes(MAX_NAMED_EPISODES)) {
      const label = episodeLabel(episode);
      if (label !== undefined) labels[episode.subject] ??= label;
      about.set(episode.id, plainText(happening(episode)));
    }
  };
  const aboutEpisode = (id: string): string => {
    const words = about.get(id) ?? episodeWords(id, labels);
    about.set(id, words);
    return words;
  };
  return async (entries) => {
    await (loaded ??= loadEpisodes());
    const rows = entries.map(toLogRow);
    for (const { network } of rows) {
      if (network === null || known.has(network)) continue;
      known.add(network);
      Object.assign(labels, await watchedMarketLabels(network, alerts));
    }
    const written = rows.map((row) => {
      const detail = row.detail?.replaceAll(LONG_ID, (id) => labels[id] ?? id) ?? null;
      const { episode } = row;
      if (episode === null) return { ...row, detail, more: decisionWords(detail, "") };
      const [, , subject = ""] = episode.split("|");
      const more = decisionWords(detail, storedName(episode, labels[subject]));
      return { ...row, detail, more, about: aboutEpisode(episode) };
    });
    return withMessageSubjects(alerts, written);
  };
}

/** `node outages of a:1 on mainnet`: of an episode that is not among the recent ones. */
function episodeWords(id: string, labels: Labels): string {
  const [rule = "", network = "", subject = ""] = id.split("|");
  const of = subject === "" ? "" : ` of ${labels[subject] ?? subject.replace(LONG_ID, "$1")}`;
  return `${kindNoun(rule.replace(/\{.*/u, ""))}${of} on ${network}`;
}

function commonColumns({ episode, destination, id }: LoggedDelivery) {
  return { network: episode?.split("|")[1] ?? null, episode, destination, delivery: id };
}

function toLogRow(entry: LogEntry): Omit<LogRow, "more"> {
  switch (entry.of) {
    case "decision":
      return entry.row;
    case "owed":
      return { ...commonColumns(entry.row), at: entry.at, what: `${phaseWords(entry.row)} due`, detail: null };
    case "outcome": {
      const { row } = entry;
      const { at, word, detail } = summarizeDelivery(row, entry.receipt);
      const columns = { ...commonColumns(row), at, what: `${phaseWords(row)} ${word}`, detail };
      return row.episode === null ? { ...columns, message: row.message } : columns;
    }
  }
}

/** The subjects of messages about no episode, by message id: equal ids mean equal contents, so each is read once. */
const messageSubjects = new LRUCache<
  string,
  { readonly about: string; readonly kind: string; readonly network: string }
>({ maxSize: MAX_LOG_ENTRIES, sizeCalculation: () => 1 });

/** The same rows; messages about no episode say their subject. */
async function withMessageSubjects(alerts: Pick<AlertService, "messages">, rows: readonly LogRow[]): Promise<LogRow[]> {
  const ids = new Set(rows.flatMap(({ message }) => (message === undefined ? [] : [message])));
  for (const [id, said] of await alerts.messages([...ids].filter((id) => !messageSubjects.has(id)))) {
    const { kind, network } = deliverySubject(said, "");
    messageSubjects.set(id, { about: messageWords(said), kind, network });
  }
  return rows.map((row) => {
    const said = messageSubjects.get(row.message ?? "");
    return said === undefined ? row : { ...row, ...said, network: said.network === "" ? row.network : said.network };
  });
}

/** The first line of a message; in fewer words what it counts, or who changed something. */
function messageWords(message: AlertMessage): string {
  switch (message.type) {
    case "digest":
      return `${message.episodes.length + message.events.length} in one message (${message.reason})`;
    case "change":
      return `${message.change.what} by ${message.by}`;
    default:
      return plainText(shortText(describe(message).title)).replace(/^SIMULATED · /u, "");
  }
}

/** Whether any part of a row contains the words, which are in lower case. */
function rowIncludes(row: LogRow, wanted: string): boolean {
  const { what, about = null, kind = null, network, episode, destination, delivery, detail, more } = row;
  const name = episode === null ? null : episodeName(episode);
  return [what, about, kind, network, episode, name, destination, delivery, detail, more].some(
    (part) => part?.toLowerCase().includes(wanted) === true,
  );
}

/** All rows as a CSV file, written in chunks that yield to the event loop. */
export async function logFile(rows: readonly LogRow[], context: CallerContext): Promise<Attachment> {
  const parts: string[] = [];
  for (let from = 0; from < rows.length; from += FILE_CHUNK_ROWS) {
    const csv = tableToCsv(logTable(rows.slice(from, from + FILE_CHUNK_ROWS), context, true));
    parts.push(from === 0 ? csv : csv.slice(csv.indexOf("\n") + 1));
    await setImmediate();
  }
  return memoryAttachment("alerts-log.csv", "text/csv", parts.join(""));
}

/** `alert sent · a:1 on mainnet does not answer`: on a phone there is room for no other column. */
function whatHappened({ what, about, network }: LogRow): string {
  const of = about ?? network;
  return of === null ? what : `${what} · ${of}`;
}

/**
 * Ids of episodes are short in messages, and `whole` in files, which name the alert in a column of its own. Ids come
 * last: a table that is cut or scrolls hides them first.
 */
export function logTable(rows: readonly LogRow[], context: CallerContext, whole = false): Table {
  const placeOf = destinationKeyWords(context);
  const whenOf = ({ at }: LogRow): Inline => time(fromMillis(at));
  const whereOf = ({ destination }: LogRow): Text => placeOf(destination);
  return table<LogRow>({
    name: "alerts-log",
    rows,
    columns: whole
      ? [
          ["When", whenOf],
          ["What", ({ what }) => what],
          ["Network", ({ network }) => network ?? "–"],
          ["More", ({ about = "", more }) => [about, more].filter((part) => part !== "").join(": ") || "–"],
          ["Where", whereOf],
          ["Episode", ({ episode }) => episode ?? "–"],
          ["Delivery", ({ delivery }) => delivery ?? "–"],
        ]
      : [
          ["What", (row) => withTimes(whatHappened(row))],
          ["When", whenOf],
          ["More", ({ more }) => (more === "" ? "–" : withTimes(more.replaceAll(LONG_ID, "$1…"))), 2],
          ["Where", whereOf, 3],
          ["Episode", ({ episode }) => (episode === null ? "–" : code(episodeName(episode))), 3],
          ["Delivery", ({ delivery }) => delivery ?? "–", 3],
        ],
  });
}
