import { LedgerAccount } from "../ledger-account.ts";
import { randomInt } from "node:crypto";

import type { ApiClient, LedgerQuery } from "../../api/api-client.ts";
import type { AssetNames } from "../../api/model/names.ts";
import type { Ask, FileLimits } from "../../reply/reply.ts";
import type { ExportJobRow, ExportOwner } from "../../store/store.ts";
import type { Milliseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { LedgerExportRequest, LedgerFile } from "../ledger-exports.ts";
import type { Delivery } from "./deliver.ts";
import type { Place } from "./export-line.ts";

/** Who asks for an export, and from where. */
export interface ExportAsker extends ExportOwner {
  /** The server or workspace; empty where there is none. */
  readonly place: string;
  readonly channel?: string;
  /** Whether a late answer reaches them by direct message. */
  readonly takesDirectMessages: boolean;
  /** Sees and cancels everybody's jobs. */
  readonly isOperator: boolean;
}

/** The part of a request that the answer repeats. */
export interface ExportSubject {
  readonly query: LedgerQuery & Pick<Required<LedgerQuery>, "to">;
  readonly raw: boolean;
  /** Where the node knows it. */
  readonly asset?: AssetNames;
  /** As chosen; left out = all. */
  readonly columns?: readonly string[];
}

/** What is known of a whole export, beside its bytes. */
export interface ExportResult extends ExportSubject {
  readonly file: Omit<LedgerFile, "attachment">;
}

/** One export as a job. */
export interface ExportRequest {
  readonly api: ApiClient;
  readonly asker: ExportAsker;
  /** The command that asked for it, to repeat it. */
  readonly ask: Ask;
  readonly subject: ExportSubject;
  readonly request: Omit<LedgerExportRequest, "signal" | "onProgress" | "nextTurn" | "query" | "raw" | "columns">;
  /** The limits of the answer's message; left out = files of any size. */
  readonly limits?: FileLimits;
  /** The file is kept until it expires, also where the answer has it. */
  readonly keepsFile?: true;
  /** How long the command can be answered; left out = without end: the export is then stopped once nobody waits. */
  readonly answerWithin?: Milliseconds;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
  onStanding?(standing: ExportStanding): void;
}

/** The progress of a job. */
export type ExportStanding = { readonly code: string } & (
  | ({ readonly state: "queued" } & Place)
  /** The nodes ask for fewer questions; they are asked again at `until` (Unix milliseconds). */
  | { readonly state: "refused"; readonly until: Milliseconds }
  | {
      readonly state: "running";
      readonly bytes: number;
      readonly rows: number;
      /** Absent at the beginning. */
      readonly bytesPerSecond?: number | undefined;
      /** From 0 to 1, where the node tells how much it sends. */
      readonly share?: number | undefined;
    }
);

/** How a request ended while somebody waited for it. */
export type ExportOutcome =
  | { readonly kind: "whole"; readonly code: string; readonly result: ExportResult; readonly delivery: Delivery }
  /** The export goes on without the command. */
  | { readonly kind: "later"; readonly code: string }
  | { readonly kind: "cancelled"; readonly code: string };

/** A job as people see it. */
export type ExportJob = ReturnType<typeof jobOf>;

export function jobOf(row: ExportJobRow) {
  const { code, platform, person, network, state, created_at: createdAt } = row;
  const kept = withoutUndefined({
    // Of a job that waits again, the last slice ended then.
    endedAt: state === "queued" ? undefined : (row.ended_at ?? undefined),
    expiresAt: row.expires_at ?? undefined,
    rows: row.row_count ?? undefined,
    bytes: row.byte_count ?? undefined,
    failure: row.failure ?? undefined,
    /** Of the whole file; left out where it has no entries. */
    sha256: row.account === null || row.row_count === 0 ? undefined : accountOf(row.account)?.sha256,
    /** Until it expires. */
    ask: row.invocation === null ? undefined : (JSON.parse(row.invocation) as Ask),
    result: row.result === null ? undefined : (fromStoredJson(row.result) as ExportResult),
  });
  return { code, platform, person, network, state, createdAt, ...kept };
}

/** Undefined for an account that this version cannot read. */
function accountOf(json: string): LedgerAccount | undefined {
  return LedgerAccount.safeParse(JSON.parse(json)).data;
}

export function ownerOf({ platform, workspace, person }: ExportOwner): ExportOwner {
  return { platform, person, ...(workspace === undefined ? {} : { workspace }) };
}

export function isOwn(asker: ExportOwner, job: { platform: string; workspace: string; person: string }): boolean {
  const { platform, workspace = job.workspace, person } = asker;
  return platform === job.platform && workspace === job.workspace && person === job.person;
}

/** JSON that keeps 64-bit integers: a bigint is `{"$int": "123"}`. */
export function toStoredJson(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => (typeof one === "bigint" ? { $int: String(one) } : one));
}

/** Undoes toStoredJson. */
function fromStoredJson(json: string): unknown {
  return JSON.parse(json, (_name, one: unknown) => {
    if (typeof one !== "object" || one === null || !("$int" in one) || typeof one.$int !== "string") return one;
    return BigInt(one.$int);
  });
}

/** Crockford's base 32 (https://www.crockford.com/base32.html): no letter looks like another one or like a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const CODE_LENGTH = 8;

/** A new code for a job: unguessable, and easy to say and to type. */
export function randomCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** A code as somebody typed it: letters in any case, O for 0, I and L for 1, dashes anywhere. */
export function normalizeCode(typed: string): string {
  return typed.trim().toLowerCase().replaceAll("-", "").replaceAll("o", "0").replaceAll(/[il]/gu, "1");
}
