import { setImmediate } from "node:timers/promises";

import type { Clock } from "../api/clock.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { LooksOf } from "../store/alert-tables/looks.ts";
import type { Store } from "../store/store.ts";
import { formatBytes } from "../units/format-number.ts";
import { formatDuration, HOUR, type Milliseconds, toMillis } from "../units/time.ts";
import { encodeChunk, LOOKS_BEFORE_PAUSE } from "./columns.ts";
import { type Json, type Look, lookFromText, lookToText } from "./look.ts";

/** How long looks are kept, and how much room they may take. */
export interface LooksBounds {
  readonly keepMillis: Milliseconds;
  readonly maxBytes: number;
  /** Markets of each network. */
  readonly markets: number;
}

interface KeepLooksDependencies {
  /** Its transactions fail where this process no longer watches the network. */
  readonly store: Pick<Store, "transaction" | "read">;
  readonly bounds: LooksBounds;
  /** Names this watch, as its looks do. */
  readonly run: string;
  /** By what the network is watched. */
  readonly settings: Json;
  readonly clock: Clock;
  readonly log: Log;
}

const SELDOM: Milliseconds = 30_000;
/** The looks of an hour become a chunk; of a watcher that looks seldom those of six, since each column takes room. */
export function spanOf({ every }: Pick<Look, "every">): Milliseconds {
  return every < SELDOM ? HOUR : 6 * HOUR;
}
/** Looks of one chunk at most: an hour has 720 of those that come most often, by default. */
const MAX_LOOKS = 2000;
const LOOK_EVERY: Milliseconds = 60_000;
/** Chunks that are looked at together when the oldest are to go. */
const OLD_CHUNKS = 200;

/** The watcher under whose name settings are kept. */
export const SETTINGS = "settings";

/** Keeps what the network is watched by from now on, where it differs from what was kept last. */
async function keepSettings(network: string, { store, clock, run, settings }: KeepLooksDependencies): Promise<void> {
  const at = clock.wallClock();
  const data = JSON.stringify(settings);
  await store.transaction(async ({ alerts: { watch } }) => {
    if ((await watch.snapshot(network, SETTINGS))?.data === data) return;
    const look = lookToText({ run, dueMillis: clock.monotonicMillis(), every: 0, at, seen: settings });
    await watch.putSnapshot(network, SETTINGS, toMillis(at), data, look);
  });
}

/** Packs the looks of a network hour by hour, and drops the oldest of all networks, until the signal. Never rejects. */
export async function keepLooks(
  network: string,
  dependencies: KeepLooksDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = dependencies;
  let packedUntil = Number.NaN;
  let [failing, noted] = [false, false];
  while (!signal.aborted) {
    const hour = Math.floor(toMillis(clock.wallClock()) / HOUR) * HOUR;
    // A wall clock that was set back begins an hour anew: its looks are packed with the next one.
    if (hour !== packedUntil) {
      try {
        if (!noted) await keepSettings(network, dependencies);
        noted = true;
        await packLooks(network, hour, dependencies, signal);
        await dropOldLooks(dependencies);
        packedUntil = hour;
        failing = false;
      } catch (thrown) {
        if (!failing && !signal.aborted) log.warn({ network, why: messageOf(thrown) }, "looks not packed");
        failing = true;
      }
    }
    await clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
  }
}

/** Packs the looks of spans that ended by `until`. They are read and packed outside of the transaction that stores them. */
async function packLooks(
  network: string,
  until: Milliseconds,
  { store, log }: Pick<KeepLooksDependencies, "store" | "log">,
  signal?: AbortSignal,
): Promise<void> {
  const watchers = await store.read(({ looks }) => looks.unpacked(network, until));
  const pause = (): Promise<void> => setImmediate();
  // Settings are few, and hold for longer than the looks that are kept.
  for (const { watcher } of watchers.filter((one) => one.watcher !== SETTINGS)) {
    const of = { network, watcher };
    for (;;) {
      signal?.throwIfAborted();
      const { numbers, times, looks } = await endedSpan(of, until, { store, log });
      if (numbers.length === 0) break;
      const chunk =
        looks.length === 0
          ? undefined
          : {
              first_at: Math.min(...times),
              last_at: Math.max(...times),
              bytes: await encodeChunk(looks, pause),
            };
      await store.transaction(({ looks: tables }) => tables.pack(of, numbers, chunk, pause));
    }
  }
}

/**
 * The looks of the first span in the tail, unless it is the present one, with `until`. Their order is by number, not by the
 * wall clock: where that was ahead, a span of the future comes first, and is over, too.
 */
async function endedSpan(
  of: LooksOf,
  until: Milliseconds,
  { store, log }: Pick<KeepLooksDependencies, "store" | "log">,
) {
  const [numbers, times, looks]: [number[], Milliseconds[], Look[]] = [[], [], []];
  let [length, first]: [Milliseconds?, number?] = [];
  while (numbers.length < MAX_LOOKS) {
    const after = numbers.at(-1) ?? 0;
    const rows = await store.read((tables) => tables.looks.tail(of, LOOKS_BEFORE_PAUSE, after));
    for (const { number, at, data } of rows) {
      const look = readable(data);
      length ??= "why" in look ? HOUR : spanOf(look);
      const own = Math.floor(at / length);
      first ??= own;
      if (own === Math.floor(until / length) || own !== first) return { numbers, times, looks };
      numbers.push(number);
      times.push(at);
      if ("why" in look) log.warn({ ...of, number, ...look }, "look unreadable");
      else looks.push(look);
    }
    if (rows.length < LOOKS_BEFORE_PAUSE) break;
    await setImmediate();
  }
  return { numbers, times, looks };
}

function readable(data: string): Look | { readonly why: string } {
  try {
    return lookFromText(data);
  } catch (thrown) {
    return { why: messageOf(thrown) };
  }
}

/** Drops the oldest chunks of all networks until those that are left are young enough, and few enough. */
async function dropOldLooks({ store, bounds, clock, log }: KeepLooksDependencies): Promise<void> {
  const now = toMillis(clock.wallClock());
  const dropped = await store.transaction(async ({ looks }) => {
    // The tail is no chunk yet, but takes room as well.
    let bytes = (await looks.stored()).bytes + (await looks.tailBytes());
    let [count, youngest] = [0, 0];
    for (;;) {
      const old = await looks.oldest(OLD_CHUNKS);
      const due = old.filter(({ last_at, size }) => {
        if (last_at >= now - bounds.keepMillis && bytes <= bounds.maxBytes) return false;
        bytes -= size;
        return true;
      });
      for (const one of due) {
        await looks.drop(one);
        youngest = Math.max(youngest, one.last_at);
      }
      count += due.length;
      if (due.length < OLD_CHUNKS) return { count, youngest, bytes };
    }
  });
  if (dropped.count === 0) return;
  const age = formatDuration(Math.max(0, now - dropped.youngest));
  log.info({ chunks: dropped.count, until: age, left: formatBytes(dropped.bytes) }, "looks dropped");
}
