// The store: all that must survive a restart, as ports by purpose. create-store.ts opens it in a file or on a server;
// schema.ts lists the tables, and tables.ts binds the ports to them.
// Next: alert-tables/ (alerts and their outbox), preferences/, file/ (the file, its lock, backups), sqlite/ and postgres/
// (the engines).

import type { Milliseconds } from "../units/duration.ts";
import type { AlertTables } from "./alert-tables/alert-tables.ts";
import type { createExportTables } from "./export-tables.ts";
import type { createInstallations } from "./installations.ts";
import type { createButtonPayloads } from "./preferences/button-payloads.ts";
import type { createAnswerChoices, createSavedParties, createSignOuts } from "./preferences/preferences.ts";

/** What kind of thing an id names. */
export type SeenKind = "market" | "asset" | "party" | "order" | "node" | "proposal";

export interface SeenId {
  readonly id: string;
  /** Code, symbol or name, where one is known. */
  readonly label: string | undefined;
}

/** Ids that passed through replies, so that people can complete them and type their beginnings. */
export interface SeenIds {
  /**
   * Notes ids; the ones seen last are offered first, and within one call in the order given. Bounded: the oldest
   * beyond 10,000 per network and kind go. A label once known stays until another one comes.
   */
  note(network: string, kind: SeenKind, ids: readonly SeenId[]): Promise<void>;
  /** Ids that begin with, or whose label contains, what is typed; without regard to case, newest first. */
  find(network: string, kind: SeenKind, typed: string, limit: number): Promise<readonly SeenId[]>;
}

export interface SavedParty {
  readonly id: string;
  /** What its owner calls it; no two of one owner share a name. */
  readonly name: string | undefined;
}

/** Somebody whose traces are erased. */
export interface Person {
  /** As whom they saved parties. */
  readonly owner: string;
  /** Their platform; undefined where its callers are not told apart by their ids. */
  readonly platform: string | undefined;
  /** Where destinations name it: theirs. Left out, their id is one person's in all workspaces. */
  readonly workspace?: string;
  readonly id: string;
  /** As the platform shows it now. */
  readonly name: string;
}

/** Who sees the answers about markets in a server or workspace, unless the question says otherwise. */
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
  /** The command that asked for it, as JSON; null once it has expired. */
  readonly invocation: string | null;
  readonly created_at: Milliseconds;
  /** When it began; of one that waits since its nodes refused it, when they are asked again. */
  readonly started_at: Milliseconds | null;
  /** When it ended; of one that runs, when it needed its node no more. */
  readonly ended_at: Milliseconds | null;
  readonly node: string | null;
  readonly row_count: number | null;
  readonly byte_count: number | null;
  /** Why it failed, as people are told. */
  readonly failure: string | null;
  /** What its answer says, as JSON; null once it has expired. */
  readonly result: string | null;
  /** What recognises its files later, as JSON. */
  readonly account: string | null;
  /** The process that runs it, or in which it waits. */
  readonly process: string | null;
  /** When its files and all that names a party go. */
  readonly expires_at: Milliseconds | null;
}

/** One that was just asked for; what is left out is null. */
export type NewExportJob = Partial<ExportJobRow> &
  Pick<ExportJobRow, "code" | "platform" | "workspace" | "person" | "network" | "state" | "created_at">;

/** A file of an export; its hash outlives its bytes. */
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

/** Whose jobs are meant. */
export interface ExportOwner {
  readonly platform: string;
  /** Left out where people have one id in all workspaces. */
  readonly workspace?: string;
  readonly person: string;
}

/** What of an export changes. */
export type ExportChanges = Partial<Omit<ExportJobRow, "code" | "platform" | "workspace" | "person" | "created_at">>;

/** Where an app is installed that many workspaces, or whole organisations, may install. Times are Unix milliseconds. */
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

/** What of an installation changes. */
export type InstallationChange = Partial<Pick<InstallationRow, "sealed" | "expires_at" | "removed_at">>;

export type ButtonPayloads = ReturnType<typeof createButtonPayloads>;
export type SavedParties = ReturnType<typeof createSavedParties>;
export type AnswerChoices = ReturnType<typeof createAnswerChoices>;
export type ExportTables = ReturnType<typeof createExportTables>;
export type InstallationTables = ReturnType<typeof createInstallations>;

/** All ports but the alerts', each call on its own. A new one needs a migration, too. */
export interface StoreTables {
  readonly seen: SeenIds;
  readonly payloads: ButtonPayloads;
  readonly parties: SavedParties;
  readonly answers: AnswerChoices;
  readonly signOuts: ReturnType<typeof createSignOuts>;
  readonly exports: ExportTables;
  readonly installations: InstallationTables;
}

/** A duty that one of the processes has, such as the watching of a network. */
export interface Lease {
  readonly name: string;
  /** Grows with every change of hands. */
  readonly epoch: number;
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
  /** Counts this process as alive again, and deletes those that are not. Resolves with the number that are, 1 or more. */
  heartbeat(): Promise<number>;
  /** This process ends: others may take over its duties at once. */
  leave(): Promise<void>;
  /** Takes a duty that nobody alive has, or tells that this process has it still; undefined where another one has it. */
  acquire(name: string): Promise<Lease | undefined>;
  /** Gives up a duty, so that another process can take it at once. */
  release(name: string): Promise<void>;
  /** Tells the other processes that something has changed: soon, once for several changes. A notice may be lost. */
  announce(): void;
  /** Calls the listener when another process says that something has changed; until the signal. */
  onChange(listener: () => void, signal: AbortSignal): void;
}

/** What a transaction works on; alerts are reached in no other way. */
export interface TransactionTables {
  readonly alerts: AlertTables;
  readonly exports: ExportTables;
  /**
   * Deletes an installation and all that belongs to its workspace. False, and nothing is deleted, where it has changed
   * since the row was read.
   */
  forgetInstallation(row: InstallationRow): Promise<boolean>;
  /** Rejects where this process has the duty no more; until the transaction ends, nobody can take it over. */
  fence(lease: Lease): Promise<void>;
}

/** Opened on first use. */
export interface Store extends StoreTables {
  readonly processes: Processes;
  /**
   * All of the work or nothing of it. Only calls of the given tables may be awaited inside: transactions take turns, over
   * all processes, and each one waits until this one has ended.
   */
  transaction<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  /**
   * The same tables in one state of the database, to be read and not changed; does not wait for the turn of transactions,
   * where several processes write.
   */
  read<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  /**
   * Resolves when the database answers, its last write, if there was one, got through, and its file is in its place; for
   * readiness checks.
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}
