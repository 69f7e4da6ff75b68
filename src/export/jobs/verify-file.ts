import type { ExportJobRow, ExportTables } from "../../store/store.ts";
import type { Milliseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { LedgerAccount } from "../ledger-account.ts";
import type { MadeFile } from "../pack/pack.ts";
import { type LedgerFilePrint, readLedgerFile } from "../verify/read-ledger-file.ts";
import { compareLedger, type KnownExport, type LedgerVerdict, verifyLedger } from "../verify/verify.ts";
import { type ExportAsker, isOwn, jobOf, ownerOf } from "./job.ts";

/**
 * A file that was given back, and the export that it comes from. `rows` counts without the header, and is left out where
 * the file is no CSV, or only its hash was given; `found`, where it resembles no export that the asker may know of.
 */
export type VerifiedFile = Awaited<ReturnType<typeof verifyFile>>;

/** A file that is none of the exports byte for byte is compared with so many of the last ones. */
const MAX_COMPARED = 1000;
const MAX_OF_FILE = 100;

/** A hash in lower-case hex, or a file under the name that it has now. */
export type GivenLedger = string | { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> };

/** The tables that an answer of this account has, as files. */
export type TablesOf = (account: LedgerAccount) => readonly Pick<MadeFile, "name" | "sha256">[];

/** See `verify` in jobs.ts. */
export async function verifyFile(tables: ExportTables, asker: ExportAsker, given: GivenLedger, tablesOf: TablesOf) {
  const print: LedgerFilePrint =
    typeof given === "string" ? { sizeBytes: 0, sha256: given } : await readLedgerFile(given.bytes);
  const { sha256, table } = print;
  const ofHash = (await tables.ofFile({ sha256 }, MAX_OF_FILE)).filter((row) => mayRecognise(asker, row)).toReversed();
  const packed = await packedAs(tables, ofHash, sha256);
  if (packed !== undefined) return withoutUndefined({ sha256, rows: table?.rows, found: packed });
  const others = ofHash.length > 0 ? [] : (await comparable(tables, asker)).flatMap(withAccount);
  for (const known of others) {
    const made = tablesOf(known.account).find((file) => file.sha256 === sha256);
    if (made === undefined) continue;
    return withoutUndefined({
      sha256,
      rows: table?.rows,
      found: foundAs(known, { kind: "packed", name: made.name }),
    });
  }
  const alike = verifyLedger(print, [...ofHash.flatMap(withAccount), ...(typeof given === "string" ? [] : others)]);
  const found = alike ?? (typeof given === "string" ? undefined : await namedAlike(tables, asker, print, given.name));
  return withoutUndefined({
    sha256,
    rows: table?.rows,
    found:
      found &&
      foundAs(found.known, found.verdict, { ofHash, delivered: (await madeAs(tables, found.known, sha256))?.name }),
  });
}

/**
 * `ofHash`: the exports that made the same file. In `again` the oldest is first; `code` is the oldest of all. `delivered`:
 * the name under which the very file was delivered.
 */
function foundAs(
  { row, account }: KnownJob,
  verdict: LedgerVerdict,
  {
    ofHash = [],
    delivered,
  }: { readonly ofHash?: readonly ExportJobRow[]; readonly delivered?: string | undefined } = {},
) {
  const { code, network, node } = row;
  const again = ofHash
    .filter((other) => other.code !== code)
    .map((other) => ({ code: other.code, madeAt: madeAt(other) }));
  return { code, network, node, madeAt: madeAt(row), account, verdict, delivered, again };
}

function madeAt({ created_at: asked, ended_at: ended }: ExportJobRow): Milliseconds {
  return ended ?? asked;
}

/** The export of which the file is an archive or a part, by its hash. */
async function packedAs(
  tables: ExportTables,
  ofHash: readonly ExportJobRow[],
  sha256: string,
): Promise<ReturnType<typeof foundAs> | undefined> {
  for (const known of ofHash.flatMap(withAccount)) {
    const made = await madeAs(tables, known, sha256);
    if (made !== undefined && sha256 !== known.account.sha256)
      return foundAs(known, { kind: "packed", name: made.name }, { ofHash });
  }
  return undefined;
}

/** The file with this hash that was delivered. */
async function madeAs(tables: ExportTables, { row }: KnownJob, sha256: string) {
  return (await tables.files(row.code)).find((file) => file.sha256 === sha256);
}

/** The export that was delivered under the file's name, for a file whose number of rows and sums were changed. */
async function namedAlike(tables: ExportTables, asker: ExportAsker, print: LedgerFilePrint, name: string) {
  // Without the ending that browsers and this bot's terminal give to a second copy.
  const names = [name, name.replace(/(?: \(\d+\)|-\d+)(?=\.\w+$)/u, "")];
  const rows = await tables.ofFile({ names }, MAX_OF_FILE);
  const [known] = rows.filter((row) => asker.isOperator || isOwn(asker, row)).flatMap(withAccount);
  return known === undefined ? undefined : { known, verdict: compareLedger(print, known.account) };
}

/** Within a workspace, whoever has the same bytes may know their export: they have seen its content. */
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

/**
 * The job with its account; none where this version cannot read the account, or where there are no rows and so no file.
 */
function withAccount(row: ExportJobRow): KnownJob[] {
  if (row.account === null) return [];
  const account = LedgerAccount.safeParse(JSON.parse(row.account));
  const query = jobOf(row).result?.query;
  return account.success && account.data.rows > 0
    ? [{ row, account: account.data, ...(query === undefined ? {} : { of: query }) }]
    : [];
}
