import { closest } from "fastest-levenshtein";

import { UserError } from "../errors.ts";
import { fieldText, MalformedCsv, type CsvRecord } from "./csv-splitter.ts";

/** Most columns that a ledger may have; today's have 12 or 13. */
const MAX_COLUMNS = 1000;

/** The names in a header row. Throws MalformedCsv where it cannot be one. */
export function readHeader(record: CsvRecord): readonly string[] {
  if (record.fieldCount > MAX_COLUMNS) throw new MalformedCsv(`its header has more than ${MAX_COLUMNS} columns`);
  return Array.from({ length: record.fieldCount }, (_, field) => fieldText(record, field));
}

/** Where a column stands that the rows are judged by. Throws MalformedCsv where there is none. */
export function requireColumn(columns: readonly string[], name: string): number {
  const at = columns.indexOf(name);
  if (at === -1) {
    throw new MalformedCsv(
      `its header has no column ${name}, so its rows cannot be checked; only a raw export is possible`,
    );
  }
  return at;
}

/** The positions of the chosen columns, each once. Throws UserError naming the nearest match and all there are. */
export function chooseColumns(columns: readonly string[], chosen: readonly string[]): readonly number[] {
  return [...new Set(chosen)].map((name) => {
    const at = columns.indexOf(name);
    if (at !== -1) return at;
    throw new UserError(`This export has no column “${name}”; did you mean “${closest(name, [...columns])}”?`, {
      remedy: `Its columns are: ${columns.join(", ")}.`,
      option: "columns",
    });
  });
}
