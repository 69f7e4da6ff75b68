import type { ApiClient, LedgerQuery } from "../../api/api-client.ts";
import type { AssetNames } from "../../api/model/names.ts";
import type { FileLimits } from "../../reply/attachment.ts";
import type { Ask } from "../../reply/reply.ts";
import type { ExportJobRow, ExportOwner, ExportState } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { LedgerExportRequest, LedgerFile } from "../ledger-exports.ts";
import type { Delivery } from "./deliver.ts";

/** Who asks for an export, and from where. */
export interface ExportAsker extends ExportOwner {
  /** The server or workspace; empty where there is none. */
  readonly place: string;
  readonly channel?: string;
  /** Whether what comes late reaches them by direct message. */
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
  /** The command that repeats it. */
  readonly ask: Ask;
  readonly subject: ExportSubject;
  readonly request: Omit<LedgerExportRequest, "signal" | "onProgress" | "query" | "raw" | "columns">;
  /** Of the message that the answer is; left out = of any size. */
  readonly limits?: FileLimits;
  /** The answer's file is not taken along: it stays until it expires. */
  readonly keepsFile?: true;
  /** How long the command can be answered; left out = for as long as it takes, and where nobody waits it is stopped. */
  readonly answerWithin?: Milliseconds;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
  onStanding?(standing: ExportStanding): void;
}

/** How far a job is. */
export type ExportStanding = { readonly code: string } & (
  | {
      readonly state: "queued";
      /** From 1, among `of` that wait for the same network. */
      readonly place: number;
      readonly of: number;
      /** Roughly until it begins, where earlier exports let that be guessed. */
      readonly waitMillis?: Milliseconds;
    }
  /** The nodes ask for fewer questions; they are asked again at `until` (Unix milliseconds). */
  | { readonly state: "refused"; readonly until: Milliseconds }
  | {
      readonly state: "running";
      readonly bytes: number;
      readonly rows: number;
      /** Absent at the beginning. */
      readonly bytesPerSecond?: number;
      /** From 0 to 1, where the node says how much it sends. */
      readonly share?: number;
    }
);

/** What became of a request while somebody waited for it. */
export type ExportOutcome =
  | { readonly kind: "whole"; readonly code: string; readonly result: ExportResult; readonly delivery: Delivery }
  /** It goes on by itself. */
  | { readonly kind: "later"; readonly code: string }
  | { readonly kind: "cancelled"; readonly code: string };

/** A job as people see it. */
export interface ExportJob {
  readonly code: string;
  readonly platform: string;
  readonly person: string;
  readonly network: string;
  readonly state: ExportState;
  /** Unix milliseconds. */
  readonly createdAt: Milliseconds;
  readonly endedAt?: Milliseconds;
  readonly expiresAt?: Milliseconds;
  readonly rows?: number;
  readonly bytes?: number;
  readonly failure?: string;
  /** Until it expires. */
  readonly ask?: Ask;
  readonly result?: ExportResult;
}

export function jobOf(row: ExportJobRow): ExportJob {
  const { code, platform, person, network, state } = row;
  return {
    code,
    platform,
    person,
    network,
    state,
    createdAt: row.created_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.row_count === null ? {} : { rows: row.row_count }),
    ...(row.byte_count === null ? {} : { bytes: row.byte_count }),
    ...(row.failure === null ? {} : { failure: row.failure }),
    ...(row.invocation === null ? {} : { ask: JSON.parse(row.invocation) as Ask }),
    ...(row.result === null ? {} : { result: fromStoredJson(row.result) as ExportResult }),
  };
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
