import type { Clock } from "../../api/clock.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { StoreFile } from "../../store/create-store.ts";
import type { Milliseconds } from "../../units/time.ts";

interface DatabaseWatchOptions {
  readonly file: StoreFile;
  readonly clock: Clock;
  readonly log: Log;
  /** Notifies the operators. A rejection is logged. */
  readonly notify: (what: NonNullable<ReturnType<StoreFile["lost"]>>) => Promise<void>;
}

const LOOK_INTERVAL: Milliseconds = 10_000;

/**
 * Checks until the signal whether the file of the database is still in its place; logs each change and notifies the
 * operators of each loss. SQLite does not notice a loss: it goes on with the file that it opened.
 */
export async function watchDatabase(
  { file, clock, log, notify }: DatabaseWatchOptions,
  signal: AbortSignal,
): Promise<void> {
  let known: ReturnType<StoreFile["lost"]>;
  while (!signal.aborted) {
    try {
      const lost = file.lost();
      if (lost !== known) {
        known = lost;
        if (lost === undefined) log.info({ file: file.file }, "database back");
        else {
          log.error({ file: file.file, why: lost }, "database lost");
          await notify(lost);
        }
      }
    } catch (thrown) {
      log.error({ why: messageOf(thrown) }, "database unusable");
    }
    await clock.sleep(LOOK_INTERVAL, signal).catch(() => undefined);
  }
}
