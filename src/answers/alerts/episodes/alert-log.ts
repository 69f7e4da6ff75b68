import { setImmediate } from "node:timers/promises";

import { LRUCache } from "lru-cache";

import type { LogEntry } from "../../../alerts/outbox/decision-log.ts";
import { deliverySubject } from "../../../alerts/outbox/delivery-subject.ts";
import type { AlertMessage } from "../../../alerts/outbox/message.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import type { Labels } from "../../../alerts/wording/subscription-words.ts";
import { type Attachment, memoryAttachment } from "../../../reply/attachment.ts";
import type { Table } from "../../../reply/block.ts";
import { tableToCsv } from "../../../reply/csv.ts";
import { code, time, toText } from "../../../reply/text.ts";
import type { DecisionRow, LoggedDelivery } from "../../../store/alert-tables/alert-tables.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import { destinationKeyWords, summarizeDelivery } from "./episode-timeline.ts";
import { briefEpisodeId, episodeLabel } from "./episodes.ts";
import { watchedMarketLabels } from "./network-status.ts";

/** Which lines of the log are asked for. */
interface LogSearch {
  /** A destination's key: what is about it or about none. */
  readonly here: string | undefined;
  /** In lower case. */
  readonly wanted: string | undefined;
  readonly network: string | undefined;
  readonly signal: AbortSignal;
}

/** How many decisions, or deliveries, are looked at at a time: a few milliseconds' work, after which others have their turn. */
const SEARCH_BATCH_ENTRIES = 500;

/** One page of the log as it is, of which only what it shows is read; `range` says which entries, given how many there are. */
export async function logPage(
  desk: LogSource,
  here: string | undefined,
  range: (entries: number) => { readonly from: number; readonly to: number },
): Promise<{ readonly rows: readonly LogRow[]; readonly lines: number; readonly more: boolean }> {
  const of = { within: MAX_LOG_ENTRIES, destination: here };
  const { entries, more } = await desk.lines.count(of);
  const { from, to } = range(entries);
  const rows = await createLogRowWriter(desk)(await desk.lines.page(of, from, to));
  return { rows: newestFirst(rows), lines: entries, more };
}

/** All lines that have this in them, newest first. Rejects with the signal's reason. */
export async function searchLog(
  desk: LogSource,
  { here, wanted, network, signal }: LogSearch,
): Promise<{ readonly rows: readonly LogRow[]; readonly more: boolean }> {
  const of = { within: MAX_LOG_ENTRIES, destination: here };
  const { more } = await desk.lines.count(of);
  const write = createLogRowWriter(desk);
  const found: LogRow[] = [];
  for await (const entries of desk.lines.batches(of, SEARCH_BATCH_ENTRIES)) {
    for (const row of await write(entries)) {
      const isThere = network === undefined || row.network === network;
      if (isThere && (wanted === undefined || rowIncludes(row, wanted))) found.push(row);
    }
    await setImmediate();
    signal.throwIfAborted();
  }
  return { rows: newestFirst(found), more };
}

/** A message's receipt may be a moment older than what was kept of it. */
function newestFirst(rows: readonly LogRow[]): LogRow[] {
  return rows.toSorted((a, b) => b.at - a.at);
}

/** As far back as is looked, of decisions and of messages each. */
export const MAX_LOG_ENTRIES = 20_000;
/** Parties, markets and orders; its beginning tells one from others. */
const LONG_ID = /\b([0-9a-f]{8})[0-9a-f]{56}\b/gu;
/** Markets that the watchers no longer list are named by the last episodes. */
const MAX_NAMED_EPISODES = 500;
/** Lines of a file that are written at once. */
const FILE_CHUNK_ROWS = 1000;

/** One line of the log: something that was decided, or became of a message. */
interface LogRow extends DecisionRow {
  /** The id of what a message says that is about no episode. */
  readonly message?: string;
}

/** What the log's lines are read from. */
type LogSource = Pick<AlertService, "lines" | "messages" | "snapshot" | "lastEpisodes">;

/** Gives lines the names that people know: what is about an episode says so in its detail. */
type LogRowWriter = (entries: readonly LogEntry[]) => Promise<LogRow[]>;

/** Writes lines in the order of their entries. */
function createLogRowWriter(desk: LogSource): LogRowWriter {
  const known = new Map<string, Labels>();
  let named: Labels | undefined;
  const labels: Record<string, string> = {};
  const learn = async (rows: readonly LogRow[]): Promise<void> => {
    if (named === undefined) Object.assign(labels, (named = await episodeLabels(desk)));
    for (const { network } of rows) {
      if (network === null || known.has(network)) continue;
      const watched = await watchedMarketLabels(network, desk);
      known.set(network, watched);
      Object.assign(labels, watched);
    }
  };
  // An episode is of one network, whose names are known by then.
  const about = new Map<string, string>();
  const aboutEpisode = (id: string): string => {
    const words = about.get(id) ?? episodeSubjectWords(id, labels);
    about.set(id, words);
    return words;
  };
  return async (entries) => {
    const rows = entries.map(toLogRow);
    await learn(rows);
    const written = rows.map((row) =>
      withSubjectWords(withNames(row, labels), row.episode === null ? undefined : aboutEpisode(row.episode)),
    );
    return withMessageSubjects(desk, written);
  };
}

/** What markets were called in the last episodes, by id. */
async function episodeLabels(desk: Pick<AlertService, "lastEpisodes">): Promise<Labels> {
  const labels: Record<string, string> = {};
  for (const episode of await desk.lastEpisodes(MAX_NAMED_EPISODES)) {
    const label = episodeLabel(episode);
    if (label !== undefined) labels[episode.subject] ??= label;
  }
  return labels;
}

function episodeSubjectWords(id: string, labels: Labels): string {
  const [rule = "", , subject = ""] = id.split("|");
  const [, , brief = ""] = briefEpisodeId(id).split("|");
  return `${rule.replace(/\{.*/u, "")}${subject === "" ? "" : ` of ${labels[subject] ?? brief}`}`;
}

/** Names stand where decisions were kept with the ids of markets. */
function withNames(row: LogRow, labels: Labels): LogRow {
  const detail = row.detail?.replaceAll(LONG_ID, (id) => labels[id] ?? id);
  return detail === undefined || detail === row.detail ? row : { ...row, detail };
}

function withSubjectWords(row: LogRow, about: string | undefined): LogRow {
  const { detail } = row;
  if (about === undefined || detail?.startsWith(about) === true) return row;
  return { ...row, detail: detail === null || detail === "" ? about : `${about}: ${detail}` };
}

/** What a message's line is about. */
function commonColumns({ episode, destination, id }: LoggedDelivery) {
  return { network: episode?.split("|")[1] ?? null, episode, destination, delivery: id };
}

function phaseWords({ kind, phase }: LoggedDelivery): string {
  return kind === "edit" ? `${phase} (edit)` : phase;
}

function toLogRow(entry: LogEntry): LogRow {
  switch (entry.of) {
    case "decision":
      return entry.row;
    case "owed":
      return { ...commonColumns(entry.row), at: entry.at, what: `${phaseWords(entry.row)} owed`, detail: null };
    case "outcome": {
      const { row } = entry;
      const { at, word, detail } = summarizeDelivery(row, entry.receipt);
      const fate = { ...commonColumns(row), at, what: `${phaseWords(row)} ${word}`, detail };
      return row.episode === null ? { ...fate, message: row.message } : fate;
    }
  }
}

/** What a message is about that concerns no episode. */
interface MessageSubject {
  readonly words: string;
  readonly network: string;
}

/** What messages are about, by their ids: equal ids are equal contents, so that each is read once. */
const messageSubjects = new LRUCache<string, MessageSubject>({ maxSize: MAX_LOG_ENTRIES, sizeCalculation: () => 1 });

/** The same lines, of which those about messages that concern no episode say what those are about. */
async function withMessageSubjects(desk: Pick<AlertService, "messages">, rows: readonly LogRow[]): Promise<LogRow[]> {
  const ids = new Set(rows.flatMap(({ message }) => (message === undefined ? [] : [message])));
  for (const [id, said] of await desk.messages([...ids].filter((id) => !messageSubjects.has(id)))) {
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

/** Whether any part of a line has this in it, in lower case. */
function rowIncludes(row: LogRow, wanted: string): boolean {
  const { what, network, episode, destination, delivery, detail } = row;
  return [what, network, episode, destination, delivery, detail].some(
    (part) => part?.toLowerCase().includes(wanted) === true,
  );
}

/** All lines as a file, written in portions, between which others have their turn. */
export async function logFile(rows: readonly LogRow[], here: string | undefined): Promise<Attachment> {
  const parts: string[] = [];
  for (let from = 0; from < rows.length; from += FILE_CHUNK_ROWS) {
    const csv = tableToCsv(logTable(rows.slice(from, from + FILE_CHUNK_ROWS), here, true));
    parts.push(from === 0 ? csv : csv.slice(csv.indexOf("\n") + 1));
    await setImmediate();
  }
  return memoryAttachment("alerts-log.csv", "text/csv", parts.join(""));
}

/**
 * Ids of episodes are shortened where people read them, and `whole` in files. What happened stands before the ids:
 * where a table is cut or scrolls, they are what is behind the edge.
 */
export function logTable(rows: readonly LogRow[], here: string | undefined, whole = false): Table {
  return {
    kind: "table",
    name: "alerts-log",
    columns: [
      { title: "When" },
      { title: "What" },
      { title: "Network", priority: 2 },
      { title: "More" },
      { title: "Where", priority: 3 },
      { title: "Episode", priority: 2 },
      { title: "Delivery", priority: 3 },
    ],
    rows: rows.map(({ at, what, network, episode, destination, delivery, detail }) => [
      toText(time(fromMillis(at))),
      toText(what),
      toText(network ?? "–"),
      toText(detail === null || detail === "" ? "–" : whole ? detail : detail.replaceAll(LONG_ID, "$1…")),
      destinationKeyWords(destination, here),
      toText(episode === null ? "–" : whole ? episode : code(briefEpisodeId(episode))),
      toText(delivery ?? "–"),
    ]),
  };
}
