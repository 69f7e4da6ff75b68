import { expect, test } from "vitest";

import { createSlackAdapter } from "../../../../src/adapters/slack/index.ts";
import { silentLog } from "../../../../src/log.ts";
import { aSubscription } from "../../../alerts/samples.ts";
import { alertsOn } from "../../../support/alert-service.ts";
import { EMPTY_HOME } from "../../../support/empty-home.ts";
import { delivering } from "../../../support/delivering.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { OpenAnswers } from "../../../../src/adapters/chat/open-answers.ts";
import { signal } from "../sending.ts";
import { installScene } from "./scene.ts";
import type { Destination } from "../../../../src/alerts/destination.ts";

test("alerts go with the token that each workspace installed; one that removes the app stops no other", async () => {
  await using scene = await installScene();
  const { slack, store } = scene;
  const workspaces = ["North", "South"].map((name) => slack.state.oauth.workspace(name));
  for (const workspace of workspaces) await scene.install(workspace);
  const places = workspaces.map(({ id }): Destination => {
    return { platform: "slack", workspace: id, channel: slack.channel({ team: id }) };
  });
  const adapter = createSlackAdapter({
    botToken: scene.installations,
    source: { appToken: slack.state.appToken },
    command: "/bell",
    apiUrl: slack.apiUrl,
    payloads: store.payloads,
    openAnswers: new OpenAnswers(),
    isFirst: async () => true,
    home: EMPTY_HOME,
    log: silentLog(),
    timing: { channelMillis: 1 },
  });
  const { engine } = alertsOn(store, { platforms: ["slack"] });
  for (const [index, destination] of places.entries()) {
    await engine.putSubscriptions([aSubscription({ id: `s${index}`, destination })], "ada");
  }
  await using _ = delivering(store, adapter);
  let count = 0;
  const tell = async (destination: Destination): Promise<void> => {
    const message = { type: "test", by: "ada", at: `170000000000000000${count++}` } as const;
    await engine.putSubscriptions([aSubscription({ id: `t${count}`, destination, network: "testnet" })], "ada", [
      { destination, message },
    ]);
  };
  const arrived = ({ channel }: Destination): number =>
    slack.state.messages.filter((one) => one.channel === channel && one.ts !== undefined).length;
  const [north, south] = [places[0]!, places[1]!];
  for (const place of places) await tell(place);
  await until(() => arrived(north) === 1 && arrived(south) === 1, "both messages");

  slack.state.oauth.revoke(north.workspace!);
  await scene.installations.removed(north.workspace!, slack.state.now());
  for (const place of places) await tell(place);
  const states = async (): Promise<string[]> =>
    (await engine.subscriptions()).map(({ destination, state }) => `${destination.workspace} ${state}`).toSorted();
  await expect
    .poll(states)
    .toEqual(
      [north, north, north]
        .map(({ workspace }) => `${workspace} retired`)
        .concat([south, south, south].map(({ workspace }) => `${workspace} active`)),
    );
  await until(() => arrived(south) === 2, "the message to the other");
  expect(arrived(north)).toBe(1);
  await expect(adapter.checkToken?.(signal, north.workspace)).rejects.toMatchObject({ kind: "refused" });
  // Its token is accepted again with the next installation, by which all comes back.
  await scene.install(workspaces[0]!);
  await adapter.checkToken?.(signal, north.workspace);
});
