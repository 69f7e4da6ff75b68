import * as fc from "fast-check";

/** CSV for these tests, and the chunks in which it is passed on. */

export const COLUMNS_12 = [
  "vega_time",
  "quantity",
  "transfer_type",
  "asset_id",
  "account_from_market_id",
  "account_from_party_id",
  "account_from_account_type",
  "account_to_market_id",
  "account_to_party_id",
  "account_to_account_type",
  "account_from_balance",
  "account_to_balance",
];
export const COLUMNS_13 = [
  "vega_time",
  "quantity",
  "effect",
  "transfer_type",
  "asset_id",
  "account_from_market_id",
  "account_from_party_id",
  "account_from_account_type",
  "account_from_balance",
  "account_to_market_id",
  "account_to_party_id",
  "account_to_account_type",
  "account_to_balance",
];

export const PARTY = "f8ac93d1".repeat(8);
export const OTHER_PARTY = "0123abcd".repeat(8);
export const ASSET = "bf1e88d1".repeat(8);
export const OTHER_ASSET = "993ed98f".repeat(8);

export type Row = Readonly<Record<string, string>>;

/** The columns of a finished file. */
export const FILE_COLUMNS = [...COLUMNS_13, "amount"];

/** A row with something in every column; `values` replaces some of it. The effect follows from the others. */
export function row(values: Row = {}): Row {
  const made = {
    vega_time: "2023-01-18 01:09:59.297309+00",
    quantity: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    transfer_type: "TRANSFER_TYPE_WIN",
    asset_id: ASSET,
    account_from_market_id: "",
    account_from_party_id: PARTY,
    account_from_account_type: "ACCOUNT_TYPE_GENERAL",
    account_to_market_id: "",
    account_to_party_id: "network",
    account_to_account_type: "ACCOUNT_TYPE_SETTLEMENT",
    account_from_balance: "1",
    account_to_balance: "0",
    ...values,
  };
  return { effect: effectOf(made), ...made };
}

function effectOf(made: Row): string {
  const [from, to] = ["from", "to"].map((side) => bareId(made[`account_${side}_party_id`] ?? "") === PARTY);
  if (from === to || /^0+$/u.test(made["quantity"] ?? "")) return "0";
  return from ? `-${made["quantity"]}` : (made["quantity"] ?? "");
}

/** An id as a finished file has it. */
export function bareId(id: string): string {
  if (id === "\\x03") return "network";
  const bare = id.replace(/^\\x/u, "");
  return /^[0-9a-fA-F]*$/u.test(bare) ? bare.toLowerCase() : id;
}

export function csv(columns: readonly string[], rows: readonly Row[], lineEnd = "\n"): string {
  const line = (fields: readonly string[]): string => fields.map(quoteAsNeeded).join(",") + lineEnd;
  return line(columns) + rows.map((each) => line(columns.map((column) => each[column] ?? ""))).join("");
}

export function quoteAsNeeded(field: string): string {
  return /[",\r\n]/u.test(field) ? quoted(field) : field;
}

export function quoted(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}

/** The bytes cut into pieces anywhere, even inside a character. */
export function chunkings(bytes: Buffer): fc.Arbitrary<Buffer[]> {
  return fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }).map((cuts) => {
    const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
    return places.slice(1).map((to, index) => bytes.subarray(places[index], to));
  });
}

/** What a cell may hold: text that needs quoting, text beyond ASCII, ordinary text. */
export const cell = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "1500",
    "ACCOUNT_TYPE_GENERAL",
    ",",
    '"',
    '""',
    "\n",
    "\r\n",
    'a "b" c',
    "Zürich 💱",
    "x,y\nz",
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
