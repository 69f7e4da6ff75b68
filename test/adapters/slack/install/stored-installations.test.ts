import { randomBytes } from "node:crypto";

import { expect, test } from "vitest";

import { KeyRing } from "../../../../src/adapters/chat/key-ring.ts";
import { openTokens, sealTokens } from "../../../../src/adapters/slack/install/sealed-tokens.ts";
import {
  REMOVAL_GRACE,
  type StoredInstallations,
} from "../../../../src/adapters/slack/install/stored-installations.ts";
import { UserError } from "../../../../src/errors.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { installScene, type InstallScene } from "./scene.ts";

// What becomes of installations with time: tokens that expire, keys that change, apps that are removed.

const HOUR = 3_600_000;
const TEAM = { enterprise: undefined };

const refreshes = ({ slack }: InstallScene): number => slack.state.oauth.spent.size;
const events = ({ logged }: InstallScene, event: string): number =>
  logged.filter((line) => line.includes(`"event":"${event}"`)).length;

/** Lets time pass on all clocks, and the upkeep look once more. */
async function later(scene: InstallScene, millis: number): Promise<void> {
  scene.slack.state.advanceMillis += millis;
  await scene.waits.next();
  await until(() => scene.waits.waiting > 0, "the end of the upkeep");
}

test("a token is refreshed two hours before it expires, again and again, and the old one serves until then", async () => {
  await using scene = await installScene();
  const acme = scene.slack.state.oauth.workspace("Acme");
  await scene.install(acme);
  const tokens = new Set<string>();
  const token = async (): Promise<string> => {
    const found = await scene.installations.find({ team: acme.id, ...TEAM });
    tokens.add(found!.botToken);
    return found!.botToken;
  };
  const first = await token();
  await later(scene, 9.9 * HOUR);
  expect([refreshes(scene), await token()]).toEqual([0, first]);
  for (let round = 1; round <= 3; round += 1) {
    await later(scene, round === 1 ? 0.2 * HOUR : 10.1 * HOUR);
    expect([refreshes(scene), (await token()) === scene.slack.state.oauth.grantOf(acme.id)?.token]).toEqual([
      round,
      true,
    ]);
    expect(() => scene.slack.state.oauth.grantOfToken([...tokens].at(-2)!)).not.toThrow();
  }
  expect(tokens.size).toBe(4);
  expect(scene.slack.complaints()).toEqual([]);
});

test("a token that expired while nothing ran is refreshed before it serves", async () => {
  await using scene = await installScene();
  const acme = scene.slack.state.oauth.workspace("Acme");
  await scene.install(acme);
  scene.slack.state.advanceMillis += 13 * HOUR;
  const again = await scene.start();
  const found = await again.find({ team: acme.id, ...TEAM });
  expect(found?.botToken).toBe(scene.slack.state.oauth.grantOf(acme.id)?.token);
  expect(refreshes(scene)).toBe(1);
});

test("where Slack does not answer, it is asked again in a minute; where it refuses, in an hour, and says so once", async () => {
  await using scene = await installScene();
  const { oauth } = scene.slack.state;
  const acme = oauth.workspace("Acme");
  await scene.install(acme);
  scene.slack.fail({ method: "oauth.v2.access", answer: { status: 503 } });
  await later(scene, 11 * HOUR);
  expect([refreshes(scene), events(scene, "token not refreshed")]).toEqual([0, 1]);
  scene.slack.fail({ method: "oauth.v2.access", answer: { error: "invalid_refresh_token" } });
  await later(scene, 0);
  await later(scene, 0);
  expect([refreshes(scene), events(scene, "token not refreshed")]).toEqual([0, 2]);
  await later(scene, HOUR);
  expect([refreshes(scene), events(scene, "token not refreshed")]).toEqual([1, 2]);
});

test("the successor of a spent token is kept, though the row was sealed anew while Slack answered", async () => {
  await using scene = await installScene();
  const { oauth } = scene.slack.state;
  const acme = oauth.workspace("Acme");
  await scene.install(acme);
  const grant = { ...oauth.grantOf(acme.id)! };
  const table = scene.store.installations;
  let meddled = 0;
  await scene.start([scene.key], {
    table: {
      ...table,
      forget: () => Promise.resolve(false),
      // Another process seals the row anew, between the look and the write.
      change: async (row, changes) => {
        if (changes.expires_at !== undefined && meddled === 0) {
          meddled += 1;
          const tokens = { botToken: grant.token, refreshToken: grant.refreshToken! };
          await table.change(row, { sealed: sealTokens(new KeyRing([scene.key]), acme.id, tokens) });
        }
        return table.change(row, changes);
      },
    },
    now: () => scene.slack.state.now() + 11 * HOUR,
  });
  await until(() => refreshes(scene) === 1, "the refresh");
  const stored = async () => openTokens(new KeyRing([scene.key]), (await table.get("slack", acme.id))!);
  await expect.poll(async () => (await stored())?.botToken).toBe(oauth.grantOf(acme.id)?.token);
  expect(meddled).toBe(1);
});

test("two processes that refresh at once lose nothing, and what the app got when installed anew is kept", async () => {
  await using scene = await installScene();
  const { oauth } = scene.slack.state;
  const acme = oauth.workspace("Acme");
  await scene.install(acme);
  scene.slack.expected.add("invalid_refresh_token");
  await scene.start();
  scene.slack.state.advanceMillis += 11 * HOUR;
  await Promise.all([scene.waits.next(), scene.waits.next()]);
  await until(() => scene.waits.waiting === 2, "both looks");
  expect(refreshes(scene)).toBe(1);
  expect((await scene.installations.find({ team: acme.id, ...TEAM }))?.botToken).toBe(oauth.grantOf(acme.id)?.token);
  await scene.install(acme);
  expect((await scene.installations.find({ team: acme.id, ...TEAM }))?.botToken).toBe(oauth.grantOf(acme.id)?.token);
});

test("a new key seals all anew at the start; a key that opens nothing is refused, and nothing is lost", async () => {
  await using scene = await installScene();
  const { oauth } = scene.slack.state;
  const [acme, zenith] = [oauth.workspace("Acme"), oauth.workspace("Zenith")];
  await scene.install(acme);
  await scene.install(zenith);
  const [newKey, strange] = [randomBytes(32), randomBytes(32)];
  const rows = () => scene.store.installations.all("slack");
  const before = await rows();
  await expect(scene.start([strange])).rejects.toThrow(UserError);
  expect(await rows()).toEqual(before);
  const rotated = await scene.start([newKey, scene.key]);
  const tokensIn = (installations: StoredInstallations) =>
    Promise.all([acme, zenith].map(async ({ id }) => (await installations.find({ team: id, ...TEAM }))?.botToken));
  const granted = [acme, zenith].map(({ id }) => oauth.grantOf(id)?.token);
  expect(await tokensIn(rotated)).toEqual(granted);
  expect((await rows()).every(({ sealed }) => new KeyRing([newKey]).isCurrent(sealed))).toBe(true);
  // The older one is not needed any more.
  const alone = await scene.start([newKey]);
  expect(await tokensIn(alone)).toEqual(granted);
  expect(await alone.counts()).toEqual({ installed: 2, removed: 0, unreadable: 0 });

  // One that no key opens does not keep the other from being served.
  const [row] = await rows();
  await scene.store.installations.change(row!, {
    sealed: sealTokens(new KeyRing([strange]), row!.id, { botToken: "x" }),
  });
  const partly = await scene.start([newKey]);
  expect(await tokensIn(partly)).toEqual([undefined, granted[1]]);
  expect(await partly.counts()).toEqual({ installed: 2, removed: 0, unreadable: 1 });
  expect(events(scene, "installation unreadable")).toBeGreaterThan(0);
});

test("an app that was removed is gone at once, kept for the grace, and deleted with what belongs to it", async () => {
  await using scene = await installScene();
  const { oauth } = scene.slack.state;
  const [acme, zenith] = [oauth.workspace("Acme"), oauth.workspace("Zenith")];
  await scene.install(acme);
  await scene.install(zenith);
  for (const { id } of [acme, zenith]) await scene.store.parties.save(`slack:${id}:U1`, { id: "a", name: undefined });
  const find = () => scene.installations.find({ team: acme.id, ...TEAM });
  const remove = async (): Promise<void> => {
    oauth.revoke(acme.id);
    await scene.installations.removed(acme.id, scene.slack.state.now());
  };
  await remove();
  expect(await find()).toBeUndefined();
  expect(await scene.installations.counts()).toEqual({ installed: 1, removed: 1, unreadable: 0 });
  await later(scene, REMOVAL_GRACE - 2 * HOUR);
  expect(await scene.store.parties.list(`slack:${acme.id}:U1`)).toHaveLength(1);

  // Installed anew within the grace, all is there; an old word of Slack's removes it no more.
  await scene.install(acme);
  expect((await find())?.botToken).toBe(oauth.grantOf(acme.id)?.token);
  await scene.installations.removed(acme.id, scene.slack.state.now() - 60_000);
  await later(scene, 3 * HOUR);
  expect((await find())?.id).toBe(acme.id);
  expect(await scene.store.parties.list(`slack:${acme.id}:U1`)).toHaveLength(1);

  await remove();
  await later(scene, REMOVAL_GRACE);
  expect(await scene.store.installations.get("slack", acme.id)).toBeUndefined();
  expect(await scene.store.parties.list(`slack:${acme.id}:U1`)).toEqual([]);
  expect(await scene.store.parties.list(`slack:${zenith.id}:U1`)).toHaveLength(1);
  expect(await scene.installations.counts()).toEqual({ installed: 1, removed: 0, unreadable: 0 });
  expect(events(scene, "workspace deleted")).toBe(1);
});
