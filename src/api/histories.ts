// The lists of what happened to the network, declared once for the commands, the watchers and the comparison of nodes.

import type { Answer, CallOptions, Operations } from "./api-client.ts";
import type { Checkpoint, KeyRotation, Snapshot } from "./model/model.ts";
import type { Page, PageRequest } from "./model/page.ts";

export type HistoryName = "checkpoints" | "snapshots" | "rotations";

/** A list of the network: its rows may come in any order, and twice. */
export interface History<T> {
  /** Also of its command and its watcher. */
  readonly name: HistoryName;
  /** One row, as people call it. */
  readonly noun: string;
  /** One page. Rejects as the operations do. */
  get(from: Operations, query: PageRequest, call: CallOptions): Promise<Answer<Page<T>>>;
  /** Undefined for a row without a block. */
  blockOf(row: T): bigint | undefined;
  /** Identifies a row within its block; empty where the node leaves it out. */
  nameOf(row: T): string;
  /** The values of a row, by field, that neither a release nor a setting of a node may change. */
  fixedOf(row: T): readonly FixedValue[];
}

interface FixedValue {
  readonly field: string;
  /** The validator whose value it is. */
  readonly of?: string;
  readonly value: string | undefined;
}

const checkpoints: History<Checkpoint> = {
  name: "checkpoints",
  noun: "checkpoint",
  get: (from, query, call) => from.getCheckpoints(query, call),
  blockOf: ({ atBlock }) => atBlock,
  nameOf: ({ hash = "" }) => hash,
  fixedOf: ({ hash, blockHash }) => [
    { field: "checkpoint hash", value: hash },
    { field: "block hash", value: blockHash },
  ],
};

const snapshots: History<Snapshot> = {
  name: "snapshots",
  noun: "snapshot",
  get: (from, query, call) => from.getSnapshots(query, call),
  blockOf: ({ blockHeight }) => blockHeight,
  nameOf: ({ blockHash = "" }) => blockHash,
  fixedOf: ({ blockHash }) => [{ field: "block hash", value: blockHash }],
};

const rotations: History<KeyRotation> = {
  name: "rotations",
  noun: "key rotation",
  get: (from, query, call) => from.getKeyRotations(query, call),
  blockOf: ({ blockHeight }) => blockHeight,
  nameOf: ({ nodeId = "", newAddress = "" }) => `${nodeId}/${newAddress}`,
  fixedOf: ({ nodeId, oldAddress, newAddress }) =>
    nodeId === undefined
      ? []
      : [
          { field: "old address", of: nodeId, value: oldAddress },
          { field: "new address", of: nodeId, value: newAddress },
        ],
};

/** Every list. */
export const HISTORIES = { checkpoints, snapshots, rotations } satisfies Record<HistoryName, unknown>;
