// Alerts on the console: the routes of the stream, of single alerts and of their files.
// Read next: alert-stream.ts (server-sent events), alert-json.ts (one alert), watch.ts (current state, guided incident),
// console-sender.ts (the console as a destination).

import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { stream } from "hono/streaming";

import type { FeedAlert } from "../../../alerts/service/feed.ts";
import { messageOf } from "../../../errors.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { Access } from "../access/access.ts";
import { refuse } from "../access/guard.ts";
import { fileResponse } from "../files.ts";
import { createConcurrencyLimit, MAX_ALERT_STREAMS } from "../limits.ts";
import type { RenderDependencies } from "../render.ts";
import { alertWithPreviews, filesOf } from "./alert-json.ts";
import type { WatchState } from "./watch.ts";
import { alertEvents, type ConsoleAlerts } from "./alert-stream.ts";

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
          isSignedIn: () => dependencies.access.isSignedIn(c),
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
