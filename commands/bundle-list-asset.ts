import { askFor } from "../src/answers/answer.ts";
import { bundleAnswer } from "../src/answers/bundles.ts";
import { askAboutId, resolveId, idOption } from "../src/answers/ids/typed-ids.ts";
import { ASSET, assetsById, noteSeen, typedName } from "../src/answers/ids/ids.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { field } from "../src/reply/block.ts";
import { shortenId } from "../src/reply/text.ts";

export const bundleListAsset = command({
  name: "bundle list-asset",
  asked: ["bundle list", "asset list bridge|ethereum|bundle|sign", "bundle"],
  summary: "The signed bundle that lists an asset on the bridge",
  verb: "Show bundle",
  examples: ["bundle list-asset USDT"],
  audience: "channel",
  options: {
    asset: idOption(ASSET, { required: true, description: "Its symbol (USDT) or id" }),
  },
  run: async (context) => {
    const { api, signal, options } = context;
    const assetId = await resolveId(ASSET, options.asset, context, "asset");
    const assets = await assetsById(context);
    const asset = assets.get(assetId);
    const typed = typedName({ id: assetId, label: asset?.symbol }, await ASSET.names(context));
    const name = asset?.symbol ?? shortenId(assetId);
    if (asset?.erc20 === false) {
      // Some nodes crash when they are asked for it.
      throw new UserError(`${name} is no ERC20 token: the bridge does not list it.`, {
        option: "asset",
        remedy: "Give an asset that is an ERC20 token.",
      });
    }
    const { value, asOf } = await askAboutId(
      ASSET,
      assetId,
      "asset",
      context,
      api.getListAssetBundle(assetId, { signal }),
    );
    noteSeen(context, "asset", [{ id: assetId, label: asset?.symbol }]);
    return bundleAnswer(context, asOf, {
      value,
      title: `The list-asset bundle of ${name}`,
      before: asset?.name === undefined ? [] : [field("Asset", asset.name)],
      subject: `list-asset:${typed}`,
      ask: askFor(context, "bundle list-asset", { asset: typed }),
    });
  },
});
