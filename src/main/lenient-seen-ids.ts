import { UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import { DatabaseInUse } from "../store/file/holder.ts";
import type { SeenIds } from "../store/store.ts";

/**
 * The ids seen, of a database that may be unusable: then none are kept and none are found, and `tell` is given one
 * sentence about it, once. No question fails for it that needs no database.
 */
export function lenientSeenIds(seen: SeenIds, tell: (sentence: string) => void, log: Log): SeenIds {
  let told = false;
  const instead = async <T>(work: Promise<T>, nothing: T): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      // A bot that is just starting keeps ids of its own; what this answer showed is no loss worth a word.
      const harmless = nothing === undefined && thrown instanceof DatabaseInUse;
      if (!told && !harmless) {
        told = true;
        if (!(thrown instanceof UserError)) log.error({ err: thrown }, "the database failed");
        const why = thrown instanceof UserError ? thrown.message : "The database failed.";
        tell(`Ids shown before are neither found by their beginning nor kept: ${why}`);
      }
      return nothing;
    }
  };
  return {
    note: (...given) => instead(seen.note(...given), undefined),
    find: (...given) => instead(seen.find(...given), []),
  };
}
