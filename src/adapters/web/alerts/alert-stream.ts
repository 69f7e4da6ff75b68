import type { AlertFeed } from "../../../alerts/service/feed.ts";
import { inTime } from "../../../in-time.ts";
import { disposeReply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import {
  ALERT_BATCH_SIZE,
  INITIAL_ALERTS,
  INITIAL_OPEN_ALERTS,
  MAX_REPLAYED_ALERTS,
  RECONNECT_MILLIS,
} from "../limits.ts";
import { alertJson } from "./alert-json.ts";

/** The console's alerts, and a signal for new ones. */
export interface ConsoleAlerts {
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

/**
 * One server-sent event per delivery, in order, with the delivery's id
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
    const known = options.last === undefined ? undefined : await feed.placeOf(options.last);
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
