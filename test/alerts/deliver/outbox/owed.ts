import type { AlertTables, DeliveryChange, NewDeliveryRow } from "../../../../src/store/alert-tables/alert-tables.ts";
import { openStage, type Stage } from "../../stage.ts";
import { destinationKey } from "../../../../src/alerts/destination.ts";

export const ops = { platform: "nowhere", channel: "ops" };

/** What is not said is as usual; `is` is how it stands. */
export type OwedRow = Partial<NewDeliveryRow> & {
  readonly id: string;
  readonly is?: DeliveryChange;
  /** It is no delivery: it joined the message of this one. */
  readonly joined?: string;
};

/** Deliveries on a platform without a sender, so that they stay as the test leaves them. */
export async function owed(
  ...rows: readonly OwedRow[]
): Promise<{ stage: Stage; tables: <T>(work: (tables: AlertTables) => Promise<T>) => Promise<T>; at: number }> {
  const stage = await openStage();
  const at = stage.now();
  const data = '{"type":"test","by":"ada","at":"1"}';
  const tables = <T>(work: (tables: AlertTables) => Promise<T>): Promise<T> =>
    stage.store.transaction(({ alerts }) => work(alerts));
  await tables(async ({ outbox, items }) => {
    await outbox.addMessages([{ id: "m", data }], at);
    const usual = {
      destination: destinationKey(ops),
      platform: "nowhere",
      phase: "bot",
      urgency: 0,
      message: "m",
      episode: null,
      run_at: at,
      created_at: at,
      data: JSON.stringify({ destination: ops }),
    } as const;
    for (const { is, joined, ...row } of rows) {
      const { id, phase, episode, message } = { ...usual, ...row };
      if (joined !== undefined) {
        const revision = ((await outbox.get([joined]))[0]?.revision ?? 0) + 1;
        await outbox.update(joined, { revision });
        await items.add([{ id, delivery: joined, revision, phase, episode, message }]);
        continue;
      }
      await outbox.add([{ ...usual, ...row }]);
      if (is !== undefined) await outbox.update(row.id, { ...(is.state === "sent" ? { shown: 0 } : {}), ...is });
    }
  });
  return { stage, tables, at };
}
