import type { LedgerQuery, LedgerStream } from "../api/api-client.ts";
import { type Milliseconds, nanoseconds, type Nanoseconds, NANOSECONDS_PER_SECOND } from "../units/time.ts";
import { withoutUndefined } from "../units/without-undefined.ts";
import type { LedgerAccount } from "./ledger-account.ts";
import type { LedgerFile } from "./ledger-exports.ts";
import { PRESUMED_HISTORY } from "./node-memory.ts";
import { headerRow } from "./normalise/file-columns.ts";

/**
 * The ranges that are asked for one after the other; the query alone where it is no longer than a slice. Nodes cut times
 * to whole seconds, so each slice but the first begins with one. All that is older than a node usually keeps is in the
 * first slice of a range without a beginning.
 */
export function slicesOf(query: LedgerQuery, slice: Milliseconds, now: Nanoseconds): readonly LedgerQuery[] {
  if (slice === Infinity) return [query];
  const step = BigInt(slice) * 1_000_000n;
  const end = query.to ?? now;
  const from = query.from ?? end - PRESUMED_HISTORY;
  const cuts: Nanoseconds[] = [];
  for (let at = from - (from % NANOSECONDS_PER_SECOND) + step; at < end; at += step) cuts.push(nanoseconds(at));
  return [query.from, ...cuts].map((start, index) => ({
    ...query,
    ...withoutUndefined({ from: start, to: cuts[index] ?? query.to }),
  }));
}

/** The part of a joined file's account that comes from its slices' accounts, not from its rows. */
export type JoinedAccount = Pick<LedgerAccount, "dropped" | "outgoingOnly"> &
  Partial<Pick<LedgerAccount, "failed" | "nodes" | "partial">>;

export function joinedAccount(slices: readonly LedgerFile[]): JoinedAccount {
  const accounts = slices.map(({ account }) => account);
  const sum = (reason: keyof LedgerAccount["dropped"]): number =>
    accounts.reduce((all, { dropped }) => all + dropped[reason], 0);
  const failed = accounts.flatMap((account) => account.failed ?? []);
  const nodes = [...new Set(slices.map(({ asOf }) => asOf.node))];
  return {
    dropped: { asset: sum("asset"), party: sum("party"), range: sum("range") },
    outgoingOnly: accounts.some((account) => account.outgoingOnly),
    ...withoutUndefined({
      failed: failed.length === 0 ? undefined : failed,
      nodes: nodes.length === 1 ? undefined : nodes,
      // The latest beginning of a history: all before it may have gaps.
      partial: accounts.findLast(({ partial }) => partial !== undefined)?.partial,
    }),
  };
}

/** Finished slices as one stream, with one header. */
export function joinedStream(slices: readonly LedgerFile[]): LedgerStream {
  const last = slices.at(-1);
  if (last === undefined) throw new Error("a range has at least one slice");
  return {
    async consume(take) {
      for (const [index, { attachment, columns }] of slices.entries()) {
        let skipped = index === 0 ? 0 : headerRow(columns.map((name) => ({ name }))).length;
        for await (const piece of attachment.open()) {
          const bytes = (piece as Buffer).subarray(skipped);
          skipped = Math.max(0, skipped - (piece as Buffer).length);
          await take(bytes);
        }
      }
    },
    cancel: () => undefined,
    share: () => undefined,
    endIsProven: slices.every(({ account }) => account.endIsProven),
    contentType: "text/csv",
    failed: [],
    asOf: last.asOf,
  };
}
