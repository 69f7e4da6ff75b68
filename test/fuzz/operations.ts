import { csv, COLUMNS_12, COLUMNS_13, row } from "../export/ledger-csv.ts";
import { cases, ID } from "../support/node-bodies.ts";

/** The paths and fields of the published contract, or those of v0.71 nodes. */
export type Dialect = "contract" | "v0.71";
export const DIALECTS: readonly Dialect[] = ["contract", "v0.71"];

/** One operation in one dialect, as a command asks for it. */
export interface FuzzOperation {
  readonly line: string;
  readonly dialect: Dialect;
  readonly path: string;
  /** A whole answer. */
  readonly body: Buffer;
}

const EXPORT_PATH = "/api/v2/ledgerentry/export";

export const OPERATIONS: readonly FuzzOperation[] = DIALECTS.flatMap((dialect) => [
  ...cases.map(({ line, path, body }) => ({
    line,
    dialect,
    path: inDialect(path, dialect),
    body: Buffer.from(fieldsInDialect(JSON.stringify(body), dialect)),
  })),
  ...["", " raw:yes"].map((raw) => ({
    line: `ledger export ${ID} ${ID} from:2023-01-01 to:now${raw}`,
    dialect,
    path: EXPORT_PATH,
    body: ledger(dialect),
  })),
]);

/** Whole answers to everything else that a command may ask, by path. */
export function wholeAnswers(dialect: Dialect): ReadonlyMap<string, Buffer> {
  return new Map(OPERATIONS.filter((one) => one.dialect === dialect).map(({ path, body }) => [path, body]));
}

function inDialect(path: string, dialect: Dialect): string {
  if (dialect === "contract") return path;
  return path.replace("/network/time", "/vega/time").replace("/network/keys", "/vega/keys");
}

function fieldsInDialect(body: string, dialect: Dialect): string {
  return dialect === "contract" ? body : body.replaceAll("networkAssetId", "vegaAssetId");
}

/** Messages with base64 of 13 columns, or raw rows of 12. */
function ledger(dialect: Dialect): Buffer {
  const own = row({ account_from_party_id: ID, asset_id: ID });
  if (dialect === "v0.71") return Buffer.from(csv(COLUMNS_12, [own, own]));
  const file = Buffer.from(csv(COLUMNS_13, [own, own]));
  const messages = [file.subarray(0, 100), file.subarray(100)].map((part) =>
    JSON.stringify({ result: { contentType: "text/csv", data: part.toString("base64"), extensions: [] } }),
  );
  return Buffer.from(messages.join("\n"));
}
