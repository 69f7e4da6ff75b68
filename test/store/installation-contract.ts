import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { InstallationRow, Store } from "../../src/store/store.ts";
import type { StoreUnderTest } from "./contract.ts";

const ROW: InstallationRow = {
  platform: "chat",
  id: "T1",
  enterprise: null,
  name: "Acme",
  org_wide: 0,
  bot_user: "U0",
  scopes: "commands",
  sealed: "k.1",
  expires_at: 1_800_000_000_000,
  installed_by: "U1",
  installed_at: 1_700_000_000_000,
  removed_at: null,
};

/** What every engine keeps of installations. */
export function installationContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`installations on ${engine}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await create();
      store = under.store;
    });
    afterEach(() => under.cleanUp());

    it("are kept by platform and id; a new one takes the place of an earlier one, whatever became of that", async () => {
      const { installations } = store;
      await installations.put(ROW);
      await installations.put({ ...ROW, platform: "other", sealed: "k.9" });
      expect(await installations.change(ROW, { removed_at: 5 })).toBe(true);
      await installations.put({ ...ROW, sealed: "k.2", name: "Acme Ltd", expires_at: null });
      await installations.put({ ...ROW, id: "T0" });
      const expected = { ...ROW, sealed: "k.2", name: "Acme Ltd", expires_at: null };
      expect(await installations.all("chat")).toEqual([{ ...ROW, id: "T0" }, expected]);
      expect(await installations.get("chat", "T1")).toEqual(expected);
      expect(await installations.get("chat", "T2")).toBeUndefined();
    });

    it("change only where their tokens are still as they were read: of two at once, one", async () => {
      const { installations } = store;
      await installations.put(ROW);
      const changed = await Promise.all(
        ["k.2", "k.3"].map((sealed) => installations.change(ROW, { sealed, expires_at: 1_900_000_000_000 })),
      );
      expect(changed.filter(Boolean)).toHaveLength(1);
      expect(await installations.get("chat", "T1")).toMatchObject({ expires_at: 1_900_000_000_000 });
    });

    it("are forgotten with what belongs to their workspace", async () => {
      const { installations, parties, answers } = store;
      for (const id of ["T1", "T2"]) {
        await installations.put({ ...ROW, id, removed_at: 7 });
        await parties.save(`chat:${id}:U1`, { id: "a", name: undefined });
        await answers.keep({ platform: "chat", workspace: id, markets: "channel", by: "ann", at: 1 });
        await store.transaction(async ({ alerts }) => {
          const destination = `chat/${id}/C1/`;
          await alerts.subscriptions.put([{ id, destination, network: "mainnet", state: "active", data: "{}" }]);
          await alerts.subscriptions.putSilence({
            id,
            ends_at: 9e12,
            data: JSON.stringify({ scope: { destination } }),
          });
          await alerts.outbox.addMessages([{ id: `m${id}`, data: "{}" }], 1);
          await alerts.outbox.add([
            {
              id: `d${id}`,
              destination,
              platform: "chat",
              phase: "trigger",
              urgency: 0,
              message: `m${id}`,
              episode: null,
              run_at: 1,
              created_at: 1,
              data: "{}",
            },
          ]);
          await alerts.outbox.putReceipts([
            { delivery: `d${id}`, platform: "chat", channel: "C1", message: "1", at: 1 },
          ]);
        });
      }
      const row = (await installations.get("chat", "T1"))!;
      expect(await store.transaction((tables) => tables.forgetInstallation(row))).toBe(true);
      const left = await store.read(async ({ alerts }) => ({
        subscriptions: (await alerts.subscriptions.list()).map(({ id }) => id),
        silences: (await alerts.subscriptions.silences(1)).map(({ id }) => id),
        messages: (await alerts.outbox.messages(["mT1", "mT2"])).map(({ id }) => id),
        deliveries: (await alerts.outbox.get(["dT1", "dT2"])).map(({ id }) => id),
        receipts: (await alerts.outbox.receipts(["dT1", "dT2"])).map(({ delivery }) => delivery),
      }));
      expect(left).toEqual({
        subscriptions: ["T2"],
        silences: ["T2"],
        messages: ["mT2"],
        deliveries: ["dT2"],
        receipts: ["dT2"],
      });
      expect(await parties.list("chat:T1:U1")).toEqual([]);
      expect(await parties.list("chat:T2:U1")).toHaveLength(1);
      expect((await answers.all()).map(({ workspace }) => workspace)).toEqual(["T2"]);
      expect((await installations.all("chat")).map(({ id }) => id)).toEqual(["T2"]);
    });
  });
}
