import { z } from "zod";

// The account of a finished export, which is stored as JSON. Counts are numbers. Amounts (in the asset's smallest unit)
// and times (Unix nanoseconds) are decimal strings, because a JS number cannot hold all of them exactly.

const Integer = z.string().regex(/^-?\d+$/u);
const Count = z.number().int().nonnegative();
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/u);

/**
 * Amounts that the party received and sent. Entries between two of its own accounts are in neither. `in` and `net` are
 * left out where the node tells only what the party sent.
 */
const Flow = z.object({
  rows: Count,
  in: Integer.exactOptional(),
  out: Integer,
  /** `in` minus `out`. */
  net: Integer.exactOptional(),
});

/** Tells how a file with other bytes differs: in its columns, its number of rows or the sums of its quantities. */
export const LedgerFingerprint = z.object({
  /** Of the file, in its order. */
  columns: z.array(z.string()),
  rows: Count,
  /** The sums of quantity and effect, by column, as far as the file has these columns. */
  sums: z.record(z.string(), Integer),
});
export type LedgerFingerprint = z.infer<typeof LedgerFingerprint>;

/** Amounts received and sent, and balances of the party's accounts. */
const LedgerFlows = z.object({
  /** By transfer type as the file names it, most rows first; types beyond 200 are summed as `other`. */
  types: z.array(Flow.extend({ type: z.string() })),
  total: Flow,
  /**
   * The party's accounts whose balance before the first entry and after the last one follows from the columns with
   * certainty: the entries between them add up to the difference.
   */
  balances: z.array(z.object({ account: z.string(), market: z.string(), opening: Integer, closing: Integer })),
  /** The number of the party's other accounts. */
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
  /** Left out of a raw export, whose rows are neither filtered nor summed. */
  flows: LedgerFlows.exactOptional(),
  /**
   * The range begins before the node's history, which begins at `from`: by its rows, by the settings, or presumably.
   */
  partial: z.object({ from: Integer, how: z.enum(["seen", "set", "presumed"]) }).exactOptional(),
  /** The node is of a release that tells only what the party sent. */
  outgoingOnly: z.boolean(),
  /** The file has the node's bytes, checked, neither filtered nor sorted. */
  raw: z.boolean(),
  /** The unit of `amount`, as far as known. */
  unit: z.object({ symbol: z.string().exactOptional(), decimals: Count.exactOptional() }),
  /** See LedgerStream. */
  endIsProven: z.boolean(),
  /** Nodes that were asked before, in order, and why each gave nothing; left out where there are none. */
  failed: z.array(z.object({ node: z.string(), why: z.string() })).exactOptional(),
  /** The nodes that gave slices of the range, where these are several. */
  nodes: z.array(z.string()).exactOptional(),
  sizeBytes: Count,
  sha256: Sha256,
  /** Left out of a raw export, which is recognised by its SHA-256 alone. */
  fingerprint: LedgerFingerprint.exactOptional(),
});
/** Exact where `partial` is left out, `outgoingOnly` is false and `endIsProven` is true. */
export type LedgerAccount = z.infer<typeof LedgerAccount>;
