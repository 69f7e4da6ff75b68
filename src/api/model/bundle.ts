import { z } from "zod";

import { bigintField, requiredTextField, textField } from "./fields.ts";

/** Nodes write 0x before the signatures, also where there are none. */
const signaturesField = requiredTextField.transform((hex) => (hex === "0x" ? undefined : hex));

/** The bridge's input for listing an asset. No signatures yet = not signed yet. */
export const ListAssetBundle = z
  .looseObject({
    assetSource: textField,
    nonce: bigintField,
    signatures: signaturesField,
    networkAssetId: textField,
    /** How v0.71 nodes name networkAssetId. */
    vegaAssetId: textField,
  })
  .transform(({ vegaAssetId, networkAssetId, ...rest }) => ({
    ...rest,
    networkAssetId: networkAssetId ?? vegaAssetId,
  }));
export type ListAssetBundle = z.infer<typeof ListAssetBundle>;

/** The bridge's input for an asset's limits: maxLifetimeDeposit (lifetimeLimit) and withdrawThreshold (threshold). */
export const AssetLimitsBundle = z
  .looseObject({
    assetSource: textField,
    lifetimeLimit: bigintField,
    nonce: bigintField,
    signatures: signaturesField,
    threshold: bigintField,
    networkAssetId: textField,
    vegaAssetId: textField,
  })
  .transform(({ vegaAssetId, networkAssetId, ...rest }) => ({
    ...rest,
    networkAssetId: networkAssetId ?? vegaAssetId,
  }));
export type AssetLimitsBundle = z.infer<typeof AssetLimitsBundle>;
