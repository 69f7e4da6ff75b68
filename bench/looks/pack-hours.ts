// Packs looks hour by hour as a bot does, in a process of its own: nothing else is in its heap. Called with a database to be,
// and a file with a kept look a line. Says the longest time on the processor between two turns of the event loop.

import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";

import type { Clock } from "../../src/api/clock.ts";
import { silentLog } from "../../src/log.ts";
import { keepLooks } from "../../src/looks/keep.ts";
import { lookFromText } from "../../src/looks/look.ts";
import { createStore } from "../../src/store/create-store.ts";
import { fromMillis, toMillis } from "../../src/units/time.ts";
import { SOURCES } from "../support/days-of-three.ts";

const HOUR = 3_600_000;

const [database = "", texts = ""] = process.argv.slice(2);
const log = silentLog();
const store = createStore({ url: `file:${database}`, log });
await store.claim();
await store.ping();
let [longest, hours] = [0, 0];
let hour: number | undefined;
let looks: { readonly text: string; readonly at: number }[] = [];
const file = await open(texts);
for await (const text of file.readLines()) {
  const at = toMillis(lookFromText(text).at);
  const own = Math.floor(at / HOUR);
  if (own !== hour) await packHour();
  hour = own;
  looks.push({ text, at });
}
await packHour();
await store.close();
console.log(JSON.stringify({ longest, hours }));

async function packHour(): Promise<void> {
  if (hour === undefined) return;
  await store.transaction(async ({ alerts }) => {
    for (const { text, at } of looks) await alerts.watch.putSnapshot(SOURCES.network, SOURCES.watcher, at, "{}", text);
  });
  longest = Math.max(longest, await packUntil((hour + 1) * HOUR));
  [hours, looks] = [hours + 1, []];
}

/** Packs what is in the tail at that moment; gives the longest time that the event loop was held up, in milliseconds of CPU. */
async function packUntil(now: number): Promise<number> {
  const packed = new AbortController();
  const clock: Clock = {
    wallClock: () => fromMillis(now),
    monotonicMillis: () => now,
    sleep: async () => packed.abort(),
  };
  const bounds = { keepMillis: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER, markets: 200 };
  const packing = keepLooks(SOURCES.network, { store, bounds, run: "one", settings: {}, clock, log }, packed.signal);
  let most = 0;
  while (!packed.signal.aborted) {
    const began = process.threadCpuUsage();
    await setImmediate();
    const { user, system } = process.threadCpuUsage(began);
    most = Math.max(most, (user + system) / 1000);
  }
  await packing;
  return most;
}
