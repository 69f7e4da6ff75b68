import type { ExportJobRow, ExportTables } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { LedgerAccount } from "../ledger-account.ts";
import { type LedgerFilePrint, readLedgerFile } from "../verify/read-ledger-file.ts";
import { compareLedger, type KnownExport, type LedgerVerdict, verifyLedger } from "../verify/verify.ts";
import { type ExportAsker, isOwn, jobOf, ownerOf } from "./job.ts";

/** What a file that is given back was found to be. */
export interface VerifiedFile {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Without the header; left out where the file is no CSV, or only its hash was given. */
  readonly rows?: number;
  /** Left out where it resembles no export that the asker may know of. */
  readonly found?: {
    readonly code: string;
    readonly network: string;
    readonly node: string | null;
    /** Unix milliseconds. */
    readonly madeAt: Milliseconds;
    readonly account: LedgerAccount;
    readonly verdict: LedgerVerdict;
    /** Further exports that made the very file, the oldest first; `code` is the oldest of all. */
    readonly again: readonly { readonly code: string; readonly madeAt: Milliseconds }[];
  };
}

/** How many of the last exports a file is compared with that is none of them byte for byte. */
const MAX_COMPARED = 1000;
const MAX_OF_FILE = 100;

/** A hash in lower-case hex, or a file under the name that it has now. */
export type GivenLedger = string | { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> };

/** See `verify` in jobs.ts. */
export async function verifyFile(tables: ExportTables, asker: ExportAsker, given: GivenLedger): Promise<VerifiedFile> {
  const print: LedgerFilePrint =
    typeof given === "string" ? { sizeBytes: 0, sha256: given } : await readLedgerFile(given.bytes);
  const { sha256, table } = print;
  const rows = table === undefined ? {} : { rows: table.rows };
  const ofHash = (await tables.ofFile({ sha256 }, MAX_OF_FILE)).filter((row) => mayRecognise(asker, row)).toReversed();
  const packed = await packedAs(tables, ofHash, sha256);
  if (packed !== undefined) return { sha256, ...rows, found: packed };
  const others = typeof given === "string" || ofHash.length > 0 ? [] : await comparable(tables, asker);
  const alike = verifyLedger(print, [...ofHash, ...others].flatMap(withAccount));
  const found = alike ?? (typeof given === "string" ? undefined : await namedAlike(tables, asker, print, given.name));
  return { sha256, ...rows, ...(found === undefined ? {} : { found: foundAs(found.known, found.verdict, ofHash) }) };
}

/** `ofHash`: the exports that made the very file. */
function foundAs(
  { row, account }: KnownJob,
  verdict: LedgerVerdict,
  ofHash: readonly ExportJobRow[],
): Required<VerifiedFile>["found"] {
  const { code, network, node } = row;
  const again = ofHash
    .filter((other) => other.code !== code)
    .map((other) => ({ code: other.code, madeAt: madeAt(other) }));
  return { code, network, node, madeAt: madeAt(row), account, verdict, again };
}

function madeAt({ created_at: asked, ended_at: ended }: ExportJobRow): Milliseconds {
  return ended ?? asked;
}

/** An archive or a part, by its own hash. */
async function packedAs(
  tables: ExportTables,
  ofHash: readonly ExportJobRow[],
  sha256: string,
): Promise<Required<VerifiedFile>["found"] | undefined> {
  for (const known of ofHash.flatMap(withAccount)) {
    const made = (await tables.files(known.row.code)).find((file) => file.sha256 === sha256);
    if (made !== undefined && sha256 !== known.account.sha256)
      return foundAs(known, { kind: "packed", name: made.name }, ofHash);
  }
  return undefined;
}

/** A file that was changed beyond its number of rows and its sums, by the name that it was delivered under. */
async function namedAlike(tables: ExportTables, asker: ExportAsker, print: LedgerFilePrint, name: string) {
  // As browsers name a second copy, and this bot's terminal.
  const names = [name, name.replace(/(?: \(\d+\)|-\d+)(?=\.\w+$)/u, "")];
  const rows = await tables.ofFile({ names }, MAX_OF_FILE);
  const [known] = rows.filter((row) => asker.isOperator || isOwn(asker, row)).flatMap(withAccount);
  return known === undefined ? undefined : { known, verdict: compareLedger(print, known.account) };
}

/** Whoever has the very bytes has seen all that is said of them: within a workspace that is enough. */
function mayRecognise(asker: ExportAsker, row: ExportJobRow): boolean {
  const isHere = asker.place !== "" && row.platform === asker.platform && row.workspace === asker.place;
  return asker.isOperator || isHere || isOwn(asker, row);
}

function comparable(tables: ExportTables, asker: ExportAsker): Promise<readonly ExportJobRow[]> {
  return tables.recognisable(asker.isOperator ? undefined : ownerOf(asker), MAX_COMPARED);
}

interface KnownJob extends KnownExport {
  readonly row: ExportJobRow;
}

/** An account that a later version cannot read is not compared, nor one without rows: of that no file was delivered. */
function withAccount(row: ExportJobRow): KnownJob[] {
  if (row.account === null) return [];
  const account = LedgerAccount.safeParse(JSON.parse(row.account));
  const query = jobOf(row).result?.query;
  return account.success && account.data.rows > 0
    ? [{ row, account: account.data, ...(query === undefined ? {} : { of: query }) }]
    : [];
}
