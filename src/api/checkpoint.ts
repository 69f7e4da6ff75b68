import { z } from "zod";

import { bigintField, recordField, textField } from "./fields.ts";
import { page } from "./page.ts";

/** One checkpoint. Two may share a block: (atBlock, hash) tells them apart. */
export const Checkpoint = z.looseObject({ atBlock: bigintField, blockHash: textField, hash: textField });
export type Checkpoint = z.infer<typeof Checkpoint>;

export const Checkpoints = z.looseObject({ checkpoints: recordField(page(Checkpoint)) });
