import type { Reply } from "../../reply/reply.ts";
import type { AlertTables, DeliveryRow, PlacedDelivery } from "../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/time.ts";
import { type DeliveryContext, deliverySubject, isMerged } from "../message/delivery-subject.ts";
import type { AlertMessage } from "../message/message.ts";
import { arrivedMessage, lastArrivedOf, triggerDeliveryTime } from "../deliver/outbox/queries.ts";
import { destinationKey, type Platforms } from "../destination.ts";
import { isOpen, parseEpisode } from "../judge/rules/episode.ts";
import type { DeliverySubject } from "../sender.ts";
import { readMessages } from "../deliver/outbox/stored-messages.ts";

/** One delivered message. */
export interface FeedAlert {
  /** When it arrived, or its last edit: Unix milliseconds. */
  readonly at: Milliseconds;
  /** The delivery's id. */
  readonly id: string;
  readonly about: DeliverySubject;
  /** What several of its kind are called: `auctions`. */
  readonly noun: string;
  /** Rendered by this version, whichever one sent it. */
  readonly reply: Reply;
}

/** How many messages of a day are read at once. */
const MAX_DAYS_READ = 200;

type Describe = (message: AlertMessage, context: DeliveryContext) => Reply;
type ToAlerts = (rows: readonly DeliveryRow[], shownAs?: typeof asEdited) => Promise<FeedAlert[]>;

/** The messages delivered to one destination, for readers that come and go. Rejects if the database fails. */
export type AlertFeed = ReturnType<typeof createAlertFeed>;

/** The feed of the operators' destination. */
export function createAlertFeed(store: Pick<Store, "read">, platforms: Platforms) {
  const key = destinationKey(platforms.console);
  const readAlerts = async <T>(read: (tables: AlertTables, toAlerts: ToAlerts) => Promise<T>): Promise<T> => {
    // Loaded lazily, so that the start does not wait for it.
    const { describe } = await import("../words/words.ts");
    const render: Describe = (message, context) => describe(message, context, platforms);
    return store.read(({ alerts: tables }) =>
      read(tables, (rows, shownAs) => toFeedAlerts(tables, rows, render, shownAs)),
    );
  };
  return {
    /**
     * Where a delivery stands; undefined if none of that id has arrived here, or it was pruned. What was told again after
     * the database went back stands behind what came first: then the place is right before the last `count`.
     */
    placeOf: (id: string, count: number) =>
      store.read(async ({ alerts: tables }) => {
        const [row] = await tables.delivered.of(key, [id]);
        if (row?.uncertain_since === 0) return placeBefore(tables, key, count);
        return row === undefined ? undefined : { place: row.position, at: row.settled_at ?? row.created_at };
      }),
    /** The position right before the last `count`. */
    placeBefore: (count: number) => store.read(({ alerts: tables }) => placeBefore(tables, key, count)),
    /** Up to a position, the last message of each open episode: of the newest `limit` episodes, oldest first. */
    openEpisodes: (place: number, limit: number) =>
      readAlerts(async (tables, toAlerts) => {
        const last: PlacedDelivery[] = [];
        for (const { id } of (await tables.watch.openEpisodes()).slice(-limit)) {
          const latest = await lastArrivedOf(tables, id, key, place);
          if (latest !== undefined) last.push(latest);
        }
        return toAlerts(last.toSorted((a, b) => a.position - b.position));
      }),
    /** The rolling messages that have grown since a moment: the last state of each, under its own id. */
    grownSince: (since: Milliseconds) =>
      readAlerts(async (tables, toAlerts) => {
        const rows = await tables.delivered.grown(key, since, MAX_DAYS_READ);
        const editedAt = new Map(rows.map((row) => [row.id, row.attempted_at]));
        return (await toAlerts(rows)).map((alert) => ({ ...alert, at: editedAt.get(alert.id) ?? alert.at }));
      }),
    /** Messages that arrived after a position, in that order, with the next position and whether there are more. */
    after: (place: number, limit: number) =>
      readAlerts(async (tables, toAlerts) => {
        const rows = await tables.delivered.after(key, place, limit);
        return { alerts: await toAlerts(rows), place: rows.at(-1)?.position ?? place, more: rows.length === limit };
      }),
    /** A message as its edits show it by now: acknowledged, or over. Undefined if it has not arrived here. */
    get: (id: string) =>
      readAlerts(async (tables, toAlerts) => {
        const row = await arrivedMessage(tables, id, key);
        return row === undefined ? undefined : (await toAlerts([row], asEdited))[0];
      }),
  };
}

async function placeBefore(tables: AlertTables, key: string, count: number) {
  const [first] = await tables.delivered.last(key, count);
  return first === undefined
    ? { place: 0, at: 0 }
    : { place: first.position - 1, at: first.settled_at ?? first.created_at };
}

/** What a live message shows once its alert is acknowledged, or over. */
async function asEdited(tables: AlertTables, message: AlertMessage): Promise<AlertMessage> {
  if (message.type !== "condition" || message.phase === "resolve") return message;
  const row = await tables.watch.episode(message.episode.id);
  const episode = row === undefined ? message.episode : parseEpisode(row);
  const isChanged = episode.acknowledged !== undefined || !isOpen(episode);
  return isChanged ? { ...message, phase: "state", episode } : message;
}

/** Messages that this program cannot read any more are left out. */
async function toFeedAlerts(
  tables: AlertTables,
  rows: readonly DeliveryRow[],
  describe: Describe,
  shownAs?: typeof asEdited,
): Promise<FeedAlert[]> {
  const { kindNoun } = await import("../words/subscription-words.ts");
  const messages = await readMessages(tables, rows);
  const alerts: FeedAlert[] = [];
  for (const row of rows) {
    const message = messages.get(row.message);
    if (message === undefined) continue;
    const triggeredAt = await triggerDeliveryTime(tables, row);
    const context = {
      ...(isMerged(message, row) ? { merged: true as const } : {}),
      ...(triggeredAt === undefined ? {} : { triggeredAt }),
      // After the database went back it may have been told with another id.
      ...(row.uncertain_since === 0 ? { repeat: true as const } : {}),
    };
    const about = deliverySubject(message, row.phase);
    alerts.push({
      at: row.settled_at ?? row.created_at,
      id: row.id,
      about,
      noun: kindNoun(about.kind),
      reply: describe((await shownAs?.(tables, message)) ?? message, context),
    });
  }
  return alerts;
}
