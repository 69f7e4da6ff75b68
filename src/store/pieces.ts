/** Rows of one statement: some 17 values each, below SQLite's 32,766 and PostgreSQL's 65,535 parameters. */
const ROWS_A_STATEMENT = 500;

/** Gives work its rows in pieces that fit one statement. */
export async function inPieces<T>(rows: readonly T[], work: (piece: T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    await work(rows.slice(from, from + ROWS_A_STATEMENT));
  }
}

/** The same for a question: the answers of all pieces, one after the other. */
export async function fromPieces<T, R>(keys: readonly T[], ask: (piece: T[]) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  await inPieces(keys, async (piece) => {
    for (const row of await ask(piece)) found.push(row);
  });
  return found;
}
