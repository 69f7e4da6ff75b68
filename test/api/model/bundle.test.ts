import { expect, test } from "vitest";

import { AssetLimitsBundle, ListAssetBundle } from "../../../src/api/model/bundle.ts";

test.each([
  ["lists an asset", ListAssetBundle],
  ["sets its limits", AssetLimitsBundle],
])("a bundle that %s is signed by what stands behind 0x, and by nothing else", (_what, schema) => {
  const signatures = [null, "", "0x", "0xab"].map((sent) => schema.parse({ signatures: sent }).signatures);
  expect(signatures).toEqual([undefined, undefined, undefined, "0xab"]);
});
