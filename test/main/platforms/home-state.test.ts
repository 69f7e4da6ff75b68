import { expect, test } from "vitest";

import { Suspensions } from "../../../src/alerts/route/suspension.ts";
import type { AlertService } from "../../../src/alerts/service/service.ts";
import { silentLog } from "../../../src/log.ts";
import { homeState } from "../../../src/main/platforms/home-state.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { alertsOn } from "../../support/alert-service.ts";
import { MANY_WORKSPACES } from "../../support/platforms.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";
import { seeDown, seeNow } from "../../support/see.ts";
import { down } from "../../alerts/readings.ts";

const stateOf = (alerts: AlertService) => homeState(alerts, ["mainnet"], "slack", MANY_WORKSPACES);

test("the state of a workspace changes with what its home tabs show, and with nothing else", async () => {
  const scratch = await scratchDatabase();
  const store = createStore({ url: `file:${scratch.file}`, log: silentLog() });
  const { service, engine } = alertsOn(store);
  let before = await stateOf(service);
  /** Which of the workspaces has another state now. */
  const changed = async (): Promise<string[]> => {
    const after = await stateOf(service);
    const found = ["T1", "T2"].filter((workspace) => after(workspace) !== before(workspace));
    before = after;
    return found;
  };
  expect(await changed()).toEqual([]);
  await seeDown({ engine });
  expect(await changed()).toEqual(["T1", "T2"]);
  // The same alert goes on.
  await seeNow({ engine }, down("bad"));
  expect(await changed()).toEqual([]);
  const destination = { platform: "slack", workspace: "T1", channel: "C00000001" };
  await service.putSubscriptions([aSubscription({ id: "a", destination })], "ann");
  expect(await changed()).toEqual(["T1"]);
  const silence = {
    id: "s",
    scope: { destination: "slack/T2/C00000002/" },
    from: Date.now(),
    until: Date.now() + 60_000,
    by: "bob",
    created: Date.now(),
  };
  await service.putSilence(silence, "bob");
  expect(await changed()).toEqual(["T2"]);
  const suspensions = new Suspensions([]);
  suspensions.put({ platform: "slack", workspace: "T1", destination, since: 1, why: "not_in_channel", nextAt: 1 });
  await store.transaction(({ alerts }) => suspensions.save(alerts, 1));
  expect(await changed()).toEqual(["T1"]);
  await engine.acknowledge("node.down|mainnet|a:1|1", { name: "ann", within: destination });
  expect(await changed()).toEqual(["T1"]);
  await store.close();
  await scratch.remove();
});
