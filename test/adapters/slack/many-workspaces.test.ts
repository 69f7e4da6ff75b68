import { expect, test } from "vitest";

import type { Reply } from "../../../src/reply/reply.ts";
import { text } from "../../../src/reply/text.ts";
import { until } from "../../support/fake-discord/until.ts";
import { INSTALL_URL, manyStage } from "./installed.ts";
import { refused, signal } from "./sending.ts";
import { said } from "./shown.ts";

// The app in many workspaces: each is served with its own token. The fake Slack refuses any other.

const HELLO: Reply = { tone: "neutral", title: text`hello`, blocks: [], attachments: [], actions: [] };

/** Two workspaces with a channel and a person each. */
async function two() {
  const scene = await manyStage();
  const places = ["North", "South"].map((name) => {
    const team = scene.installed.add(name);
    return { team, channel: scene.fake.channel({ team }), person: scene.fake.person(name.toLowerCase(), {}, team) };
  });
  return { scene, north: places[0]!, south: places[1]! };
}

test("every way to ask works in each workspace, with its own token", async () => {
  const { scene, north, south } = await two();
  await using _ = scene;
  for (const { team, channel, person } of [north, south]) {
    const listed = await person.run(channel, "market list private:no");
    expect(said(listed.last)).toContain("markets trade");
    const refreshed = await person.press(listed.last, "Refresh");
    expect(said(refreshed.last)).toContain("markets trade");
    person.mention(channel, "time private:no");
    await until(() => person.sees(channel).some((one) => said(one).includes("mainnet")), "the answer to a mention");
    person.type(channel, "market show");
    const form = await person.form();
    expect(await person.submit(form, { market: "BTC/USDT" })).toEqual({});
    person.closeViews();
    expect(said(await person.openHome())).toContain("mainnet");
    person.shortcut("Ask Bellwether");
    expect(await person.submit(await person.form(), { "ask:line": "time" })).toEqual({});
    expect(said(await person.answerInView())).toContain("mainnet");
    const sent = await scene.adapter.send(
      { id: `d-${team}`, destination: { platform: "slack", workspace: team, channel } },
      HELLO,
      signal,
    );
    await scene.adapter.update({ ...sent, workspace: team }, { ...HELLO, title: text`hello again` }, signal);
    expect(said(person.sees(channel).at(-1)!)).toContain("hello again");
    const direct = { platform: "slack", workspace: team, channel: `user:${person.id}` };
    await scene.adapter.send({ id: `u-${team}`, destination: direct }, HELLO, signal);
    expect(said(person.directMessages().at(-1)!)).toContain("hello");
    await scene.adapter.checkToken?.(signal, team);
  }
});

test("a subscription names its workspace, and shows in its own alone", async () => {
  const { scene, north, south } = await two();
  await using _ = scene;
  await north.person.run(north.channel, "alerts add network.stalled");
  const [subscription] = await scene.alerts.subscriptions();
  expect(subscription?.destination).toEqual({ platform: "slack", workspace: north.team, channel: north.channel });
  expect(said((await north.person.run(north.channel, "alerts list")).last)).toContain("stalls on mainnet");
  // Two workspaces may give two channels the same id.
  scene.fake.state.channels.delete(south.channel);
  scene.fake.state.channels.set(north.channel, { ...scene.fake.state.channels.get(north.channel)!, team: south.team });
  expect(said((await south.person.run(north.channel, "alerts list")).last)).not.toContain("stalls on mainnet");
  expect(said(await south.person.openHome())).not.toContain(north.channel);
});

test("a workspace that has not added the app, or has removed it, is told how to add it", async () => {
  const { scene, north, south } = await two();
  await using _ = scene;
  const elsewhere = scene.fake.state.oauth.workspace("Elsewhere");
  const eve = scene.fake.person("eve", {}, elsewhere.id);
  const channel = scene.fake.channel({ team: elsewhere.id });
  const dialog = await eve.run(channel, "market list");
  expect(said(dialog.last)).toContain(INSTALL_URL);
  expect(dialog.last.onlyFor).toBe(eve.id);
  const posted = (await north.person.run(north.channel, "market list private:no")).last;
  scene.fake.uninstall(north.team);
  // Nor is it served by the only one that is left.
  const pressed = await north.person.press(posted, "Refresh");
  expect(said(pressed.last)).toContain(INSTALL_URL);
  const there = { platform: "slack", workspace: north.team, channel: north.channel };
  const error = await refused(scene.adapter.send({ id: "d", destination: there }, HELLO, signal));
  expect(error).toMatchObject({ kind: "refused", revoked: true });
  await expect(scene.adapter.checkToken?.(signal, north.team)).rejects.toMatchObject({ kind: "refused" });
  expect(said((await south.person.run(south.channel, "market list")).last)).toContain("markets trade");
});

test("a removal that Slack tells of reaches the installation's own record", async () => {
  const { scene, north, south } = await two();
  await using _ = scene;
  const told = [
    north.person.event({ type: "tokens_revoked", tokens: { oauth: ["U1"], bot: [] } }),
    north.person.event({ type: "app_uninstalled" }),
    south.person.event({ type: "tokens_revoked", tokens: { oauth: [], bot: ["UBOT"] } }),
  ];
  await until(() => told.every(({ acknowledgedAfter }) => acknowledgedAfter !== undefined), "the acknowledgements");
  await until(() => scene.installed.gone.length === 2, "the removals");
  expect(new Set(scene.installed.gone)).toEqual(new Set([north.team, south.team]));
});

test("what names no workspace goes with the only installation, and is lost where there are several", async () => {
  const scene = await manyStage();
  await using _ = scene;
  const team = scene.installed.add("North");
  const channel = scene.fake.channel({ team });
  const delivery = { id: "d", destination: { platform: "slack", channel } };
  expect(await scene.adapter.send(delivery, HELLO, signal)).toMatchObject({ channel });
  // That its token is refused concerns no other workspace.
  scene.fake.fail({ method: "chat.postMessage", answer: { error: "invalid_auth" } });
  scene.fake.expected.add("invalid_auth");
  expect(await refused(scene.adapter.send({ ...delivery, id: "e" }, HELLO, signal))).toMatchObject({ kind: "gone" });
  scene.installed.add("South");
  const error = await refused(scene.adapter.send(delivery, HELLO, signal));
  expect(error).toMatchObject({ kind: "gone", message: expect.stringContaining("workspace") as string });
  await scene.adapter.checkToken?.(signal);
});

test("one installation serves all workspaces of an organisation, as one place", async () => {
  const scene = await manyStage();
  await using _ = scene;
  const grid = scene.installed.add("Grid", { organisation: true });
  scene.installed.add("Other");
  const [first, second] = ["One", "Two"].map((name) => scene.fake.state.oauth.workspace(name, { enterprise: grid }));
  const full = { enterprise_user: { enterprise_id: grid, teams: [first!.id] } };
  const ann = scene.fake.person("ann", full, first!.id);
  const bob = scene.fake.person("bob", {}, second!.id);
  const channel = scene.fake.channel({ team: first!.id });
  expect(said((await ann.run(channel, "alerts add network.stalled")).last)).toContain("stalls");
  const [subscription] = await scene.alerts.subscriptions();
  expect(subscription?.destination).toEqual({ platform: "slack", workspace: grid, channel });
  const sent = await scene.adapter.send({ id: "d", destination: subscription!.destination }, HELLO, signal);
  expect(sent.channel).toBe(channel);
  const theirs = scene.fake.channel({ team: second!.id });
  const listed = await bob.run(theirs, "market list private:no");
  expect(said((await bob.press(listed.last, "Refresh")).last)).toContain("markets trade");
  expect(said(await bob.openHome())).toContain("mainnet");
});
