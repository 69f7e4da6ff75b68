import type { AlertFeed } from "../../../alerts/service/feed.ts";
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

/** The console's alerts, and a bell that rings when there is a new one. */
export interface ConsoleAlerts {
  readonly feed: AlertFeed;
  /** Calls back whenever something has arrived; gives the function that ends it. */
  onChange(listener: () => void): () => void;
}

export interface AlertStreamOptions extends ConsoleAlerts {
  /** The last alert that the reader had: it is sent what came since. */
  readonly last: string | undefined;
  /** Asked from time to time: whether the reader may still read. */
  admitted(): boolean;
  readonly heartbeatMillis: Milliseconds;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/**
 * One server-sent event a delivery, in order, with the delivery's id (https://html.spec.whatwg.org/#server-sent-events).
 * They are read from the store, not from memory: a reader that comes back with the last id it had, to this process or
 * to the next, misses nothing. Where that one is not known any more, an event `gap` says so before the last ones follow.
 * A message that grows over a day comes again under its own id, which is not where the reader then stands; nor is that of
 * what is not over, which a new reader is told first, however long ago it came.
 */
export async function* alertEvents(parts: AlertStreamOptions): AsyncGenerator<string, void> {
  const { feed, signal } = parts;
  const bell = new ChangeSignal();
  const hangUp = parts.onChange(() => bell.ring());
  try {
    yield `retry: ${RECONNECT_MILLIS}\n\n`;
    const known = parts.last === undefined ? undefined : await feed.placeOf(parts.last);
    if (parts.last !== undefined && known === undefined) yield gapEvent();
    const start = known ?? (await feed.placeBefore(parts.last === undefined ? INITIAL_ALERTS : MAX_REPLAYED_ALERTS));
    let { place, at: since } = start;
    // What lasts for days is told long before the last ones, and is what a new reader wants to know first.
    for (const alert of known === undefined ? await feed.openEpisodes(place, INITIAL_OPEN_ALERTS) : []) {
      yield `data: ${JSON.stringify(alertJson(alert))}\n\n`;
      await disposeReply(alert.reply);
    }
    const shown = new Map<string, number>();
    while (!signal.aborted) {
      bell.hush();
      const batch = await feed.after(place, ALERT_BATCH_SIZE);
      for (const alert of batch.alerts) {
        yield `id: ${alert.id}\ndata: ${JSON.stringify(alertJson(alert))}\n\n`;
        await disposeReply(alert.reply);
      }
      place = batch.place;
      if (batch.more) continue;
      const grown = await feed.grownSince(since);
      for (const alert of grown) {
        if (shown.get(alert.id) !== alert.place) yield `data: ${JSON.stringify(alertJson(alert))}\n\n`;
        shown.set(alert.id, alert.place);
        await disposeReply(alert.reply);
      }
      since = Math.max(since, ...grown.map(({ at }) => at), ...batch.alerts.map(({ at }) => at));
      if ((await bell.wait(parts.heartbeatMillis, signal)) === "rung") continue;
      if (signal.aborted || !parts.admitted()) return;
      yield ": nothing new\n\n";
    }
  } finally {
    hangUp();
  }
}

function gapEvent(): string {
  const why = `the last alert you had is not kept any more; the last ${MAX_REPLAYED_ALERTS} follow`;
  return `event: gap\ndata: ${JSON.stringify({ why })}\n\n`;
}

class ChangeSignal {
  #rung = Promise.withResolvers<"rung">();

  ring(): void {
    this.#rung.resolve("rung");
  }

  /** What rings from here on is heard by the next wait. */
  hush(): void {
    this.#rung = Promise.withResolvers<"rung">();
  }

  async wait(millis: Milliseconds, signal: AbortSignal): Promise<"rung" | "silence"> {
    const { promise: silence, resolve } = Promise.withResolvers<"silence">();
    const end = (): void => resolve("silence");
    const timer = setTimeout(end, millis);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    try {
      return await Promise.race([this.#rung.promise, silence]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }
}

/**
 * A stream of text that is made only as fast as it is read, and that is given up for a reader that takes nothing for
 * `patienceMillis`: `cut` is then to break the connection. `ended` is called once, whatever ends it.
 */
export function streamWithReadTimeout(
  source: AsyncGenerator<string, void>,
  patienceMillis: Milliseconds,
  { ended, cut }: { readonly ended: () => void; readonly cut: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const end = (): void => {
    clearTimeout(timer);
    if (over) return;
    over = true;
    ended();
    // One that waits for news ends by its signal; the generator itself is told here.
    source.return().catch(() => undefined);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        try {
          const { done, value } = await source.next();
          if (over) return;
          if (done === true) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(value));
          timer = setTimeout(() => {
            end();
            cut();
          }, patienceMillis);
        } catch (thrown) {
          end();
          throw thrown;
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
