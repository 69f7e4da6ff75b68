import { setImmediate } from "node:timers/promises";

import { LRUCache } from "lru-cache";

import { deliverySubject } from "../../../alerts/message/delivery-subject.ts";
import type { AlertMessage } from "../../../alerts/message/message.ts";
import { episodeName } from "../../../alerts/judge/rules/episode.ts";
import type { AlertService, LogEntry } from "../../../alerts/service/service.ts";
import type { Labels } from "../../../alerts/words/subscription-words.ts";
import { type Attachment, memoryAttachment } from "../../../reply/attachment.ts";
import { table, type Table } from "../../../reply/block.ts";
import { tableToCsv } from "../../../reply/csv.ts";
import { code, type Inline, type Text, time } from "../../../reply/text.ts";
import type { DecisionRow, LoggedDelivery } from "../../../store/alert-tables/alert-tables.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import { type CallerContext, destinationKeyWords } from "../destination.ts";
import { phaseWords, summarizeDelivery } from "./episode-timeline.ts";
import { episodeLabel } from "./episodes.ts";
import { watchedMarketLabels } from "./network-status.ts";

/** How many decisions, and how many messages, are read at most. */
export const MAX_LOG_ENTRIES = 20_000;
/** Ids of parties, markets and orders; the prefix identifies one. */
const LONG_ID = /\b([0-9a-f]{8})[0-9a-f]{56}\b/gu;
/** Recent episodes name the markets that the watchers no longer list. */
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

/** All rows that match, newest first. Rejects with the signal's reason. */
export async function searchLog(
  alerts: LogSource,
  { here, wanted, network, signal }: LogSearch,
): Promise<{ readonly rows: readonly LogRow[]; readonly more: boolean }> {
  const of = { within: MAX_LOG_ENTRIES, destination: here };
  const { more } = await alerts.log.count(of);
  const write = createLogRowWriter(alerts);
  const found: LogRow[] = [];
  for await (const entries of alerts.log.batches(of, SEARCH_BATCH_ENTRIES)) {
    for (const row of await write(entries)) {
      const isThere = network === undefined || row.network === network;
      if (isThere && (wanted === undefined || rowIncludes(row, wanted))) found.push(row);
    }
    await setImmediate();
    signal.throwIfAborted();
  }
  return { rows: newestFirst(found), more };
}

/** A receipt may be a moment older than its delivery's entry. */
function newestFirst(rows: readonly LogRow[]): LogRow[] {
  return rows.toSorted((a, b) => b.at - a.at);
}

/** One row of the log: a decision, or the outcome of a delivery. */
interface LogRow extends DecisionRow {
  /** The id of a message about no episode. */
  readonly message?: string;
  /** The alert, or what a message says: `node.down of a:1`. */
  readonly about?: string;
}

type LogSource = Pick<AlertService, "log" | "messages" | "snapshot" | "lastEpisodes">;

/** Turns entries into rows with names instead of ids, in their order. */
function createLogRowWriter(alerts: LogSource): (entries: readonly LogEntry[]) => Promise<LogRow[]> {
  const known = new Set<string | null>([null]);
  let labels: Record<string, string> | undefined;
  const loadNames = async (rows: readonly LogRow[]): Promise<Labels> => {
    labels ??= await episodeLabels(alerts);
    for (const { network } of rows) {
      if (network === null || known.has(network)) continue;
      known.add(network);
      Object.assign(labels, await watchedMarketLabels(network, alerts));
    }
    return labels;
  };
  const about = new Map<string, string>();
  const aboutEpisode = (id: string, names: Labels): string => {
    const words = about.get(id) ?? episodeSubjectWords(id, names);
    about.set(id, words);
    return words;
  };
  return async (entries) => {
    const rows = entries.map(toLogRow);
    const names = await loadNames(rows);
    const written = rows.map((row) =>
      withSubjectWords(withNames(row, names), row.episode === null ? undefined : aboutEpisode(row.episode, names)),
    );
    return withMessageSubjects(alerts, written);
  };
}

/** Names of markets in recent episodes, by id. */
async function episodeLabels(alerts: Pick<AlertService, "lastEpisodes">): Promise<Labels> {
  const labels: Record<string, string> = {};
  for (const episode of await alerts.lastEpisodes(MAX_NAMED_EPISODES)) {
    const label = episodeLabel(episode);
    if (label !== undefined) labels[episode.subject] ??= label;
  }
  return labels;
}

function episodeSubjectWords(id: string, labels: Labels): string {
  const [rule = "", , subject = ""] = id.split("|");
  return `${rule.replace(/\{.*/u, "")}${subject === "" ? "" : ` of ${labels[subject] ?? subject.replace(LONG_ID, "$1")}`}`;
}

/** Replaces the ids of markets in stored decisions by names. */
function withNames(row: LogRow, labels: Labels): LogRow {
  const detail = row.detail?.replaceAll(LONG_ID, (id) => labels[id] ?? id);
  return detail === undefined || detail === row.detail ? row : { ...row, detail };
}

function withSubjectWords(row: LogRow, about: string | undefined): LogRow {
  const { detail } = row;
  if (about === undefined) return row;
  if (detail?.startsWith(about) === true) return { ...row, about };
  return { ...row, about, detail: detail === null || detail === "" ? about : `${about}: ${detail}` };
}

function commonColumns({ episode, destination, id }: LoggedDelivery) {
  return { network: episode?.split("|")[1] ?? null, episode, destination, delivery: id };
}

function toLogRow(entry: LogEntry): LogRow {
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
const messageSubjects = new LRUCache<string, { readonly words: string; readonly network: string }>({
  maxSize: MAX_LOG_ENTRIES,
  sizeCalculation: () => 1,
});

/** The same rows; messages about no episode say their subject. */
async function withMessageSubjects(alerts: Pick<AlertService, "messages">, rows: readonly LogRow[]): Promise<LogRow[]> {
  const ids = new Set(rows.flatMap(({ message }) => (message === undefined ? [] : [message])));
  for (const [id, said] of await alerts.messages([...ids].filter((id) => !messageSubjects.has(id)))) {
    messageSubjects.set(id, { words: messageSubjectWords(said), network: deliverySubject(said, "").network });
  }
  return rows.map((row) => {
    const about = messageSubjects.get(row.message ?? "");
    if (about === undefined) return row;
    return { ...withSubjectWords(row, about.words), network: about.network === "" ? row.network : about.network };
  });
}

function messageSubjectWords(message: AlertMessage): string {
  switch (message.type) {
    case "event": {
      const { event } = message;
      const name = "label" in event && event.label !== undefined ? event.label : event.subject;
      return `${event.kind}${name === "" ? "" : ` of ${/^[0-9a-f]{32,}$/iu.test(name) ? name.slice(0, 8) : name}`}`;
    }
    case "rolling":
      return `${message.kind}, ${message.events.length} that day`;
    case "digest":
      return `${message.episodes.length + message.events.length} in one message (${message.reason})`;
    case "change":
      return `${message.change.what} by ${message.by}`;
    default:
      return message.type;
  }
}

/** Whether any part of a row contains the words, which are in lower case. */
function rowIncludes(row: LogRow, wanted: string): boolean {
  const { what, about, network, episode, destination, delivery, detail } = row;
  const name = episode === null ? null : episodeName(episode);
  return [what, about ?? null, network, episode, name, destination, delivery, detail].some(
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

/** `alert sent · a:1 down, mainnet`, `fired · mainnet stalled`: on a phone there is room for no other column. */
function whatHappened({ what, about, network }: LogRow): string {
  const [, group = "", state = "", subject] = /^(network|node|market)\.([\w-]+)(?: of (.+))?$/u.exec(about ?? "") ?? [];
  const words =
    group === "network" && subject === undefined
      ? [`${network ?? group} ${state}`]
      : [subject === undefined ? about?.replace(" of ", " ") : `${subject} ${state}`, network ?? undefined];
  const name = words.filter((word) => word !== undefined).join(", ");
  return name === "" ? what : `${what} · ${name}`;
}

/** The detail without the name of the alert, which another column shows. */
function more({ detail, about = "" }: LogRow): string {
  const rest =
    detail?.startsWith(about) === true ? detail.slice(about.length).replace(/^[:,]? +/u, "") : (detail ?? "");
  return rest === "" ? "–" : rest.replaceAll(LONG_ID, "$1…");
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
          ["More", ({ detail }) => (detail === null || detail === "" ? "–" : detail)],
          ["Where", whereOf],
          ["Episode", ({ episode }) => episode ?? "–"],
          ["Delivery", ({ delivery }) => delivery ?? "–"],
        ]
      : [
          ["What", whatHappened],
          ["When", whenOf],
          ["More", more, 2],
          ["Where", whereOf, 3],
          ["Episode", ({ episode }) => (episode === null ? "–" : code(episodeName(episode))), 3],
          ["Delivery", ({ delivery }) => delivery ?? "–", 3],
        ],
  });
}
