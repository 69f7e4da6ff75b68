import { z } from "zod";

import { textField } from "./fields.ts";

/** What software the answering node runs. */
export const NodeInfo = z.looseObject({ version: textField, commitHash: textField });
export type NodeInfo = z.infer<typeof NodeInfo>;
