// Lets one message say several deliveries. An unsent trigger takes in the escalation or the resolve of its episode. The
// first delivery of a group to a destination is sent at once and says the others that are owed by then; later ones
// edit its message. Each delivery keeps its row, merged into the one that says it (`said_by`), and shares that one's
// receipt once the message shows it: the deliveries of an episode are complete without a look at its group.
// ../engine/plan-open.ts plans the groups; a message is worded from the episodes at each send.
import type { AlertTables, DeliveryRow, Urgency } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { Episode } from "../../judge/rules/episode.ts";
import { DeliveryData } from "./delivery-data.ts";
import { isOfOneKind, type MessageGroup, NAMED_SUBJECTS } from "../../message/message-group.ts";
import { NotificationState, shownTo } from "./notification-state.ts";
import { destinationFromKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";
import { readMessages } from "./stored-messages.ts";

/** Later deliveries edit the first message for no longer than this, however long the group keeps growing. */
export const LONGEST_GROUPING: Milliseconds = 60_000;
/** How long later deliveries are gathered into one edit. */
const GROW_DELAY: Milliseconds = 1000;

export interface Merged {
  /** The row may say other deliveries. */
  readonly says?: true;
  /** The delivery as it is sent now; absent where another message says it. */
  readonly row?: DeliveryRow;
  readonly decisions: readonly Decision[];
}

/**
 * Merges what is owed into a due delivery, or this one into the message of its group. Only of what is certainly unsent:
 * a platform that drops repeats by their id would drop the other message with it.
 */
export async function mergeOwed(
  tables: AlertTables,
  due: DeliveryRow,
  at: Milliseconds,
  newId: () => string,
): Promise<Merged> {
  const isAlone = due.episode === null && due.group_key === null;
  if (isAlone || due.uncertain_since !== null) return { row: due, says: true, decisions: [] };
  const merged = await mergeIntoTriggers(tables, [due], at);
  const [row = due] = merged.rows;
  if (row.group_key === null) return { row, decisions: merged.decisions };
  // The deliveries that the failed attempt would have said.
  const said = await mergeIntoTriggers(tables, await tables.outbox.saidBy(row.id), at);
  const { within } = DeliveryData.parse(JSON.parse(row.data));
  const since = within === undefined ? 0 : row.created_at - LONGEST_GROUPING;
  const near = await tables.outbox.inGroup(row.destination, row.group_key, since);
  const waiting = near.filter(({ state, id }) => state === "owed" && id !== row.id);
  const others = await mergeIntoTriggers(tables, waiting, at);
  // An event can join a story, but begins none.
  const last = near.findLast(({ state, episode }) => state === "sent" && episode !== null);
  const grouped = await joinGroup(tables, row, others.rows, last, at, newId);
  const decisions = [merged, said, others, grouped].flatMap((one) => one.decisions);
  return { ...grouped, ...(said.rows.length === 0 ? {} : { says: true }), decisions };
}

const MERGED_PHASES: readonly string[] = ["escalation", "reminder", "resolve", "state"];

/** Merges later escalations and resolves into these triggers of one destination. Returns them as they are now. */
async function mergeIntoTriggers(
  tables: AlertTables,
  rows: readonly DeliveryRow[],
  at: Milliseconds,
): Promise<{ readonly rows: readonly DeliveryRow[]; readonly decisions: readonly Decision[] }> {
  const triggers = rows.filter(({ phase }) => phase === "trigger");
  const [first] = triggers;
  if (first === undefined) return { rows, decisions: [] };
  const episodes = triggers.flatMap(({ episode }) => episode ?? []);
  const later = Map.groupBy(
    (await tables.outbox.owedOf(episodes, first.destination)).filter(({ phase }) => MERGED_PHASES.includes(phase)),
    ({ episode }) => episode,
  );
  const decisions: Decision[] = [];
  const merged: DeliveryRow[] = [];
  const gone = new Set<string>();
  for (const row of rows) {
    const own = row.phase === "trigger" ? (later.get(row.episode) ?? []) : [];
    // No change of an episode comes after its resolve.
    const last = own.findLast(({ phase }) => phase !== "reminder" && phase !== "state");
    if (last === undefined || row.episode === null) {
      merged.push(row);
      continue;
    }
    const ids = own.map(({ id }) => id);
    for (const id of ids) gone.add(id);
    await tables.outbox.updateAll(ids, { state: "merged", settled_at: at, last_error: `said by ${row.id}` });
    const changed = {
      message: last.message,
      phase: last.phase === "resolve" ? "fired and resolved" : row.phase,
      data: last.phase === "escalation" ? withNotificationOf(last, row) : row.data,
    };
    await tables.outbox.update(row.id, changed);
    merged.push({ ...row, ...changed });
    const about = { episode: row.episode, destination: row.destination, delivery: row.id };
    const detail = `with its ${last.phase}, which came before it was sent`;
    decisions.push({ what: "merged", ...about, detail });
  }
  return { rows: merged.filter(({ id }) => !gone.has(id)), decisions };
}

/** A trigger merged with an escalation notifies like the escalation. */
function withNotificationOf(escalation: DeliveryRow, trigger: DeliveryRow): string {
  const { quiet: _quiet, mention: _mention, ...rest } = DeliveryData.parse(JSON.parse(trigger.data));
  const { quiet, mention } = DeliveryData.parse(JSON.parse(escalation.data));
  return JSON.stringify({ ...rest, quiet, mention });
}

/**
 * Lets a due delivery say the others of its group, or, where a message of the group was sent so recently that this one
 * still belongs to it, lets that message say them.
 */
async function joinGroup(
  tables: AlertTables,
  due: DeliveryRow,
  others: readonly DeliveryRow[],
  last: DeliveryRow | undefined,
  at: Milliseconds,
  newId: () => string,
): Promise<Merged> {
  const rest = due.episode === null ? [] : others.filter(({ episode }) => episode !== due.episode);
  const late = last === undefined ? [] : await followers(tables, last, [due, ...rest]);
  if (last === undefined || !late.includes(due)) {
    return { row: due, ...(rest.length === 0 ? {} : { says: true }), decisions: await letSay(tables, due, rest, at) };
  }
  const decisions = await letSay(tables, last, late, at);
  const shown = [last, ...(await endsOf(tables, last))];
  // A critical delivery does not wait for the edit of a milder message.
  const urgency = late.reduce<Urgency>((most, one) => (one.urgency > most ? one.urgency : most), 0);
  await tables.outbox.add(shown.map((one) => ({ ...growth(one, newId(), at), urgency })));
  await settle(tables, last, at, newId);
  return { decisions };
}

/** The edits of a message that grows leave out its file: this one brings it, once nothing can join any more. */
async function settle(tables: AlertTables, last: DeliveryRow, at: Milliseconds, newId: () => string): Promise<void> {
  const { within } = DeliveryData.parse(JSON.parse(last.data));
  if (within === undefined || (await tables.outbox.saidBy(last.id)).length < NAMED_SUBJECTS) return;
  const run_at = at + GROW_DELAY + within;
  const owed = (await tables.outbox.owedEdits([last.id])).find(({ phase }) => phase === "state");
  if (owed !== undefined) await tables.outbox.update(owed.id, { run_at });
  else await tables.outbox.add([{ ...growth(last, newId(), at), phase: "state", run_at }]);
}

/** The delivery of the end, whose message shows the story as well. */
async function endsOf(tables: AlertTables, { episode, destination }: DeliveryRow): Promise<readonly DeliveryRow[]> {
  const own = episode === null ? [] : await tables.outbox.ofEpisode(episode, destination);
  return own.filter(({ phase, state, group_key }) => phase === "resolve" && state === "sent" && group_key === null);
}

/**
 * The deliveries that a sent message can still say: without a pause, and without two episodes of one subject. Once all
 * its episodes have ended, an alert that fires gets a message of its own.
 */
async function followers(tables: AlertTables, last: DeliveryRow, rows: readonly DeliveryRow[]): Promise<DeliveryRow[]> {
  const said = [last, ...(await tables.outbox.saidBy(last.id))];
  const episodes = await tables.watch.episodes(said.flatMap(({ episode }) => episode ?? []));
  const isOver = episodes.every(({ open }) => open === 0);
  const subjects = new Set(said.map(subjectOf));
  const isNamed = (row: DeliveryRow): boolean => subjects.has(subjectOf(row));
  const latest = last.created_at + LONGEST_GROUPING;
  let grew = Math.max(...said.map(({ created_at }) => created_at));
  const found: DeliveryRow[] = [];
  for (const row of rows) {
    const { within } = DeliveryData.parse(JSON.parse(row.data));
    // A story goes on for as long as deliveries with its key are planned.
    const isLate = within !== undefined && (isNamed(row) || row.created_at > Math.min(grew + within, latest));
    const isNews = isOver && NEWS_PHASES.includes(row.phase);
    if (isLate || isNews || row.episode === last.episode) continue;
    found.push(row);
    subjects.add(subjectOf(row));
    grew = Math.max(grew, row.created_at);
  }
  return found;
}

const NEWS_PHASES: readonly string[] = ["trigger", "escalation"];

/** The rule, network and subject of its episode. */
function subjectOf({ episode }: DeliveryRow): string {
  return episode?.slice(0, episode.lastIndexOf("|")) ?? "";
}

async function letSay(
  tables: AlertTables,
  carrier: DeliveryRow,
  rows: readonly DeliveryRow[],
  at: Milliseconds,
): Promise<Decision[]> {
  const ids = rows.map(({ id }) => id);
  const last_error = `said by ${carrier.id}`;
  await tables.outbox.updateAll(ids, { state: "merged", said_by: carrier.id, settled_at: at, last_error });
  return rows.map((row) => ({
    what: "grouped",
    ...(row.episode === null ? {} : { episode: row.episode, network: networkOf(row.episode) }),
    destination: row.destination,
    delivery: row.id,
    detail: `its ${row.phase} is said by the message of ${carrier.episode ?? carrier.id}`,
  }));
}

function networkOf(episode: string): string {
  return episode.split("|")[1] ?? "";
}

/** The edit by which a message says what joined it. The edit keeps their place in the order. */
function growth(carrier: DeliveryRow, id: string, at: Milliseconds) {
  const { destination, platform, message, episode, data, urgency } = carrier;
  const due = { run_at: at + GROW_DELAY, created_at: at };
  const edit = { kind: "edit", phase: "group", target: carrier.id } as const;
  return { id, destination, platform, urgency, message, episode, data, ...edit, ...due };
}

/** With the deliveries that the message does not show yet. */
type SaidGroup = MessageGroup & { readonly unshown: readonly string[] };

/** What a message says beside its own delivery; undefined if that is nothing. */
export async function readGroup(
  tables: AlertTables,
  carrier: Pick<DeliveryRow, "id" | "destination" | "episode" | "group_key" | "phase" | "message">,
): Promise<SaidGroup | undefined> {
  if (carrier.group_key === null) return undefined;
  const others = await tables.outbox.saidBy(carrier.id);
  if (others.length === 0) return undefined;
  const all = [carrier, ...others];
  const noted = all.filter(({ phase }) => NOTICE_PHASES.includes(phase)).map(({ message }) => message);
  const messages = await readMessages(tables, noted);
  const notices = noted.flatMap((message) => messages.get(message) ?? []);
  const ids = [...new Set(all.flatMap(({ episode }) => episode ?? []))];
  const destination = destinationFromKey(carrier.destination);
  const rows = new Map((await tables.watch.episodes(ids)).map((row) => [row.id, row.data]));
  const states = new Map(
    (await tables.watch.notificationStates(ids, carrier.destination)).map((row) => [row.episode, row.data]),
  );
  const episodes = ids.flatMap((id) => {
    const data = rows.get(id);
    if (data === undefined) return [];
    const state = Acknowledged.parse(JSON.parse(states.get(id) ?? "{}"));
    return [shownTo(Episode.parse(JSON.parse(data)), { ...state, destination })];
  });
  const merged = all.every(({ phase }) => phase === "fired and resolved") ? { merged: true as const } : {};
  return { id: carrier.id, episodes, notices, ...merged, unshown: await unshownOf(tables, others) };
}

/** Of a notification state. */
const Acknowledged = NotificationState.pick({ acknowledged: true });

const NOTICE_PHASES: readonly string[] = ["event", "flapping", "calm"];

/** The group of an episode's trigger, for its later messages, where the others happened in its course. */
export async function readStory(tables: AlertTables, row: DeliveryRow): Promise<SaidGroup | undefined> {
  if (row.group_key !== null || row.episode === null || !LATER_PHASES.includes(row.phase)) return undefined;
  const own = await tables.outbox.ofEpisode(row.episode, row.destination);
  const trigger = own.find(({ phase }) => phase === "trigger");
  const group = trigger === undefined ? undefined : await readGroup(tables, trigger);
  return group === undefined || isOfOneKind(group) ? undefined : { ...group, unshown: [] };
}

const LATER_PHASES: readonly string[] = ["escalation", "reminder", "resolve"];

/** All that the message of a delivery says; none if there is no such delivery. */
export async function episodesSaidBy(tables: AlertTables, delivery: string): Promise<readonly Episode[]> {
  const [carrier] = await tables.outbox.get([delivery]);
  return carrier === undefined ? [] : ((await readGroup(tables, carrier))?.episodes ?? []);
}

async function unshownOf(tables: AlertTables, rows: readonly DeliveryRow[]): Promise<string[]> {
  const shown = new Set((await tables.outbox.receipts(rows.map(({ id }) => id))).map(({ delivery }) => delivery));
  return rows.filter(({ id }) => !shown.has(id)).map(({ id }) => id);
}

/** A message cannot be edited any more: what it does not show yet is owed again, and nothing joins it from now on. */
export async function releaseGroup(tables: AlertTables, carrier: string, at: Milliseconds): Promise<void> {
  const unshown = await unshownOf(tables, await tables.outbox.saidBy(carrier));
  await tables.outbox.updateAll(unshown, {
    state: "owed",
    said_by: null,
    settled_at: null,
    last_error: null,
    run_at: at,
  });
  await tables.outbox.update(carrier, { group_key: `closed ${carrier}` });
}
