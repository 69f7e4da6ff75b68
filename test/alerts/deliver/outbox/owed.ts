import type { AlertTables, DeliveryChange, NewDeliveryRow } from "../../../../src/store/alert-tables/alert-tables.ts";
import { openStage, type Stage } from "../../stage.ts";
import { destinationKey } from "../../../../src/alerts/destination.ts";

export const ops = { platform: "nowhere", channel: "ops" };

/** What is not said is as usual; `is` is how it stands. */
export type OwedRow = Partial<NewDeliveryRow> & { readonly id: string; readonly is?: DeliveryChange };

/** Deliveries on a platform without a sender, so that they stay as the test leaves them. */
export async function owed(
  ...rows: readonly OwedRow[]
): Promise<{ stage: Stage; tables: <T>(work: (tables: AlertTables) => Promise<T>) => Promise<T>; at: number }> {
  const stage = await openStage();
  const at = stage.now();
  const data = '{"type":"test","by":"ada","at":"1"}';
  const tables = <T>(work: (tables: AlertTables) => Promise<T>): Promise<T> =>
    stage.store.transaction(({ alerts }) => work(alerts));
  await tables(async ({ outbox }) => {
    await outbox.addMessages([{ id: "m", data }], at);
    const usual = {
      destination: destinationKey(ops),
      platform: "nowhere",
      kind: "message",
      phase: "bot",
      urgency: 0,
      message: "m",
      episode: null,
      target: null,
      run_at: at,
      created_at: at,
      data: JSON.stringify({ destination: ops }),
    } as const;
    for (const { is, ...row } of rows) {
      await outbox.add([{ ...usual, ...row }]);
      if (is !== undefined) await outbox.update(row.id, is);
    }
  });
  return { stage, tables, at };
}
