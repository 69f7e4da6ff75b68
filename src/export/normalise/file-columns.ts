import { closest } from "fastest-levenshtein";

import { UserError } from "../../errors.ts";
import { MalformedCsv } from "../csv-splitter.ts";
import type { LedgerColumns } from "../ledger-transform.ts";
import { textCell } from "./cell.ts";

type Kind = "asWritten" | "effect" | "amount" | "transferType" | "accountType" | "id" | "party" | "text";

/** The columns of the files from nodes of all releases; docs/ledger.md explains each. */
const KINDS = {
  vega_time: "asWritten",
  quantity: "asWritten",
  effect: "effect",
  transfer_type: "transferType",
  asset_id: "id",
  account_from_market_id: "id",
  account_from_party_id: "party",
  account_from_account_type: "accountType",
  account_from_balance: "asWritten",
  account_to_market_id: "id",
  account_to_party_id: "party",
  account_to_account_type: "accountType",
  account_to_balance: "asWritten",
  amount: "amount",
} as const satisfies Record<string, Kind>;

export type FileColumnName = keyof typeof KINDS;

export const FILE_COLUMNS = Object.keys(KINDS) as readonly FileColumnName[];

export interface FileColumn {
  readonly name: string;
  readonly kind: Kind;
  /** Its place among the node's columns; -1 where the node has none. */
  readonly from: number;
}

/**
 * The columns of the file for a node's header: those of every file, then those that a later release adds; of these the
 * chosen ones, each once, where some are. Throws MalformedCsv for a header that names one twice. For a chosen column
 * that is not there, throws UserError with the nearest match and all names.
 */
export function fileColumns({ names }: LedgerColumns, chosen: readonly string[]): readonly FileColumn[] {
  const known: readonly string[] = FILE_COLUMNS.filter((name) => name !== "amount");
  const twice = known.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new MalformedCsv(`its header names ${twice} twice`);
  const all: FileColumn[] = [
    ...FILE_COLUMNS.map((name) => ({ name, kind: KINDS[name], from: name === "amount" ? -1 : names.indexOf(name) })),
    // `amount` is a column of this bot's.
    ...names.flatMap((name, from): FileColumn[] =>
      known.includes(name) ? [] : [{ name: name === "amount" ? "node_amount" : name, kind: "text", from }],
    ),
  ];
  if (chosen.length === 0) return all;
  return [...new Set(chosen)].map((name) => {
    const column = all.find((one) => one.name === name);
    if (column !== undefined) return column;
    const columns = all.map((one) => one.name);
    throw new UserError(`This export has no column “${name}”; did you mean “${closest(name, columns)}”?`, {
      remedy: `Its columns are: ${columns.join(", ")}.`,
      option: "columns",
    });
  });
}

/** The names as cells, with a line end. */
export function headerRow(columns: readonly Pick<FileColumn, "name">[]): Buffer {
  return Buffer.from(`${columns.map(({ name }) => textCell(name).toString()).join(",")}\n`);
}
