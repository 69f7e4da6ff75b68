import type { Milliseconds } from "../units/duration.ts";

/** What kind of thing an id names. */
export type SeenKind = "market" | "asset" | "party" | "order" | "node" | "proposal";

export interface Seen {
  readonly id: string;
  /** Code, symbol or name, where one is known. */
  readonly label: string | undefined;
}

/** Ids that passed through replies, so that people can complete them and type their beginnings. */
export interface SeenIds {
  /** Notes ids; the ones seen last are offered first. Bounded: the oldest beyond 10,000 per network and kind go. */
  note(network: string, kind: SeenKind, ids: readonly Seen[]): Promise<void>;
  /** Ids that begin with, or whose label contains, what is typed; without regard to case, newest first. */
  find(network: string, kind: SeenKind, typed: string, limit: number): Promise<readonly Seen[]>;
}

/** What a button stands for where it does not fit into the button itself. */
export interface ButtonPayloads {
  /** Keeps a JSON value under a short key (at most 22 characters) until it expires. Equal values may share a key. */
  put(value: unknown, keep: Milliseconds): Promise<string>;
  /** Undefined when unknown or expired: the answer is then "run it again". */
  get(key: string): Promise<unknown>;
}

/** What must survive. Opened on first use; later parts add their tables by migration. */
export interface Store {
  readonly seen: SeenIds;
  readonly payloads: ButtonPayloads;
  /** Resolves when the database answers; for readiness checks. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
