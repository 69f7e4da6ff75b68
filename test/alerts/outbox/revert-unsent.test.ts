import { expect, it } from "vitest";

import { NotificationState, revertUnsent, UNSENT } from "../../../src/alerts/outbox/notification-state.ts";
import type { AlertTables } from "../../../src/store/alert-tables/alert-tables.ts";
import { FIRED, subscribed } from "../outage.ts";
import { stalled } from "../readings.ts";

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
    await revertUnsent({ ...tables, watch }, trigger!, UNSENT);
    const [row] = await tables.watch.notificationStates([episode!.id], trigger!.destination);
    expect(NotificationState.parse(JSON.parse(row!.data))).toMatchObject({ state: "suppressed", by: UNSENT });
  });
});
