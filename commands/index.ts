import type { AnyCommand } from "../src/bot/command.ts";
import { bundleAssetLimits } from "./bundle-asset-limits.ts";
import { bundleListAsset } from "./bundle-list-asset.ts";
import { checkpoints } from "./checkpoints.ts";
import { help } from "./help.ts";
import { info } from "./info.ts";
import { ledgerExport } from "./ledger-export.ts";
import { marketList } from "./market-list.ts";
import { marketShow } from "./market-show.ts";
import { myForget } from "./my-forget.ts";
import { myParties } from "./my-parties.ts";
import { myParty } from "./my-party.ts";
import { order } from "./order.ts";
import { rotations } from "./rotations.ts";
import { snapshots } from "./snapshots.ts";
import { stake } from "./stake.ts";
import { time } from "./time.ts";

/** All that people can ask, in the order of help. */
export const commands: readonly AnyCommand[] = [
  time,
  info,
  marketList,
  marketShow,
  order,
  stake,
  rotations,
  snapshots,
  checkpoints,
  bundleListAsset,
  bundleAssetLimits,
  ledgerExport,
  myParty,
  myParties,
  myForget,
  help,
];
