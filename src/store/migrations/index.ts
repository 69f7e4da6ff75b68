import { earlyMigrations } from "./early.ts";
import type { Migration } from "./in-sql.ts";
import { desiredMessages } from "./0021-desired-messages.ts";
import { interruptions } from "./0022-interruptions.ts";
import { openAnswers } from "./0023-open-answers.ts";
import { haltKeys } from "./0024-halt-keys.ts";
import { suspendedPlaces } from "./0025-suspended-places.ts";
import { chunkColumns } from "./0026-chunk-columns.ts";
import { notices } from "./0027-notices.ts";
import { streamPositions } from "./0028-stream-positions.ts";
import { looks } from "./0029-looks.ts";
import { lastingEpisodes } from "./0030-lasting-episodes.ts";

/**
 * Every version of the schema, in order. A migration that was released is never changed; the next one corrects it. A
 * change that removes something the version before needs takes two migrations, released one after the other; the second
 * sets a mark (see schema-age.ts). Only 0019, 0021 and 0026 change in one step what is stored:
 * docs/decisions/0027-tables-renamed-in-one-step.md.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  ...earlyMigrations,
  "0021-desired-messages": desiredMessages,
  "0022-interruptions": interruptions,
  "0023-open-answers": openAnswers,
  "0024-halt-keys": haltKeys,
  "0025-suspended-places": suspendedPlaces,
  "0026-chunk-columns": chunkColumns,
  "0027-notices": notices,
  "0028-stream-positions": streamPositions,
  "0029-looks": looks,
  "0030-lasting-episodes": lastingEpisodes,
};
