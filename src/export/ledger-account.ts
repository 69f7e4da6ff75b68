import { z } from "zod";

// What is known of a finished export besides its bytes. It is JSON as it stands: counts are numbers, amounts (in the
// asset's smallest unit) and times (Unix nanoseconds) are decimal strings, because they go beyond what a JS number holds.

const Integer = z.string().regex(/^-?\d+$/u);
const Count = z.number().int().nonnegative();
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/u);

/**
 * Amounts that came to the party and went from it. Entries between two of its own accounts are neither. `in` and `net`
 * are left out where the node tells only what the party sent.
 */
const Flow = z.object({
  rows: Count,
  in: Integer.exactOptional(),
  out: Integer,
  /** `in` minus `out`. */
  net: Integer.exactOptional(),
});

/** Tells where a file differs whose bytes are others: in its columns, its number of rows, the sums of its quantities. */
export const LedgerFingerprint = z.object({
  /** Of the file, in its order. */
  columns: z.array(z.string()),
  rows: Count,
  /** By column name: quantity and effect, as far as the file has them. */
  sums: z.record(z.string(), Integer),
});
export type LedgerFingerprint = z.infer<typeof LedgerFingerprint>;

/** What came, went and stood on the party's accounts. */
const LedgerFlows = z.object({
  /** By transfer type as the file names it, most rows first; at most 200, the rest under `other`. */
  types: z.array(Flow.extend({ type: z.string() })),
  total: Flow,
  /**
   * The party's accounts of which the balance before the first entry and after the last one follow from the columns
   * without doubt: the entries between them add up to the difference.
   */
  balances: z.array(z.object({ account: z.string(), market: z.string(), opening: Integer, closing: Integer })),
  /** Accounts of the party whose balances do not follow. */
  balancesUnknown: Count,
});
export type LedgerFlows = z.infer<typeof LedgerFlows>;

export const LedgerAccount = z.object({
  /** In the file, without the header. */
  rows: Count,
  /** The earliest and latest vega_time; left out where there is no row. */
  firstTime: Integer.exactOptional(),
  lastTime: Integer.exactOptional(),
  /** Rows that the node sent and that are not in the file, each counted once, by the first reason that applies. */
  dropped: z.object({ asset: Count, party: Count, range: Count }),
  /** Left out of a raw export, whose rows are neither filtered nor read. */
  flows: LedgerFlows.exactOptional(),
  /** The range begins before the node's history: `from` is where that begins, by its rows, the settings or the usual. */
  partial: z.object({ from: Integer, how: z.enum(["seen", "set", "presumed"]) }).exactOptional(),
  /** The node sent the columns of the releases that tell only what the party sent. */
  outgoingOnly: z.boolean(),
  /** The node's bytes, checked, neither filtered nor sorted. */
  raw: z.boolean(),
  /** What `amount` is written in, as far as known. */
  unit: z.object({ symbol: z.string().exactOptional(), decimals: Count.exactOptional() }),
  /** See LedgerStream. */
  endIsProven: z.boolean(),
  sizeBytes: Count,
  sha256: Sha256,
  /** Left out of a raw export, which is recognised by its SHA-256 alone. */
  fingerprint: LedgerFingerprint.exactOptional(),
});
/** Exact where `partial` is left out, `outgoingOnly` is false and `endIsProven` is true. */
export type LedgerAccount = z.infer<typeof LedgerAccount>;
