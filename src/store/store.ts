// The store: all that must survive a restart, as ports by purpose. create-store.ts opens it in a file or on a server;
// schema.ts lists the tables, and tables.ts binds the ports to them.
// Next: alert-tables/ (alerts and their outbox), preferences/, file/ (the file, its lock, backups), sqlite/ and
// postgres/ (the engines).

import type { Milliseconds } from "../units/time.ts";
import type { AlertTables } from "./alert-tables/alert-tables.ts";
import type { LookTables } from "./alert-tables/looks.ts";
import type { Tables } from "./tables.ts";

/** What kind of thing an id names. */
export type SeenKind = "market" | "asset" | "party" | "order" | "node" | "proposal";

export interface SeenId {
  readonly id: string;
  /** Code, symbol or name, where one is known. */
  readonly label: string | undefined;
}

export interface SavedParty {
  readonly id: string;
  /** What its owner calls it; no two of one owner share a name. */
  readonly name: string | undefined;
}

/** A person whose data are erased. */
export interface Person {
  /** The owner of the parties that they saved. */
  readonly owner: string;
  /** Undefined for a platform on which ids do not distinguish people. */
  readonly platform: string | undefined;
  /** Their workspace, where destinations name one. Left out: their id is the same person's in all workspaces. */
  readonly workspace?: string;
  readonly id: string;
  /** As the platform shows it now. */
  readonly name: string;
}

/** Who sees the answers about markets in a server or workspace, unless the question chooses otherwise. */
export interface AnswerChoice {
  readonly platform: string;
  readonly workspace: string;
  /** The caller alone, or the channel. */
  readonly markets: "caller" | "channel";
  /** The name of the person who chose, as the platform showed it then. */
  readonly by: string;
  readonly at: Milliseconds;
}

/** A console session that was signed out before its time. */
export interface SignOut {
  readonly session: string;
  /** When the session would have ended, in Unix milliseconds. */
  readonly endsAt: Milliseconds;
}

/** `delivered`: in the answer to its command; `kept`: on disk, to be fetched; `interrupted`: the bot was stopped. */
export type ExportState = "queued" | "running" | "delivered" | "kept" | "failed" | "cancelled" | "interrupted";

/** One ledger export. Times are Unix milliseconds. */
export interface ExportJobRow {
  /** What people type to name it. */
  readonly code: string;
  readonly platform: string;
  /** The server or workspace; empty where there is none. */
  readonly workspace: string;
  readonly channel: string | null;
  /** Whose it is, by the platform's id. */
  readonly person: string;
  readonly network: string;
  readonly state: ExportState;
  /** The command that asked for it, as JSON; null after it has expired. */
  readonly invocation: string | null;
  readonly created_at: Milliseconds;
  /** When it began; for a job that waits because its nodes refused it, when they are asked again. */
  readonly started_at: Milliseconds | null;
  /** When it ended; for a job that runs, when it had received all bytes from its node. */
  readonly ended_at: Milliseconds | null;
  readonly node: string | null;
  readonly row_count: number | null;
  readonly byte_count: number | null;
  /** Why it failed, as people are told. */
  readonly failure: string | null;
  /** The data of its answer, as JSON; null after it has expired. */
  readonly result: string | null;
  /** Its account, by which its files are recognised later, as JSON. */
  readonly account: string | null;
  /** The process that runs it, or in which it waits. */
  readonly process: string | null;
  /** When its files, and the columns that name a party, are deleted. */
  readonly expires_at: Milliseconds | null;
}

/** A new job; columns that are left out are null. */
export type NewExportJob = Partial<ExportJobRow> &
  Pick<ExportJobRow, "code" | "platform" | "workspace" | "person" | "network" | "state" | "created_at">;

/** A file of an export; its row is kept longer than its bytes. */
export interface ExportFileRow {
  readonly code: string;
  readonly name: string;
  readonly media_type: string;
  readonly size_bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Where the bytes are kept; null where they are not. */
  readonly path: string | null;
  /** The secret of the address at which they can be downloaded; null where that is not possible. */
  readonly link: string | null;
}

/** The person who owns jobs. */
export interface ExportOwner {
  readonly platform: string;
  /** Left out where people have one id in all workspaces. */
  readonly workspace?: string;
  readonly person: string;
}

/** The columns of an export that may change. */
export type ExportChanges = Partial<Omit<ExportJobRow, "code" | "platform" | "workspace" | "person" | "created_at">>;

/** An installation of an app that many workspaces, or whole organisations, may install. Times are Unix milliseconds. */
export interface InstallationRow {
  readonly platform: string;
  /** The workspace; the organisation where it is installed for the whole of it. */
  readonly id: string;
  /** The organisation that the workspace belongs to. */
  readonly enterprise: string | null;
  readonly name: string | null;
  readonly org_wide: 0 | 1;
  readonly bot_user: string | null;
  /** Separated by commas. */
  readonly scopes: string;
  /** Its tokens, encrypted. */
  readonly sealed: string;
  /** When its token expires; null where it does not. */
  readonly expires_at: Milliseconds | null;
  /** The person's id. */
  readonly installed_by: string | null;
  readonly installed_at: Milliseconds;
  /** When it was uninstalled, or its tokens were revoked; null while it is there. */
  readonly removed_at: Milliseconds | null;
}

/** The columns of an installation that may change. */
export type InstallationChange = Partial<Pick<InstallationRow, "sealed" | "expires_at" | "removed_at">>;

/** An answer that takes long, as long as it is being made. */
export interface OpenAnswerRow {
  readonly id: string;
  readonly platform: string;
  /** Of the question; empty where it named none. */
  readonly workspace: string;
  /** The process that makes the answer, or closes it. */
  readonly process: string;
  /** What closes it, encrypted. */
  readonly sealed: string;
  /** Whether the process had begun to send the answer: then nobody knows whether it arrived. */
  readonly answering: 0 | 1;
  readonly expires_at: Milliseconds;
}

/** All ports but that of alerts; each call is a transaction of its own. A new one needs a migration, too. */
export type StoreTables = Omit<Tables, "marks" | "transaction" | "read" | "ping">;
export type SeenIds = StoreTables["seen"];
export type ButtonPayloads = StoreTables["payloads"];
export type SavedParties = StoreTables["parties"];
export type AnswerChoices = StoreTables["answers"];
export type ExportTables = StoreTables["exports"];
export type OpenAnswerTable = StoreTables["openAnswers"];
export type InstallationTables = StoreTables["installations"];

/** A duty that one of the processes has, such as the watching of a network. */
export interface Lease {
  readonly name: string;
  /** Grows whenever another process takes the duty. */
  readonly epoch: number;
}

/** A process that shares a database with others, and lives. */
export interface LiveProcess {
  /** Names its machine, too. */
  readonly id: string;
  /** How long ago its last heartbeat came. */
  readonly beatAgo: Milliseconds;
  readonly duties: readonly Lease[];
}

/**
 * The processes that share a database. One counts as alive for `aliveFor` after each heartbeat. Processes that are
 * alive take over the duties of the others. All times are the database's, so that clocks need not agree.
 */
export interface Processes {
  /** Names this process, in the database and in the folder of its exports. */
  readonly self: string;
  /** Undefined where no other process can share the database: then this one is always alive. */
  readonly aliveFor: Milliseconds | undefined;
  /** How far the database's clock is ahead of this process's, as far as is known; 0 where no other process can share it. */
  readonly clockAhead: () => Milliseconds;
  /**
   * Notes that this process is alive, and deletes the dead ones. Resolves with the number of processes alive, 1 or
   * more.
   */
  heartbeat(): Promise<number>;
  /** Those that live, with this one; none where no other process can share the database. */
  live(): Promise<readonly LiveProcess[]>;
  /** Notes that this process ends, so that others may take over its duties at once. */
  leave(): Promise<void>;
  /**
   * Takes a duty that no process alive has, or finds that this one has it already; undefined where another one has it.
   * `kept`: a dead one's only where the database has kept each heartbeat of this process for so long. If it has gone back,
   * or this process has just begun, the holder may be alive, and its heartbeat lost.
   */
  acquire(name: string, kept?: Milliseconds): Promise<Lease | undefined>;
  /** Gives up a duty, so that another process can take it at once. */
  release(name: string): Promise<void>;
  /** Notifies the other processes of a change: after a short while, once for several changes. A notice may be lost. */
  announce(): void;
  /** Calls the listener when another process announces a change, until the signal. */
  onChange(listener: () => void, signal: AbortSignal): void;
}

/** The ports inside a transaction; that of alerts is only available here. */
export interface TransactionTables {
  readonly alerts: AlertTables;
  readonly exports: ExportTables;
  readonly looks: LookTables;
  /**
   * Deletes an installation and all that belongs to its workspace. False, and nothing is deleted, where it has changed
   * since the row was read.
   */
  forgetInstallation(row: InstallationRow): Promise<boolean>;
  /** Rejects where this process no longer has the duty. Until the transaction ends, no other one can take it over. */
  fence(lease: Lease): Promise<void>;
}

/** Opened on first use. */
export interface Store extends StoreTables {
  readonly processes: Processes;
  /**
   * Does all of the work or nothing of it. Only calls of the given tables may be awaited inside: transactions run one
   * after the other, over all processes, so that all others wait for this one.
   */
  transaction<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  /**
   * Reads the same tables in one state of the database; nothing may be changed. Where several processes write, it does
   * not wait for transactions.
   */
  read<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  /**
   * For readiness checks: resolves when the database answers, its last write, if there was one, succeeded, and its file
   * is in its place.
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}
