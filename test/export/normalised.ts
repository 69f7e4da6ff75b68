import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { parse } from "csv-parse/sync";

import { LedgerWork, type LedgerWritten } from "../../src/export/normalise/normalise.ts";
import type { NormaliserOptions } from "../../src/export/normalise/normaliser.ts";
import { bareId, csv, FILE_COLUMNS, PARTY, ASSET, type Row } from "./ledger-csv.ts";

/** What the exporter makes of these chunks, whose memory is overwritten after each: keeping some of it would show. */
export function normalised(
  chunks: readonly Buffer[],
  options: Partial<NormaliserOptions> = {},
  runBytes = 1024 * 1024,
): { readonly text: string; readonly written: LedgerWritten; readonly runsBytes: number } {
  const folder = mkdtempSync(path.join(tmpdir(), "bellwether-test-"));
  const [fd, runsFd] = ["file", "runs"].map((name) => openSync(path.join(folder, name), "wx+")) as [number, number];
  try {
    const work = new LedgerWork({ query: { partyId: PARTY, assetId: ASSET }, ...options, fd, runsFd, runBytes });
    for (const chunk of chunks) {
      const reused = Buffer.from(chunk);
      work.push(reused);
      reused.fill("#");
    }
    const written = work.finish();
    const bytes = Buffer.alloc(fstatSync(fd).size);
    readSync(fd, bytes, 0, bytes.length, 0);
    return { text: bytes.toString(), written, runsBytes: fstatSync(runsFd).size };
  } finally {
    closeSync(fd);
    closeSync(runsFd);
    rmSync(folder, { recursive: true });
  }
}

/** The file by the rules of docs/ledger.md, written without the exporter's code: slow and short. */
export function modelFile(
  sent: string,
  { decimals, columns = FILE_COLUMNS }: { readonly decimals?: number; readonly columns?: readonly string[] } = {},
): { readonly text: string; readonly rows: readonly Row[] } {
  const rows = parse<Record<string, string>>(sent, { columns: true })
    .filter(
      (each) =>
        bareId(each["asset_id"] ?? "") === ASSET &&
        [each["account_from_party_id"], each["account_to_party_id"]].some((id) => bareId(id ?? "") === PARTY),
    )
    .map((each): Row => {
      const effect = modelEffect(each);
      const ids = Object.entries(each).filter(([name]) => name.endsWith("_id"));
      const others = Object.entries(each).filter(([name]) => !FILE_COLUMNS.includes(name));
      return {
        ...each,
        ...Object.fromEntries(ids.map(([name, id]) => [name, name.includes("party") ? bareId(id) : bareMarket(id)])),
        ...Object.fromEntries(others.map(([name, value]) => [name, guarded(value)])),
        transfer_type: guarded(each["transfer_type"] ?? ""),
        effect: String(effect),
        amount: decimals === undefined ? "" : shifted(effect, decimals),
      };
    });
  const bytesOf = (each: Row): Buffer => Buffer.from(csv(columns, [each]));
  const sorted = rows.toSorted((a, b) => timeOf(a) - timeOf(b) || Buffer.compare(bytesOf(a), bytesOf(b)));
  return { text: csv(columns, sorted), rows: sorted };
}

function bareMarket(id: string): string {
  return id === "\\x03" ? "03" : bareId(id);
}

export function modelEffect(each: Row): bigint {
  const [from, to] = ["from", "to"].map((side) => bareId(each[`account_${side}_party_id`] ?? "") === PARTY);
  const quantity = BigInt(each["quantity"] ?? "");
  return from === to ? 0n : from ? -quantity : quantity;
}

/** Times in these tests have whole seconds in UTC and up to six digits behind them. */
function timeOf(each: Row): number {
  const [, text = "", digits = ""] = /^(.{19})(?:\.(\d+))?\+00$/u.exec(each["vega_time"] ?? "") ?? [];
  return Date.parse(`${text.replace(" ", "T")}Z`) * 1000 + Number(digits.padEnd(6, "0"));
}

function guarded(value: string): string {
  return /^[=+\-@\p{Cc}]/u.test(value) && !/^[\u0080-\u009F]/u.test(value) && !isNumber(value) ? `'${value}` : value;
}

function isNumber(value: string): boolean {
  return /^[+-]?(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?$/iu.test(value);
}

function shifted(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const sign = units < 0n ? "-" : "";
  return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-decimals)}`;
}
