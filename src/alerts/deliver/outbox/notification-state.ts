import { z } from "zod";

import type { AlertTables, DeliveryRow, NotificationStateRow } from "../../../store/alert-tables/alert-tables.ts";
import { Guidance } from "../../alerts-config.ts";
import { parseRow, Severity } from "../../judge/kinds/kind.ts";
import { Acknowledgement, type Episode, seenFrom } from "../../judge/rules/episode.ts";
import { StoredDestination } from "../../destination.ts";

/** The notifications of one episode to one destination, as stored, so that none is sent twice or left out. */
export const NotificationState = z.object({
  destination: StoredDestination,
  style: z.enum(["live", "thread", "plain"]),
  /** `closed` once nothing more is owed of the episode. */
  state: z.enum(["suppressed", "told", "closed"]),
  /** Of the subscription by which it was told. */
  guidance: Guidance.exactOptional(),
  /** What suppresses, or suppressed, the trigger. */
  by: z.string().exactOptional(),
  /** The worst severity that was sent. */
  severity: Severity.exactOptional(),
  /** The delivery of its card, in plain style of its first message. */
  trigger: z.string().exactOptional(),
  /** The card is deleted: the next post that rings takes its place. */
  cardDeleted: z.literal(true).exactOptional(),
  escalation: z.string().exactOptional(),
  resolve: z.string().exactOptional(),
  reminders: z.int(),
  /** The deliveries of its reminders. */
  reminded: z.array(z.string()).exactOptional(),
  /** Somebody acknowledged it for this destination alone; `true` as earlier versions stored it. */
  acknowledged: z.union([z.literal(true), Acknowledgement]).exactOptional(),
  /** When a trigger, an escalation or a reminder was last owed, in Unix milliseconds. */
  toldMillis: z.number().exactOptional(),
  /** Its card is to get a picture, in that zone; absent = none, or none any more. */
  picture: z.string().exactOptional(),
  /** Of the episode by which flapping was detected: the flapping notice was owed. */
  flapping: z.literal(true).exactOptional(),
  /** What the live message shows, so that it is edited only when that changes. */
  shown: z.string().exactOptional(),
});
export type NotificationState = z.infer<typeof NotificationState>;

/** Of a stored row. Throws DamagedRow. */
export function parseNotificationState({ episode, destination, data }: NotificationStateRow): NotificationState {
  return parseRow(NotificationState, data, "alert_notification_states", { episode, destination });
}

/** The episode as one destination sees it: somebody may have acknowledged it for that place or its workspace alone. */
export function shownTo(
  known: Episode,
  { acknowledged, destination }: Pick<NotificationState, "acknowledged" | "destination">,
): Episode {
  const episode = seenFrom(known, destination);
  if (episode.acknowledged !== undefined || acknowledged === undefined || acknowledged === true) return episode;
  return { ...episode, acknowledged };
}

/** Why a trigger that certainly never arrived is suppressed. */
export const UNSENT = "it could not be sent";
export const UNREACHED = "this place could not be reached";

/**
 * Reverts the states of dead-lettered triggers that certainly never arrived to suppressed: nothing more is owed of their
 * episodes there. Each is triggered after all once it gets worse, or a lost destination subscribes again.
 */
export async function revertUnsent(
  tables: AlertTables,
  rows: readonly Pick<DeliveryRow, "id" | "episode" | "destination" | "uncertain_since">[],
  by: typeof UNSENT | typeof UNREACHED,
): Promise<void> {
  const triggers = new Map(rows.flatMap((row) => (row.uncertain_since === null ? [[row.id, row] as const] : [])));
  const episodes = new Set([...triggers.values()].flatMap(({ episode }) => episode ?? []));
  const [only, ...others] = new Set([...triggers.values()].map(({ destination }) => destination));
  const reverted: NotificationStateRow[] = [];
  for (const row of await tables.watch.notificationStates([...episodes], others.length === 0 ? only : undefined)) {
    const before = parseNotificationState(row);
    const { trigger, escalation: _escalation, toldMillis: _told, shown: _shown, reminded: _reminded, ...rest } = before;
    const delivery = trigger === undefined ? undefined : triggers.get(trigger);
    if (delivery?.destination !== row.destination || rest.state === "closed") continue;
    const after: NotificationState = { ...rest, state: "suppressed", by, reminders: 0 };
    reverted.push({ ...row, data: JSON.stringify(after) });
  }
  await tables.watch.putNotificationStates(reverted);
}

/** Notes that the card which says these deliveries is deleted. */
export async function noteDeletedCard(
  tables: AlertTables,
  destination: string,
  said: readonly Pick<DeliveryRow, "id" | "episode">[],
): Promise<void> {
  const ids = new Set(said.map(({ id }) => id));
  const episodes = new Set(said.flatMap(({ episode }) => episode ?? []));
  const rows = await tables.watch.notificationStates([...episodes], destination);
  const noted = rows.flatMap((row) => {
    const state = parseNotificationState(row);
    if (state.style === "plain" || state.state !== "told" || !ids.has(state.trigger ?? "")) return [];
    return [{ ...row, data: JSON.stringify({ ...state, cardDeleted: true }) }];
  });
  await tables.watch.putNotificationStates(noted);
}
