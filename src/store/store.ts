// The store: all that must survive a restart, as ports by purpose. create-store.ts opens it in a file of this machine;
// schema.ts lists the tables, and tables.ts binds the ports to them.
// Next: alert-tables/ (alerts and their outbox), preferences/, file/ (the file, its lock, backups), sqlite/ (the engine).

import type { Milliseconds } from "../units/duration.ts";
import type { AlertTables } from "./alert-tables/alert-tables.ts";

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

/** What a button stands for where it does not fit into the button itself. */
export interface ButtonPayloads {
  /** Keeps a JSON value under a short key (at most 22 characters) until it expires. Equal values may share a key. */
  put(value: unknown, keep: Milliseconds): Promise<string>;
  /** Undefined when unknown or expired: the answer is then "run it again". */
  get(key: string): Promise<unknown>;
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
  readonly id: string;
  /** As the platform shows it now. */
  readonly name: string;
}

/** Parties that people saved for themselves. An owner is a person on a platform; nobody else reads theirs. */
export interface SavedParties {
  /** Saves or renames, and puts it first. `full` when its owner has 25 others. */
  save(owner: string, party: SavedParty): Promise<"saved" | "full">;
  /** The one saved last first. */
  list(owner: string): Promise<readonly SavedParty[]>;
  /** False when there was none. */
  forget(owner: string, id: string): Promise<boolean>;
  /**
   * Erases all that is kept of a person, in all tables: their parties, what is sent to them alone and buttons of theirs are
   * deleted; subscriptions, silences and log lines of channels lose their id and name.
   */
  erase(person: Person): Promise<void>;
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

/** What servers and workspaces chose for their answers: one choice each. */
export interface AnswerChoices {
  all(): Promise<readonly AnswerChoice[]>;
  /** In place of what was chosen there before. */
  keep(choice: AnswerChoice): Promise<void>;
}

/** A console session that was signed out before its time. */
export interface SignOut {
  readonly session: string;
  /** When the session would have ended, in Unix milliseconds. */
  readonly endsAt: Milliseconds;
}

/** Sign-outs of the console, kept until their sessions would have ended. */
export interface SignOuts {
  all(): Promise<readonly SignOut[]>;
  keep(signOut: SignOut): Promise<void>;
}

/** All ports but the alerts', each call on its own. A new one needs a migration, too. */
export interface StoreTables {
  readonly seen: SeenIds;
  readonly payloads: ButtonPayloads;
  readonly parties: SavedParties;
  readonly answers: AnswerChoices;
  readonly signOuts: SignOuts;
}

/** What a transaction works on; alerts are reached in no other way. */
export interface TransactionTables {
  readonly alerts: AlertTables;
}

/** Opened on first use. */
export interface Store extends StoreTables {
  /**
   * All of the work or nothing of it. Only calls of the given tables may be awaited inside: the embedded engine has one
   * connection, and every other call waits until this one has ended.
   */
  transaction<T>(work: (tables: TransactionTables) => Promise<T>): Promise<T>;
  /**
   * Resolves when the database answers, its last write, if there was one, got through, and its file is in its place; for
   * readiness checks.
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}
