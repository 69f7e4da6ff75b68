// The migrations of the schema up to 0020. They were released long ago, and never change.
import type { Kysely } from "kysely";

import { seenIdsAndButtonPayloads } from "./0001-seen-ids-and-button-payloads.ts";
import { savedParties } from "./0002-saved-parties.ts";
import { alerts } from "./0003-alerts.ts";
import { alertParcels } from "./0004-alert-parcels.ts";
import { answerChoices } from "./0005-answer-choices.ts";
import { databaseMarks } from "./0006-database-marks.ts";
import { alertUpkeep } from "./0007-alert-upkeep.ts";
import { alertUrgency } from "./0008-alert-urgency.ts";
import { alertJournal } from "./0009-alert-journal.ts";
import { subscriptionGroups } from "./0010-subscription-groups.ts";
import { consoleSignOuts } from "./0011-console-sign-outs.ts";
import { deliveryUrgency } from "./0012-delivery-urgency.ts";
import { remindersTold } from "./0014-reminders-told.ts";
import { deliveryGroups } from "./0015-delivery-groups.ts";
import { exportJobs } from "./0016-export-jobs.ts";
import { processes } from "./0017-processes.ts";
import { installations } from "./0018-installations.ts";
import { alertTableNames } from "./0019-alert-table-names.ts";
import { fewerDeliveryIndexes } from "./0020-fewer-delivery-indexes.ts";

export const earlyMigrations: Readonly<Record<string, (db: Kysely<unknown>) => Promise<void>>> = {
  "0001-seen-ids-and-button-payloads": seenIdsAndButtonPayloads,
  "0002-saved-parties": savedParties,
  "0003-alerts": alerts,
  "0004-alert-parcels": alertParcels,
  "0005-answer-choices": answerChoices,
  "0006-database-marks": databaseMarks,
  "0007-alert-upkeep": alertUpkeep,
  "0008-alert-urgency": alertUrgency,
  "0009-alert-journal": alertJournal,
  "0010-subscription-groups": subscriptionGroups,
  "0011-console-sign-outs": consoleSignOuts,
  "0012-delivery-urgency": deliveryUrgency,
  "0014-reminders-told": remindersTold,
  "0015-delivery-groups": deliveryGroups,
  "0016-export-jobs": exportJobs,
  "0017-processes": processes,
  "0018-installations": installations,
  "0019-alert-table-names": alertTableNames,
  "0020-fewer-delivery-indexes": fewerDeliveryIndexes,
};
