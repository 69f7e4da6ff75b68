import type { AnyCommand } from "../src/bot/command.ts";
import { alertsAck } from "./alerts-ack.ts";
import { alertsAdd } from "./alerts-add.ts";
import { alertsDrill } from "./alerts-drill.ts";
import { alertsEdit } from "./alerts-edit.ts";
import { alertsList } from "./alerts-list.ts";
import { alertsLog } from "./alerts-log.ts";
import { alertsPause, alertsRemove, alertsResume } from "./alerts-state.ts";
import { alertsSilence } from "./alerts-silence.ts";
import { alertsSilences } from "./alerts-silences.ts";
import { alertsStatus } from "./alerts-status.ts";
import { alertsTold } from "./alerts-told.ts";
import { alertsTry } from "./alerts-try.ts";
import { alertsUnsilence } from "./alerts-unsilence.ts";
import { alertsWhy } from "./alerts-why.ts";
import { answersSet } from "./answers-set.ts";
import { answersShow } from "./answers-show.ts";
import { ask } from "./ask.ts";
import { bundleAssetLimits } from "./bundle-asset-limits.ts";
import { bundleListAsset } from "./bundle-list-asset.ts";
import { chart } from "./chart.ts";
import { checkpoints } from "./checkpoints.ts";
import { help } from "./help.ts";
import { info } from "./info.ts";
import { ledgerCancel } from "./ledger-cancel.ts";
import { ledgerExport } from "./ledger-export.ts";
import { ledgerFetch } from "./ledger-fetch.ts";
import { ledgerList } from "./ledger-list.ts";
import { ledgerVerify } from "./ledger-verify.ts";
import { marketList } from "./market-list.ts";
import { marketShow } from "./market-show.ts";
import { myForget } from "./my-forget.ts";
import { myParties } from "./my-parties.ts";
import { myParty } from "./my-party.ts";
import { myZone } from "./my-zone.ts";
import { order } from "./order.ts";
import { rotations } from "./rotations.ts";
import { snapshots } from "./snapshots.ts";
import { stake } from "./stake.ts";
import { time } from "./time.ts";

/** All commands, in the order of help. */
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
  chart,
  bundleListAsset,
  bundleAssetLimits,
  ledgerExport,
  ledgerList,
  ledgerCancel,
  ledgerFetch,
  ledgerVerify,
  alertsAdd,
  alertsTry,
  alertsList,
  alertsEdit,
  alertsRemove,
  alertsPause,
  alertsResume,
  alertsSilence,
  alertsSilences,
  alertsUnsilence,
  alertsAck,
  alertsWhy,
  alertsTold,
  alertsLog,
  alertsDrill,
  alertsStatus,
  answersShow,
  answersSet,
  myParty,
  myParties,
  myZone,
  myForget,
  ask,
  help,
];
