import type { Operations } from "./api-client.ts";
import type { ClientContext } from "./endpoint.ts";
import { nodeFailure } from "./failure.ts";
import type { AssetNames } from "./names.ts";
import type { NamesCache } from "./names-reader.ts";
import type { Call } from "./operations.ts";
import * as questions from "./questions.ts";

/** Asks for the list-asset bundle, but not of an asset that is known to be no ERC20 token: some nodes crash on it. */
export function listAssetBundleCall(
  call: Call,
  assets: NamesCache<AssetNames>,
  node: string,
  around: ClientContext,
): Operations["getListAssetBundle"] {
  return async (assetId, options = {}) => {
    const asked = questions.listAssetBundle(assetId);
    const { fresh: _, ...gently } = options;
    const names = await assets.get(gently);
    const known = names.find((asset) => asset.id.toLowerCase() === assetId.toLowerCase());
    if (known?.erc20 === false) {
      const named = known.symbol ?? known.name;
      const why = `was not asked, since it lists the asset${named === undefined ? "" : ` ${named}`} as no ERC20 token, and only those have such a bundle`;
      throw nodeFailure("invalid", why, { network: around.network, node, what: asked.what });
    }
    return call(asked, options);
  };
}
