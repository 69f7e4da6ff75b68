import { answer, askFor, watchAction } from "../src/answers/answer.ts";
import { copyableField, copyableIdField, signatureBlocks, signedWords } from "../src/answers/bundles.ts";
import { extraFields } from "../src/answers/cells.ts";
import { askAboutId } from "../src/answers/ids/ask-about-id.ts";
import { ASSET, assetsById } from "../src/answers/ids/ids.ts";
import { resolveId } from "../src/answers/ids/resolve-id.ts";
import { noteSeen } from "../src/answers/ids/seen-ids.ts";
import { suggestIds } from "../src/answers/ids/suggest-ids.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { type Block, field } from "../src/reply/block.ts";
import { shortenId, text } from "../src/reply/text.ts";

export const bundleListAsset = command({
  name: "bundle list-asset",
  summary: "The signed bundle that lists an asset on the ERC20 bridge",
  examples: ["bundle list-asset USDT"],
  access: "everyone",
  audience: "channel",
  options: {
    asset: {
      kind: "text",
      required: true,
      description: "The asset: its symbol or id",
      example: "USDT",
      suggest: suggestIds(ASSET),
    },
  },
  run: async (context) => {
    const { api, signal, options } = context;
    const assetId = await resolveId(ASSET, options.asset, context, "asset");
    const asset = (await assetsById(context)).get(assetId);
    const name = asset?.symbol ?? shortenId(assetId);
    if (asset?.erc20 === false) {
      // Some nodes crash when they are asked for it.
      throw new UserError(`${name} is no ERC20 token: there is no bundle to list it on the ERC20 bridge.`, {
        option: "asset",
        remedy: "Give an asset that lives on Ethereum.",
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
    const blocks: Block[] = [
      ...signatureBlocks(value.signatures),
      {
        kind: "fields",
        fields: [
          ...(asset?.name === undefined ? [] : [field("Asset", asset.name)]),
          copyableIdField("networkAssetId", value.networkAssetId),
          copyableField("assetSource", value.assetSource),
          copyableField("nonce", value.nonce),
        ],
      },
    ];
    const unknown = extraFields(value, { assetSource: 0, nonce: 0, signatures: 0, networkAssetId: 0 });
    if (unknown.length > 0) blocks.push({ kind: "fields", title: text`Further fields of the node`, fields: unknown });
    return answer(context, asOf, {
      title: text`List ${name} on the bridge: ${signedWords(value.signatures)}`,
      tone: value.signatures === undefined ? "warning" : "good",
      blocks,
      actions:
        value.signatures === undefined
          ? [watchAction(context, "Tell me once it is signed", "bundle.signed", `list-asset:${assetId}`)]
          : [],
      ask: askFor(context, "bundle list-asset", { asset: assetId }),
    });
  },
});
