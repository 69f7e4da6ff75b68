// Compares a file that somebody gives back with the accounts of this bot's exports: it has the same bytes, or the same
// rows in another form, or it differs. read-ledger-file.ts reads the file.

import type { LedgerAccount } from "../ledger-account.ts";
import type { LedgerFilePrint } from "./read-ledger-file.ts";

/** A difference: `found` in the file, `expected` by the export. */
export type LedgerDifference =
  | { readonly what: "columns"; readonly found: readonly string[]; readonly expected: readonly string[] }
  | { readonly what: "rows"; readonly found: number; readonly expected: number }
  /** Of a column's integers; `found` is left out where one of them is no integer any more. */
  | { readonly what: "sum"; readonly column: string; readonly found?: string; readonly expected: string }
  /** The rows are not sorted by time any more. */
  | { readonly what: "order" }
  /** The number of rows and the sums agree. Some cell differs, or the order of rows that have the same time or none. */
  | { readonly what: "cells" }
  /** From this row on it is no CSV: it was cut short or damaged. `expected`: the number of rows. */
  | { readonly what: "broken"; readonly row: number; readonly why: string; readonly expected: number }
  /** Nothing more is known: no sums are kept of a raw export, and a file that is no CSV has none. */
  | { readonly what: "bytes" };

export type LedgerVerdict =
  /** Byte for byte. */
  | { readonly kind: "same" }
  /** Byte for byte an archive, a part, or a table beside it, in which the export was delivered under this name. */
  | { readonly kind: "packed"; readonly name: string }
  /** The same rows in the same order: line ends, quotes or a byte order mark differ. */
  | { readonly kind: "rewritten" }
  /** The same rows in another order. */
  | { readonly kind: "reordered" }
  | { readonly kind: "differs"; readonly differences: readonly LedgerDifference[] };

/** Compares a file with one export. */
export function compareLedger(print: LedgerFilePrint, account: LedgerAccount): LedgerVerdict {
  if (print.sha256 === account.sha256) return { kind: "same" };
  const { fingerprint, rows } = account;
  const { table, broken } = print;
  if (broken !== undefined && broken.columns.join("\n") === fingerprint?.columns.join("\n")) {
    return { kind: "differs", differences: [{ what: "broken", row: broken.row, why: broken.why, expected: rows }] };
  }
  if (fingerprint === undefined || table === undefined) {
    const differs = table !== undefined && table.rows !== rows;
    return {
      kind: "differs",
      differences: differs ? [{ what: "rows", found: table.rows, expected: rows }] : [{ what: "bytes" }],
    };
  }
  if (table.rewrittenSha256 === account.sha256) return { kind: "rewritten" };
  if (table.sortedSha256 === account.sha256) return { kind: "reordered" };
  const sameColumns = table.columns.join("\n") === fingerprint.columns.join("\n");
  const differences: LedgerDifference[] = [
    ...(sameColumns ? [] : [{ what: "columns" as const, found: table.columns, expected: fingerprint.columns }]),
    ...(table.rows === fingerprint.rows
      ? []
      : [{ what: "rows" as const, found: table.rows, expected: fingerprint.rows }]),
    ...Object.entries(fingerprint.sums).flatMap(([column, expected]): LedgerDifference[] => {
      const found = table.sums[column];
      if (found === expected || !table.columns.includes(column)) return [];
      return [{ what: "sum", column, expected, ...(found === undefined ? {} : { found }) }];
    }),
    ...(table.sorted ? [] : [{ what: "order" as const }]),
  ];
  return { kind: "differs", differences: differences.length === 0 ? [{ what: "cells" }] : differences };
}

const RANKS = ["same", "packed", "rewritten", "reordered", "differs"] as const;

/** An export to compare with. */
export interface KnownExport {
  readonly account: LedgerAccount;
  /** The party and asset of its query, as long as these are kept. */
  readonly of?: { readonly partyId: string; readonly assetId: string };
}

/**
 * The export that a file is or comes from: the one that agrees most, the first of several. Undefined where it resembles
 * none: no export has its number of rows, or one of its sums, or its span with its party and asset.
 */
export function verifyLedger<Known extends KnownExport>(
  print: LedgerFilePrint,
  known: readonly Known[],
): { readonly known: Known; readonly verdict: LedgerVerdict } | undefined {
  const judged = known
    .map((one) => ({ known: one, verdict: compareLedger(print, one.account) }))
    .filter(({ known: one, verdict }) => verdict.kind !== "differs" || isAkin(print, one));
  const rowsApart = ({ known: { account } }: { readonly known: Known }): number =>
    Math.abs((print.table?.rows ?? 0) - account.rows);
  return judged.toSorted((a, b) => rankOf(a) - rankOf(b) || rowsApart(a) - rowsApart(b))[0];
}

/**
 * The lower, the more a file and an export agree. Exports with other columns rank behind those with the same, and those
 * without sums last.
 */
function rankOf({ known, verdict }: { known: { account: LedgerAccount }; verdict: LedgerVerdict }): number {
  const rank = RANKS.indexOf(verdict.kind);
  if (verdict.kind !== "differs") return rank;
  if (known.account.fingerprint === undefined) return rank + 50;
  return rank + (verdict.differences.some(({ what }) => what === "columns") ? 25 : 0) + verdict.differences.length;
}

function isAkin({ table }: LedgerFilePrint, { account, of }: KnownExport): boolean {
  const { rows, fingerprint } = account;
  if (table === undefined || rows === 0) return false;
  // A file that names another party or asset comes from another export.
  const isOf = of === undefined ? undefined : namesAll(table.parties, of.partyId) && namesAll(table.assets, of.assetId);
  if (isOf === false) return false;
  const sums = Object.entries(fingerprint?.sums ?? {});
  if (table.rows === rows || sums.some(([column, sum]) => table.sums[column] === sum)) return true;
  if (!isWithin(table, account)) return false;
  const sameColumns = table.columns.join("\n") === fingerprint?.columns.join("\n");
  const sharesEnd = table.firstTime === account.firstTime || table.lastTime === account.lastTime;
  return (isOf === true && table.parties.length > 0) || (sameColumns && sharesEnd);
}

/** Whether the id is in every row, as far as the columns tell. */
function namesAll(found: readonly string[], id: string): boolean {
  return found.length === 0 || found.includes(id);
}

/** Whether the export spans the times of all rows. */
function isWithin(
  { firstTime, lastTime }: Pick<LedgerAccount, "firstTime" | "lastTime">,
  account: LedgerAccount,
): boolean {
  if (firstTime === undefined || lastTime === undefined) return false;
  if (account.firstTime === undefined || account.lastTime === undefined) return false;
  return BigInt(firstTime) >= BigInt(account.firstTime) && BigInt(lastTime) <= BigInt(account.lastTime);
}
