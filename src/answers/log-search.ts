import { setImmediate } from "node:timers/promises";

import { rowIncludes, createLogRowWriter, MAX_LOG_ENTRIES, type LogSource, type LogRow } from "./alert-log.ts";

/** Which lines of the log are asked for. */
export interface LogSearch {
  /** A destination's key: what is about it or about none. */
  readonly here: string | undefined;
  /** In lower case. */
  readonly wanted: string | undefined;
  readonly network: string | undefined;
  readonly signal: AbortSignal;
}

/** How many decisions, or deliveries, are looked at at a time: a few milliseconds' work, after which others have their turn. */
const SEARCH_BATCH_ENTRIES = 500;

/** One page of the log as it is, of which only what it shows is read; `range` says which entries, given how many there are. */
export async function logPage(
  desk: LogSource,
  here: string | undefined,
  range: (entries: number) => { readonly from: number; readonly to: number },
): Promise<{ readonly rows: readonly LogRow[]; readonly lines: number; readonly more: boolean }> {
  const of = { within: MAX_LOG_ENTRIES, destination: here };
  const { entries, more } = await desk.lines.count(of);
  const { from, to } = range(entries);
  const rows = await createLogRowWriter(desk)(await desk.lines.page(of, from, to));
  return { rows: newestFirst(rows), lines: entries, more };
}

/** All lines that have this in them, newest first. Rejects with the signal's reason. */
export async function searchLog(
  desk: LogSource,
  { here, wanted, network, signal }: LogSearch,
): Promise<{ readonly rows: readonly LogRow[]; readonly more: boolean }> {
  const of = { within: MAX_LOG_ENTRIES, destination: here };
  const { more } = await desk.lines.count(of);
  const write = createLogRowWriter(desk);
  const found: LogRow[] = [];
  for await (const entries of desk.lines.batches(of, SEARCH_BATCH_ENTRIES)) {
    for (const row of await write(entries)) {
      const isThere = network === undefined || row.network === network;
      if (isThere && (wanted === undefined || rowIncludes(row, wanted))) found.push(row);
    }
    await setImmediate();
    signal.throwIfAborted();
  }
  return { rows: newestFirst(found), more };
}

/** A message's receipt may be a moment older than what was kept of it. */
function newestFirst(rows: readonly LogRow[]): LogRow[] {
  return rows.toSorted((a, b) => b.at - a.at);
}
