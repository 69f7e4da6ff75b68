import { z } from "zod";

import { bigintField, flagField, recordField, textField } from "./fields.ts";
import { page } from "./page.ts";

/** One snapshot of the core's state. A protocol upgrade shows as a change of coreVersion; protocolUpgradeBlock is always false. */
export const Snapshot = z.looseObject({
  blockHash: textField,
  blockHeight: bigintField,
  coreVersion: textField,
  protocolUpgradeBlock: flagField,
});
export type Snapshot = z.infer<typeof Snapshot>;

export const Snapshots = z.looseObject({ coreSnapshots: recordField(page(Snapshot)) });
