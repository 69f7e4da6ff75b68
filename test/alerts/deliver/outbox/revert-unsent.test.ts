import { expect, it } from "vitest";

import { NotificationState, revertUnsent, UNSENT } from "../../../../src/alerts/deliver/outbox/notification-state.ts";
import type { AlertTables } from "../../../../src/store/alert-tables/alert-tables.ts";
import { FIRED, subscribed } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import { ops, owed } from "./owed.ts";
import { destinationKey } from "../../../../src/alerts/destination.ts";

it("reverts one destination's trigger without reading the states of all others", async () => {
  const stage = await subscribed();
  await stage.rounds(8, [stalled("bad", { badForMillis: 1000 })]);
  expect(stage.sender.take()).toEqual([FIRED]);
  const [episode] = await stage.engine.openEpisodes();
  await stage.store.transaction(async ({ alerts: tables }) => {
    const [trigger] = await tables.outbox.ofEpisode(episode!.id);
    const watch: AlertTables["watch"] = {
      ...tables.watch,
      notificationStates: (episodes, destination) =>
        destination === undefined
          ? Promise.reject(new Error("everybody's"))
          : tables.watch.notificationStates(episodes, destination),
    };
    await revertUnsent({ ...tables, watch }, [trigger!], UNSENT);
    const [row] = await tables.watch.notificationStates([episode!.id], trigger!.destination);
    expect(NotificationState.parse(JSON.parse(row!.data))).toMatchObject({ state: "suppressed", by: UNSENT });
  });
});

it.each([
  ["a trigger", "trigger", "told", "suppressed"],
  ["a trigger of what is over", "trigger", "closed", "closed"],
  ["another message", "other", "told", "told"],
] as const)(
  "%s that was never sent reverts its own alert alone, while that lasts",
  async (_what, id, before, after) => {
    const { tables } = await owed({ id: "trigger", phase: "trigger", episode: "e" }, { id: "other", episode: "e" });
    await tables(async (all) => {
      const told = { destination: ops, style: "live", state: before, trigger: "trigger", reminders: 0 };
      const destination = destinationKey(ops);
      await all.watch.putNotificationStates([{ episode: "e", destination, data: JSON.stringify(told) }]);
      const [row] = await all.outbox.get([id]);
      await revertUnsent(all, [row!], UNSENT);
      const [state] = await all.watch.notificationStates(["e"]);
      expect(JSON.parse(state!.data)).toMatchObject({ state: after });
    });
  },
);
