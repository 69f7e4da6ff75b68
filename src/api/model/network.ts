import { z } from "zod";

import { bigintField, flagField, requiredTextField, requiredTimeField, textField } from "./fields.ts";
import { page } from "./page.ts";

/** The time of the last block that the answering node has taken in; unset while it has none. */
export const NetworkTime = z.looseObject({ timestamp: requiredTimeField });
export type NetworkTime = z.infer<typeof NetworkTime>;

/** The software of the answering node. */
export const NodeInfo = z.looseObject({ version: requiredTextField, commitHash: textField });
export type NodeInfo = z.infer<typeof NodeInfo>;

/** One snapshot of the core's state. A protocol upgrade shows as a change of coreVersion; protocolUpgradeBlock is always false. */
export const Snapshot = z.looseObject({
  blockHash: textField,
  blockHeight: bigintField,
  coreVersion: textField,
  protocolUpgradeBlock: flagField,
});
export type Snapshot = z.infer<typeof Snapshot>;

export const Snapshots = z.looseObject({ coreSnapshots: page(Snapshot) });

/** One checkpoint. Two may share a block: (atBlock, hash) tells them apart. */
export const Checkpoint = z.looseObject({ atBlock: bigintField, blockHash: textField, hash: textField });
export type Checkpoint = z.infer<typeof Checkpoint>;

export const Checkpoints = z.looseObject({ checkpoints: page(Checkpoint) });

/** One change of a validator's Ethereum key. */
export const KeyRotation = z.looseObject({
  nodeId: textField,
  oldAddress: textField,
  newAddress: textField,
  blockHeight: bigintField,
});
export type KeyRotation = z.infer<typeof KeyRotation>;

export const KeyRotations = z.looseObject({ keyRotations: page(KeyRotation) });
