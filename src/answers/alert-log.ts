import { aboutOf } from "../alerts/about.ts";
import type { AlertDesk } from "../alerts/alert-desk.ts";
import type { AlertMessage } from "../alerts/message.ts";
import type { Labels } from "../alerts/subscription-words.ts";
import type { Table } from "../reply/block.ts";
import { code, time, toText } from "../reply/text.ts";
import type { DecisionRow, DeliveryRow, ReceiptRow } from "../store/alert-ports.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import { briefEpisodeId, labelOf } from "./alert-episodes.ts";
import { keyWords } from "./alert-story.ts";
import { fateOf } from "./delivery-fate.ts";
import { watchedLabels } from "./watched-labels.ts";

/** As far back as is looked, of decisions and of messages each. */
export const MAX_LOGGED = 20_000;
/** Parties, markets and orders; its beginning tells one from others. */
const LONG_ID = /\b([0-9a-f]{8})[0-9a-f]{56}\b/gu;
/** Markets that the watchers no longer list are named by the last episodes. */
const MAX_NAMED = 500;

/** One line of the log: something that was decided, or became of a message. */
export interface LogRow extends DecisionRow {
  /** The id of what a message says that is about no episode. */
  readonly message?: string;
}

/**
 * What was decided and what became of messages, newest first; `here` narrows to a destination and what is about none.
 * What is about an episode says so in its detail, by the names that people know.
 */
export async function readLog(
  desk: Pick<AlertDesk, "log" | "settled" | "snapshot" | "lastEpisodes">,
  here: string | undefined,
): Promise<LogRow[]> {
  const [decisions, { rows, receipts }] = await Promise.all([
    desk.log({ limit: MAX_LOGGED }),
    desk.settled(MAX_LOGGED, here),
  ]);
  const byDelivery = new Map(receipts.map((one) => [one.delivery, one]));
  const own = decisions.filter(({ destination }) => here === undefined || destination === null || destination === here);
  const all: LogRow[] = [...rows.flatMap((row) => messageRows(row, byDelivery.get(row.id))), ...own];
  const episodes = new Set(all.flatMap(({ episode }) => (episode === null ? [] : [episode])));
  const networks = new Set(all.flatMap(({ network }) => (network === null ? [] : [network])));
  const labels = await labelsOf(desk, networks);
  const about = new Map([...episodes].map((id) => [id, episodeAbout(id, labels)]));
  return all
    .map((row) => saysWhatAbout(named(row, labels), about.get(row.episode ?? "")))
    .toSorted((a, b) => b.at - a.at);
}

/** What people call markets, by id. */
async function labelsOf(
  desk: Pick<AlertDesk, "snapshot" | "lastEpisodes">,
  networks: ReadonlySet<string>,
): Promise<Labels> {
  const watched = await Promise.all([...networks].map((network) => watchedLabels(network, desk)));
  const labels: Record<string, string> = {};
  for (const episode of await desk.lastEpisodes(MAX_NAMED)) {
    const label = labelOf(episode);
    if (label !== undefined) labels[episode.subject] ??= label;
  }
  return Object.assign(labels, ...watched) as Labels;
}

function episodeAbout(id: string, labels: Labels): string {
  const [rule = "", , subject = ""] = id.split("|");
  const [, , brief = ""] = briefEpisodeId(id).split("|");
  return `${rule.replace(/\{.*/u, "")}${subject === "" ? "" : ` of ${labels[subject] ?? brief}`}`;
}

/** Names stand where decisions were kept with the ids of markets. */
function named(row: LogRow, labels: Labels): LogRow {
  const detail = row.detail?.replaceAll(LONG_ID, (id) => labels[id] ?? id);
  return detail === undefined || detail === row.detail ? row : { ...row, detail };
}

function saysWhatAbout(row: LogRow, about: string | undefined): LogRow {
  const { detail } = row;
  if (about === undefined || detail?.startsWith(about) === true) return row;
  return { ...row, detail: detail === null || detail === "" ? about : `${about}: ${detail}` };
}

/** When a message about an episode came to be owed, and what became of it; of others the latter alone. */
function messageRows(row: DeliveryRow, receipt: ReceiptRow | undefined): LogRow[] {
  const { at, word, detail } = fateOf(row, receipt);
  const { episode, destination, id: delivery } = row;
  const network = episode?.split("|")[1] ?? null;
  const phase = row.kind === "edit" ? `${row.phase} (edit)` : row.phase;
  const common = { network, episode, destination, delivery };
  const fate = { ...common, at, what: `${phase} ${word}`, detail };
  return episode === null
    ? [{ ...fate, message: row.message }]
    : [fate, { ...common, at: row.created_at, what: `${phase} owed`, detail: null }];
}

/** The same lines, of which those about messages that concern no episode say what those are about. */
export async function sayingWhat(desk: Pick<AlertDesk, "messages">, rows: readonly LogRow[]): Promise<LogRow[]> {
  const messages = await desk.messages(rows.flatMap(({ message }) => (message === undefined ? [] : [message])));
  return rows.map((row) => {
    const said = messages.get(row.message ?? "");
    if (said === undefined) return row;
    const { network } = aboutOf(said, "");
    return { ...saysWhatAbout(row, messageAbout(said)), network: network === "" ? row.network : network };
  });
}

function messageAbout(message: AlertMessage): string {
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
export function hasWords(row: LogRow, wanted: string): boolean {
  const { what, network, episode, destination, delivery, detail } = row;
  return [what, network, episode, destination, delivery, detail].some(
    (part) => part?.toLowerCase().includes(wanted) === true,
  );
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
      keyWords(destination, here),
      toText(episode === null ? "–" : whole ? episode : code(briefEpisodeId(episode))),
      toText(delivery ?? "–"),
    ]),
  };
}
