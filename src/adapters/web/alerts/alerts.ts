// Alerts on the console: the routes of the stream, of single alerts and of their files.
// Read next: alert-json.ts (one alert), watch.ts (current state, guided incident),
// console-sender.ts (the console as a destination).

import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { stream } from "hono/streaming";

import type { AlertFeed, FeedAlert } from "../../../alerts/service/feed.ts";
import { messageOf } from "../../../errors.ts";
import { inTime, type Milliseconds } from "../../../units/time.ts";
import { disposeReply } from "../../../reply/reply.ts";
import type { Access } from "../access/access.ts";
import { refuse } from "../access/guard.ts";
import { fileResponse } from "../files.ts";
import {
  ALERT_BATCH_SIZE,
  createConcurrencyLimit,
  INITIAL_ALERTS,
  INITIAL_OPEN_ALERTS,
  MAX_ALERT_STREAMS,
  MAX_REPLAYED_ALERTS,
  RECONNECT_MILLIS,
} from "../limits.ts";
import type { RenderDependencies } from "../render.ts";
import { alertJson, alertWithPreviews, filesOf } from "./alert-json.ts";
import type { WatchState } from "./watch.ts";

export interface AlertRouteDependencies extends Pick<RenderDependencies, "previews" | "log"> {
  /** Absent if no alerts are delivered to the console. */
  readonly alerts?: ConsoleAlerts | undefined;
  /** The current state of networks and alerts: an alert that is over or acknowledged offers no Acknowledge. */
  readonly watch?: (() => Promise<WatchState>) | undefined;
  /** Shortened by tests. */
  readonly streamTimeouts: { readonly heartbeatMillis: Milliseconds; readonly readMillis: Milliseconds };
  readonly access: Access;
  /** Fires when the adapter stops. */
  readonly stopping: AbortSignal;
}

/** The console's alerts, and a signal for new ones. */
interface ConsoleAlerts {
  readonly feed: AlertFeed;
  /** Calls back whenever an alert has arrived; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

export interface AlertStreamOptions extends ConsoleAlerts {
  /** The reader's last alert: the stream resumes after it. */
  readonly last: string | undefined;
  /** Whether the reader is still signed in; checked at each heartbeat. */
  isSignedIn(): boolean;
  readonly heartbeatMillis: Milliseconds;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/** The stream of alerts, and each alert by its id. Paths are below /api. */
export function alertRoutes(dependencies: AlertRouteDependencies): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const { alerts, streamTimeouts } = dependencies;
  const takeSlot = createConcurrencyLimit(MAX_ALERT_STREAMS);
  if (alerts === undefined) return app;

  app.get("/alerts", (c) => {
    const release = takeSlot();
    if (release === undefined) {
      return refuse(c, 503, `${MAX_ALERT_STREAMS} streams of alerts are open already: close one.`, 30);
    }
    c.header("Content-Type", "text/event-stream; charset=utf-8");
    c.header("X-Accel-Buffering", "no");
    return stream(c, async (out) => {
      const unread = new AbortController();
      out.onAbort(() => unread.abort());
      const disconnect = (): void => {
        out.abort();
        c.env.outgoing.destroy();
      };
      try {
        const frames = alertEvents({
          ...alerts,
          last: c.req.header("last-event-id") || undefined,
          isSignedIn: () => dependencies.access.isStillSignedIn(c),
          heartbeatMillis: streamTimeouts.heartbeatMillis,
          signal: AbortSignal.any([unread.signal, c.req.raw.signal, dependencies.stopping]),
        });
        for await (const frame of frames) {
          const timer = setTimeout(disconnect, streamTimeouts.readMillis);
          await out.write(frame);
          clearTimeout(timer);
        }
      } catch (thrown) {
        // The reader reconnects.
        dependencies.log.error({ why: messageOf(thrown) }, "alert stream failed");
      } finally {
        release();
      }
    });
  });

  app.get("/alerts/:id", async (c) => {
    const found = await alerts.feed.get(c.req.param("id"));
    if (found === undefined) return refuse(c, 404, UNKNOWN);
    return c.json(alertWithPreviews(found, dependencies, await isSettled(found)));
  });

  /** Whether nobody needs to acknowledge it any more. */
  async function isSettled({ about: { episode } }: FeedAlert): Promise<boolean> {
    const now = episode === undefined ? undefined : await dependencies.watch?.();
    if (now === undefined) return false;
    const open = now.open.find((one) => one.episode === episode);
    return open === undefined || open.acknowledged !== undefined;
  }

  app.get("/alerts/:id/files/:number", async (c) => {
    const found = await alerts.feed.get(c.req.param("id"));
    const number = c.req.param("number");
    const file = found === undefined || !/^\d{1,3}$/u.test(number) ? undefined : filesOf(found.reply)[Number(number)];
    if (file === undefined) return refuse(c, 404, UNKNOWN);
    return fileResponse(file, c.req.method === "HEAD" ? null : (file.open() as AsyncIterable<Uint8Array>));
  });

  return app;
}

const UNKNOWN = "This alert is not known here, or no longer kept.";

/**
 * One server-sent event per delivery, in the order of arrival, with the delivery's id
 * (https://html.spec.whatwg.org/#server-sent-events). Events are read from the store, so a reader that resumes with its
 * last id misses nothing, even across restarts. If that id is no longer stored, an event `gap` comes first, then the
 * latest alerts. A rolling message is sent again as it grows, without an id, so that the reader's position stays; the
 * same holds for the open alerts that a new reader gets first.
 */
export async function* alertEvents(options: AlertStreamOptions): AsyncGenerator<string, void> {
  const { feed, signal } = options;
  let changed = Promise.withResolvers<true>();
  const unsubscribe = options.onChange(() => changed.resolve(true));
  try {
    yield `retry: ${RECONNECT_MILLIS}\n\n`;
    const known = options.last === undefined ? undefined : await feed.placeOf(options.last, MAX_REPLAYED_ALERTS);
    if (options.last !== undefined && known === undefined) yield gapEvent();
    const start = known ?? (await feed.placeBefore(options.last === undefined ? INITIAL_ALERTS : MAX_REPLAYED_ALERTS));
    let { place, at: since } = start;
    // Open alerts may be days older than the latest ones, and matter most to a new reader.
    for (const alert of known === undefined ? await feed.openEpisodes(place, INITIAL_OPEN_ALERTS) : []) {
      yield `data: ${JSON.stringify(alertJson(alert))}\n\n`;
      await disposeReply(alert.reply);
    }
    const shown = new Map<string, number>();
    while (!signal.aborted) {
      // A change while the store is read ends the wait below.
      changed = Promise.withResolvers();
      const batch = await feed.after(place, ALERT_BATCH_SIZE);
      for (const alert of batch.alerts) {
        yield `id: ${alert.id}\ndata: ${JSON.stringify(alertJson(alert))}\n\n`;
        await disposeReply(alert.reply);
      }
      place = batch.place;
      if (batch.more) continue;
      const grown = await feed.grownSince(since);
      for (const alert of grown) {
        if (shown.get(alert.id) !== alert.at) yield `data: ${JSON.stringify(alertJson(alert))}\n\n`;
        shown.set(alert.id, alert.at);
        await disposeReply(alert.reply);
      }
      since = Math.max(since, ...grown.map(({ at }) => at), ...batch.alerts.map(({ at }) => at));
      const hasChanged = await inTime(changed.promise, { millis: options.heartbeatMillis, signal }, () => false);
      if (signal.aborted || !options.isSignedIn()) return;
      if (!hasChanged) yield ": nothing new\n\n";
    }
  } finally {
    unsubscribe();
  }
}

function gapEvent(): string {
  const why = `the last alert you had is not kept any more; the last ${MAX_REPLAYED_ALERTS} follow`;
  return `event: gap\ndata: ${JSON.stringify({ why })}\n\n`;
}
