import type { Kysely } from "kysely";

import { firstTwelve } from "./first-twelve/index.ts";
import { remindersTold } from "./0014-reminders-told.ts";
import { deliveryGroups } from "./0015-delivery-groups.ts";
import { exportJobs } from "./0016-export-jobs.ts";
import { processes } from "./0017-processes.ts";
import { installations } from "./0018-installations.ts";
import { alertTableNames } from "./0019-alert-table-names.ts";
import { fewerDeliveryIndexes } from "./0020-fewer-delivery-indexes.ts";
import { desiredMessages } from "./0021-desired-messages.ts";
import { interruptions } from "./0022-interruptions.ts";
import { openAnswers } from "./0023-open-answers.ts";
import { haltKeys } from "./0024-halt-keys.ts";
import { suspendedPlaces } from "./0025-suspended-places.ts";
import { chunkColumns } from "./0026-chunk-columns.ts";
import { notices } from "./0027-notices.ts";
import { streamPositions } from "./0028-stream-positions.ts";
import { looks } from "./0029-looks.ts";

/**
 * Every version of the schema, in order. A migration that was released is never changed; the next one corrects it. A
 * change that removes something the version before needs takes two migrations, released one after the other; the second
 * sets a mark (see schema-age.ts). Only 0019, 0021 and 0026 change in one step what is stored:
 * docs/decisions/0027-tables-renamed-in-one-step.md.
 */
export const migrations: Readonly<Record<string, (db: Kysely<unknown>) => Promise<void>>> = {
  ...firstTwelve,
  "0014-reminders-told": remindersTold,
  "0015-delivery-groups": deliveryGroups,
  "0016-export-jobs": exportJobs,
  "0017-processes": processes,
  "0018-installations": installations,
  "0019-alert-table-names": alertTableNames,
  "0020-fewer-delivery-indexes": fewerDeliveryIndexes,
  "0021-desired-messages": desiredMessages,
  "0022-interruptions": interruptions,
  "0023-open-answers": openAnswers,
  "0024-halt-keys": haltKeys,
  "0025-suspended-places": suspendedPlaces,
  "0026-chunk-columns": chunkColumns,
  "0027-notices": notices,
  "0028-stream-positions": streamPositions,
  "0029-looks": looks,
};
