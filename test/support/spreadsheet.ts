import { type CellObject, read, utils } from "@e965/xlsx";

/** One row of a spreadsheet by the names in its first row, as its cells hold them. */
export type SheetRow = Readonly<Record<string, CellObject>>;

/** A file as SheetJS opens it with its defaults: the rows of its first sheet. */
export function openSheet(file: Buffer): readonly SheetRow[] {
  const { SheetNames: names, Sheets: sheets } = read(file);
  const sheet = sheets[names[0]!]!;
  const { e: end } = utils.decode_range(sheet["!ref"]!);
  const cells = (row: number): readonly CellObject[] =>
    Array.from({ length: end.c + 1 }, (_, column): CellObject => {
      const cell: unknown = sheet[utils.encode_cell({ r: row, c: column })];
      return (cell as CellObject | undefined) ?? { t: "z" };
    });
  const header = cells(0).map(({ v: name }) => String(name));
  return Array.from({ length: end.r }, (_, index) =>
    Object.fromEntries(cells(index + 1).map((cell, column) => [header[column]!, cell])),
  );
}

/** What the cells show. */
export function shownIn(rows: readonly SheetRow[]): Record<string, string>[] {
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell.w ?? ""])));
}

/** What the spreadsheet adds up: numbers as it keeps them. */
export function sumOf(rows: readonly SheetRow[], column: string): number {
  return rows.reduce((sum, { [column]: cell }) => sum + (cell?.t === "n" ? Number(cell.v) : Number.NaN), 0);
}
