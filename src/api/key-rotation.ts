import { z } from "zod";

import { bigintField, recordField, textField } from "./fields.ts";
import { page } from "./page.ts";

/** One change of a validator's Ethereum key. */
export const KeyRotation = z.looseObject({
  nodeId: textField,
  oldAddress: textField,
  newAddress: textField,
  blockHeight: bigintField,
});
export type KeyRotation = z.infer<typeof KeyRotation>;

export const KeyRotations = z.looseObject({ keyRotations: recordField(page(KeyRotation)) });
