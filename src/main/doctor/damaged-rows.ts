import { fault, type Finding } from "../../adapters/finding.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../alerts/alerts-config.ts";
import { parseNotificationState } from "../../alerts/deliver/outbox/notification-state.ts";
import { parseEpisode, parseMachine } from "../../alerts/judge/rules/episode.ts";
import { parseSilence } from "../../alerts/route/silence.ts";
import { parseSubscription } from "../../alerts/route/subscription.ts";
import { readSuspensions, type Suspension } from "../../alerts/route/suspension.ts";
import { systemClock } from "../../api/clock.ts";
import { DamagedRow } from "../../errors.ts";
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { createWatchers } from "../../watchers/create-watchers.ts";
import { parseRow } from "../../alerts/judge/kinds/kind.ts";

/** What the doctor reads of the alerts. */
export interface ReadAlerts {
  readonly suspensions: readonly Suspension[];
  readonly damaged: readonly DamagedRow[];
}

/** Reads each row that a running bot would stand still for. */
export async function readAlerts(tables: AlertTables): Promise<ReadAlerts> {
  const damaged: DamagedRow[] = [];
  const orDamaged = (thrown: unknown): undefined => {
    if (!(thrown instanceof DamagedRow)) throw thrown;
    damaged.push(thrown);
  };
  const tryEach = <R>(rows: readonly R[], parse: (row: R) => unknown): void => {
    for (const row of rows) {
      try {
        parse(row);
      } catch (thrown) {
        orDamaged(thrown);
      }
    }
  };
  const suspensions = (await readSuspensions(tables).catch(orDamaged)) ?? [];
  const common = { network: "", nodes: 1, config: DEFAULT_ALERTS_CONFIG, clock: systemClock };
  const schemas = new Map(createWatchers(common).map(({ name, snapshot }) => [name, snapshot]));
  tryEach(await tables.watch.snapshots(), ({ network, watcher, data }) => {
    const schema = schemas.get(watcher);
    return schema && parseRow(schema, data, "watcher_snapshots", { network, watcher });
  });
  tryEach(await tables.subscriptions.list(), parseSubscription);
  tryEach(await tables.subscriptions.silences(0), parseSilence);
  tryEach(await tables.watch.machines(), parseMachine);
  const open = await tables.watch.openEpisodes();
  tryEach(open, parseEpisode);
  tryEach(await tables.watch.notificationStates(open.map(({ id }) => id)), parseNotificationState);
  return { suspensions, damaged };
}

/** A fault for each. */
export function examineRows({ damaged }: ReadAlerts): Finding[] {
  return damaged.map(({ what, mend }) =>
    fault("damaged row", what, `${mend[0]?.toUpperCase() ?? ""}${mend.slice(1)}.`),
  );
}
