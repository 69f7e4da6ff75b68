// All that one message says: its own delivery and what joined it (join.ts). A message is worded from its episodes as they
// stand at each send.
import type { AlertTables, DeliveryChange, DeliveryRow, ItemRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { destinationFromKey } from "../../destination.ts";
import { DeliveryData, withoutPicture } from "./delivery-data.ts";
import type { Decision } from "../../judge/judge.ts";
import { type Episode, parseEpisode } from "../../judge/rules/episode.ts";
import { isOfOneKind, type MessageGroup } from "../../message/message-group.ts";
import { NotificationState, noteDeletedCard, shownTo } from "./notification-state.ts";
import { readMessages } from "./stored-messages.ts";
import { parseRow } from "../../judge/kinds/kind.ts";

/** What joined a message, with its own delivery; undefined if nothing did. */
async function readJoined(tables: AlertTables, carrier: DeliveryRow): Promise<MessageGroup | undefined> {
  const all = await readSaid(tables, carrier);
  if (all.length < 2) return undefined;
  const noted = all.filter(({ phase }) => NOTICE_PHASES.includes(phase));
  const messages = await readMessages(tables, noted);
  const notices = noted.flatMap(({ message }) => messages.get(message) ?? []);
  const ids = [...new Set(all.flatMap(({ episode }) => episode ?? []))];
  const episodes = await readEpisodes(tables, ids, carrier.destination);
  const merged = all.every(({ phase }) => phase === MERGED_PHASE) ? { merged: true as const } : {};
  return { id: carrier.id, episodes, notices, ...merged };
}

/** Episodes as one place sees them now. */
export async function readEpisodes(
  tables: AlertTables,
  ids: readonly string[],
  place: DeliveryRow["destination"],
): Promise<readonly Episode[]> {
  const destination = destinationFromKey(place);
  const rows = new Map((await tables.watch.episodes(ids)).map((row) => [row.id, row.data]));
  const states = new Map((await tables.watch.notificationStates(ids, place)).map((row) => [row.episode, row.data]));
  return ids.flatMap((id) => {
    const data = rows.get(id);
    if (data === undefined) return [];
    const key = { episode: id, destination: place };
    const state = parseRow(Acknowledged, states.get(id) ?? "{}", "alert_notification_states", key);
    return [shownTo(parseEpisode({ id, data }), { ...state, destination })];
  });
}

/** Of a notification state. */
const Acknowledged = NotificationState.pick({ acknowledged: true });

const NOTICE_PHASES: readonly string[] = ["event", "digest", "flapping", "calm"];
/** Of a trigger that was over before it was sent. */
export const MERGED_PHASE = "fired and resolved";

/**
 * What a message says beside its own delivery; undefined if that is nothing. A short post says the alerts of its kind on its
 * card. A later message of an episode says what happened in its course, which joined its trigger.
 */
export async function readGroup(
  tables: AlertTables,
  row: DeliveryRow,
  cardOf?: string,
): Promise<MessageGroup | undefined> {
  const [card] = cardOf === undefined ? [] : await tables.outbox.get([cardOf]);
  const group = (card && (await readJoined(tables, card))) ?? (await readJoined(tables, row));
  if (card !== undefined) {
    const kind = group?.episodes.find(({ id }) => id === row.episode)?.kind;
    const episodes = group?.episodes.filter((one) => one.kind === kind) ?? [];
    return group && episodes.length > 1 ? { ...group, episodes } : undefined;
  }
  const { episode, join_key: key, phase, destination } = row;
  if (group !== undefined || key !== null || episode === null || !FOLLOWING_PHASES.includes(phase)) return group;
  const own = await tables.outbox.ofEpisode(episode, destination);
  const trigger = own.find((one) => one.phase === "trigger" && one.episode === episode);
  const story = trigger && (await readJoined(tables, trigger));
  return story === undefined || isOfOneKind(story) ? undefined : story;
}

const FOLLOWING_PHASES: readonly string[] = ["escalation", "reminder", "resolve"];

/** All that the message of a delivery says; none if there is no such delivery. */
export async function episodesSaidBy(tables: AlertTables, delivery: string): Promise<readonly Episode[]> {
  const [carrier] = await tables.outbox.get([delivery]);
  return carrier === undefined ? [] : ((await readJoined(tables, carrier))?.episodes ?? []);
}

/** A part of what a message says: its own delivery, or what joined it. */
type Said = Pick<DeliveryRow | ItemRow, "id" | "phase" | "episode" | "message">;

/** All that the message of a delivery says, its own first. */
export async function readSaid(tables: AlertTables, row: DeliveryRow): Promise<readonly Said[]> {
  return row.revision === 0 ? [row] : [row, ...(await tables.items.of([row.id]))];
}

/**
 * Takes parts out of an unsent message, which goes on with what is left; where that is nothing, it becomes `gone`. Returns
 * the parts.
 */
export async function takeOut(
  tables: AlertTables,
  row: DeliveryRow,
  isTaken: (said: Said) => boolean,
  gone: Pick<DeliveryChange, "state" | "settled_at" | "last_error">,
): Promise<readonly Said[]> {
  const said = await readSaid(tables, row);
  const taken = said.filter(isTaken);
  const [first] = said.filter((one) => !taken.includes(one));
  if (taken.length === 0) return taken;
  if (first === undefined) {
    await tables.outbox.update(row.id, gone);
    return taken;
  }
  const dropped = first.id === row.id ? taken : [first, ...taken];
  await tables.items.drop(dropped.map(({ id }) => id));
  if (first.id === row.id) return taken;
  const { episode, message, phase } = first;
  await tables.outbox.update(row.id, { episode, message, phase });
  return taken;
}

/**
 * A trigger that is to be posted takes in what follows of its episodes: it says how they stand by now. Returns it as it is
 * then.
 */
export async function mergeFollowing(
  tables: AlertTables,
  trigger: DeliveryRow,
  at: Milliseconds,
): Promise<{ readonly row: DeliveryRow; readonly decisions: readonly Decision[] }> {
  const said = await readSaid(tables, trigger);
  const episodes = new Set(said.flatMap(({ episode }) => episode ?? []));
  const merged = { state: "merged", settled_at: at, last_error: `said by ${trigger.id}` } as const;
  const last = new Map<string | null, { readonly part: Said; readonly data: string }>();
  for (const row of await tables.outbox.unsentOf([...episodes], trigger.destination)) {
    if (!FOLLOWING_PHASES.includes(row.phase)) continue;
    for (const part of await takeOut(tables, row, ({ episode }) => episodes.has(episode ?? ""), merged)) {
      // No change of an episode comes after its resolve.
      if (part.phase !== "reminder") last.set(part.episode, { part, data: row.data });
    }
  }
  const ended = said.filter(({ id, episode }) => id !== trigger.id && last.get(episode)?.part.phase === "resolve");
  await tables.items.setPhase(
    ended.map(({ id }) => id),
    MERGED_PHASE,
  );
  const decisions = [...last.values()].map(({ part }) => ({
    what: "merged",
    ...(part.episode === null ? {} : { episode: part.episode }),
    destination: trigger.destination,
    delivery: trigger.id,
    detail: `with its ${part.phase}, which came before it was sent`,
  }));
  const own = last.get(trigger.episode);
  if (own === undefined) return { row: trigger, decisions };
  const changed = {
    message: own.part.message,
    phase: own.part.phase === "resolve" ? MERGED_PHASE : trigger.phase,
    data: own.part.phase === "escalation" ? withNotificationOf(own.data, trigger.data) : trigger.data,
  };
  await tables.outbox.update(trigger.id, changed);
  return { row: { ...trigger, ...changed }, decisions };
}

/** The escalations that a message took in after it had been sent are owed by themselves: they must ring. */
export async function oweMergedSince(
  tables: AlertTables,
  row: DeliveryRow,
  since: Milliseconds,
  at: Milliseconds,
): Promise<void> {
  const episodes = new Set((await readSaid(tables, row)).flatMap(({ episode }) => episode ?? []));
  for (const episode of episodes) {
    const merged = (await tables.outbox.ofEpisode(episode, row.destination)).filter(
      ({ phase, state, last_error, settled_at }) =>
        phase === "escalation" && state === "merged" && last_error === `said by ${row.id}` && (settled_at ?? 0) > since,
    );
    const ids = merged.map(({ id }) => id);
    await tables.outbox.updateAll(ids, { state: "owed", settled_at: null, last_error: null, run_at: at });
  }
}

/** The data of a trigger that merges with an escalation: it notifies like the escalation. */
function withNotificationOf(escalation: string, trigger: string): string {
  const { quiet: _quiet, mention: _mention, ...rest } = DeliveryData.parse(JSON.parse(trigger));
  const { quiet, mention } = DeliveryData.parse(JSON.parse(escalation));
  return JSON.stringify({ ...rest, quiet, mention });
}

/**
 * A message cannot be edited any more: nothing joins it from now on, and what it does not show yet is owed as another
 * message. The message of a day goes on in that one.
 */
export async function giveUpEdit(
  tables: AlertTables,
  { id, last_error }: Pick<DeliveryRow, "id" | "last_error">,
  at: Milliseconds,
  newId: () => string,
): Promise<void> {
  const [row] = await tables.outbox.get([id]);
  if (row === undefined) return;
  const { phase, revision } = row;
  await tables.outbox.update(id, { state: "sent", shown: revision, join_key: null, last_error });
  // What it did not show was owed when its edit was refused.
  if (DeliveryData.parse(JSON.parse(row.data)).outdated === true) return;
  if (phase === "rolling") {
    await tables.outbox.add([{ ...nextOf(row, at), id: newId(), phase, message: row.message, episode: null }]);
    return;
  }
  await sendUnshown(tables, row, row.shown ?? -1, at);
}

/**
 * Drops what is owed to a message, or a thread, that is deleted. What a card did not show yet is owed as another message,
 * and what rings next takes its place.
 */
export async function dropDeleted(
  tables: AlertTables,
  row: DeliveryRow,
  at: Milliseconds,
  newId: () => string,
): Promise<void> {
  if (row.shown === null) {
    await tables.outbox.remove(row.id);
    return;
  }
  await giveUpEdit(tables, row, at, newId);
  await tables.outbox.dropReceipt(row.id);
  await noteDeletedCard(tables, row.destination, await readSaid(tables, row));
}

/** The message that goes on where another one cannot. */
function nextOf(row: DeliveryRow, at: Milliseconds) {
  const { destination, platform, urgency, open_until, join_key } = row;
  const data = withoutPicture(row);
  return { destination, platform, urgency, data, open_until, join_key, run_at: at, created_at: at };
}

/** What joined a message after this revision is owed as another message. */
export async function sendUnshown(
  tables: AlertTables,
  row: DeliveryRow,
  shown: number,
  at: Milliseconds,
): Promise<void> {
  const { id, open_until } = row;
  const next = nextOf(row, at);
  const unshown = (await tables.items.of([id])).filter((item) => item.revision > shown);
  await tables.items.drop(unshown.map((item) => item.id));
  // What a message tells of different things is told by itself; alerts of one kind stay together.
  const groups = open_until === null ? unshown.map((item) => [item]) : [unshown];
  for (const [first, ...others] of groups) {
    if (first === undefined) continue;
    const { id: own, phase: said, episode, message } = first;
    const { mention: _mention, ...unmentioned } = DeliveryData.parse(JSON.parse(next.data));
    // Nobody is called to an end.
    const how = said === "resolve" ? { data: JSON.stringify(unmentioned) } : {};
    await tables.outbox.add([{ ...next, ...how, id: own, phase: said, episode, message, revision: others.length }]);
    await tables.items.add(others.map((item, index) => ({ ...item, delivery: own, revision: index + 1 })));
  }
}
