import { z } from "zod";

import { bigintField, requiredTextField, textField } from "./fields.ts";

const shared = {
  assetSource: textField,
  nonce: bigintField,
  /** Nodes write 0x before the signatures, also where there are none. No signatures yet = not signed yet. */
  signatures: requiredTextField.transform((hex) => (hex === "0x" ? undefined : hex)),
  networkAssetId: textField,
  /** How v0.71 nodes name networkAssetId. */
  vegaAssetId: textField,
};

/** The bridge's input for listing an asset. */
export const ListAssetBundle = z
  .looseObject(shared)
  .transform(({ vegaAssetId, ...rest }) => ({ ...rest, networkAssetId: rest.networkAssetId ?? vegaAssetId }));
export type ListAssetBundle = z.infer<typeof ListAssetBundle>;

/** The bridge's input for an asset's limits: maxLifetimeDeposit (lifetimeLimit) and withdrawThreshold (threshold). */
export const AssetLimitsBundle = z
  .looseObject({ ...shared, lifetimeLimit: bigintField, threshold: bigintField })
  .transform(({ vegaAssetId, ...rest }) => ({ ...rest, networkAssetId: rest.networkAssetId ?? vegaAssetId }));
export type AssetLimitsBundle = z.infer<typeof AssetLimitsBundle>;
