import { assetAmount } from "../src/answers/amounts.ts";
import { askFor } from "../src/answers/answer.ts";
import { bundleAnswer, copyableField, copyableIdField } from "../src/answers/bundles.ts";
import { askAboutId, resolveId, idOption } from "../src/answers/ids/typed-ids.ts";
import { assetsById, noteSeen, PROPOSAL } from "../src/answers/ids/ids.ts";
import type { Answer } from "../src/api/api-client.ts";
import { ApiError, asApiError } from "../src/api/api-error.ts";
import type { AssetLimitsBundle } from "../src/api/model/bundle.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { field } from "../src/reply/block.ts";
import { shortenId } from "../src/reply/text.ts";

export const bundleAssetLimits = command({
  name: "bundle asset-limits",
  asked: ["bundle limit", "asset limit|withdraw|deposit", "limit withdraw|deposit|bridge", "bundle"],
  summary: "The signed bundle that sets an asset's limits",
  verb: "Show bundle",
  examples: ["bundle asset-limits <proposal>"],
  audience: "channel",
  options: {
    proposal: idOption(PROPOSAL, { required: true, description: "The id of the proposal that changes the asset" }),
  },
  run: async (context) => {
    const { api, signal, options } = context;
    const proposalId = await resolveId(PROPOSAL, options.proposal, context, "proposal");
    const question = explainOtherKind(proposalId, api.getAssetLimitsBundle(proposalId, { signal }));
    const [{ value, asOf }, assets] = await Promise.all([
      askAboutId(PROPOSAL, proposalId, "proposal", context, question),
      assetsById(context),
    ]);
    const asset = assets.get(value.networkAssetId ?? "");
    noteSeen(context, "proposal", [{ id: proposalId, label: asset?.symbol }]);
    noteSeen(context, "asset", [{ id: value.networkAssetId, label: asset?.symbol }]);
    const name = asset?.symbol ?? (value.networkAssetId === undefined ? "an asset" : shortenId(value.networkAssetId));
    return bundleAnswer(context, asOf, {
      value,
      title: `The asset-limits bundle of ${name}`,
      before: [
        field("Lifetime deposit limit", assetAmount(value.lifetimeLimit, asset)),
        field("Withdrawal threshold", assetAmount(value.threshold, asset)),
      ],
      after: [
        copyableField("Limit in smallest units", value.lifetimeLimit),
        copyableField("Threshold in smallest units", value.threshold),
        copyableIdField("Proposal id", proposalId),
      ],
      known: { lifetimeLimit: 0, threshold: 0 },
      subject: `asset-limits:${proposalId}`,
      ask: askFor(context, "bundle asset-limits", { proposal: proposalId }),
    });
  },
});

/** Nodes answer 500 for a proposal of another kind, though it is the caller who can mend that. */
async function explainOtherKind(
  proposalId: string,
  question: Promise<Answer<AssetLimitsBundle>>,
): Promise<Answer<AssetLimitsBundle>> {
  const answered = await question.catch(asApiError);
  if (!(answered instanceof ApiError)) return answered;
  const isOther = /not an update asset proposal/iu.test(`${answered.innerWords} ${answered.message}`);
  if (!isOther) throw answered;
  throw new UserError(`Proposal ${proposalId} does not change an asset.`, {
    option: "proposal",
    cause: answered,
    remedy: "Give the id of a proposal that changes an asset's limits.",
  });
}
