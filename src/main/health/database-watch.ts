import type { Clock } from "../../api/clock.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { EmbeddedStore } from "../../store/create-store.ts";
import type { Milliseconds } from "../../units/duration.ts";

interface DatabaseWatchOptions {
  readonly store: Pick<EmbeddedStore, "file" | "lost">;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells the operators. A rejection is logged. */
  readonly notify: (what: NonNullable<ReturnType<EmbeddedStore["lost"]>>) => Promise<void>;
}

const LOOK_INTERVAL: Milliseconds = 10_000;

/**
 * Looks whether the database's file is still in its place, until the signal; logs each change and tells the operators of
 * each loss. SQLite itself notices neither: it goes on with the file that it opened.
 */
export async function watchDatabase(
  { store, clock, log, notify }: DatabaseWatchOptions,
  signal: AbortSignal,
): Promise<void> {
  let known: ReturnType<EmbeddedStore["lost"]>;
  while (!signal.aborted) {
    try {
      const lost = store.lost();
      if (lost !== known) {
        known = lost;
        if (lost === undefined) log.info({ file: store.file }, "database back");
        else {
          log.error({ file: store.file, why: lost }, "database lost");
          await notify(lost);
        }
      }
    } catch (thrown) {
      log.error({ why: messageOf(thrown) }, "database unusable");
    }
    await clock.sleep(LOOK_INTERVAL, signal).catch(() => undefined);
  }
}
