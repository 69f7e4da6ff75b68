import { Chunk } from "../../src/looks/chunk.ts";
import { readRows } from "./database.ts";

/** No look twice, and none missing that a stored snapshot speaks of: each has the next number of its watcher. */
export async function judgeLooks(url: string): Promise<{ readonly looks: number; readonly faults: readonly string[] }> {
  const watchers = await readRows<{ network: string; watcher: string; looks: number | string }>(
    url,
    "SELECT network, watcher, looks FROM watcher_snapshots ORDER BY network, watcher",
  );
  const tail = await readRows<{ network: string; watcher: string; number: number | string }>(
    url,
    "SELECT network, watcher, number FROM looks_tail ORDER BY number",
  );
  const chunks = await readRows<{
    network: string;
    watcher: string;
    first: number | string;
    last: number | string;
    bytes: Uint8Array;
  }>(url, "SELECT network, watcher, first, last, bytes FROM looks_chunks ORDER BY first");
  const faults: string[] = [];
  let looks = 0;
  for (const { network, watcher, looks: count } of watchers) {
    const isOf = (one: { readonly network: string; readonly watcher: string }): boolean =>
      one.network === network && one.watcher === watcher;
    const found = tail.filter(isOf).map(({ number }) => Number(number));
    for (const { first, last, bytes } of chunks.filter(isOf)) {
      const size = Number(last) - Number(first) + 1;
      if (new Chunk(bytes).size !== size) faults.push(`${watcher} at ${network}: a chunk of ${size} looks has others`);
      found.push(...Array.from({ length: size }, (_, index) => Number(first) + index));
    }
    const sorted = found.toSorted((a, b) => a - b);
    const wanted = Array.from({ length: Number(count) }, (_, index) => index + 1);
    if (JSON.stringify(sorted) !== JSON.stringify(wanted)) {
      faults.push(`${watcher} at ${network}: ${count} looks were numbered, and ${found.length} are kept`);
    }
    looks += found.length;
  }
  if (looks === 0) faults.push("no look was kept");
  return { looks, faults };
}
