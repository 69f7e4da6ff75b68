import { expect, test } from "vitest";

import { until } from "../../../support/fake-discord/until.ts";
import type { Person } from "../../../support/fake-slack/person.ts";
import { alertsOn } from "../../../support/alert-service.ts";
import { saying } from "../../../support/said.ts";
import { seeDown } from "../../../support/see.ts";
import { manyStage } from "../installed.ts";
import { said } from "../shown.ts";
import { stage, type Stage } from "../stage.ts";
import { VirtualWaits } from "../virtual-waits.ts";

/** When the tab of a person was published, in seconds that passed: each time it is another view. */
function publications(scene: Stage, waits: VirtualWaits, person: Person): number[] {
  const times: number[] = [];
  const { homes } = scene.fake.state;
  const set = homes.set.bind(homes);
  homes.set = (id, view) => {
    if (id === person.id) times.push(waits.passed / 1000);
    return set(id, view);
  };
  return times;
}

/** What was begun comes to its next wait, or to its end. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

/** Lets time pass in the steps in which the state is read. */
async function pass(waits: VirtualWaits, seconds: number): Promise<void> {
  const end = waits.passed + seconds * 1000;
  await settled();
  while (waits.passed < end) {
    await waits.next();
    await settled();
  }
}

const shownTo = (scene: Stage, person: Person): string => said(scene.fake.state.homes.get(person.id)!);

test("the home tab of who looked at it is renewed when the state changes, once in ten seconds at most", async () => {
  const waits = new VirtualWaits();
  await using scene = await stage({ waits });
  const ann = scene.fake.person("ann");
  const bob = scene.fake.person("bob");
  const times = publications(scene, waits, ann);
  await ann.openHome();
  await pass(waits, 20);
  expect(times).toEqual([0]);
  await bob.run(scene.channel, "alerts add node.down style:plain");
  await seeDown(alertsOn(scene.store));
  await until(() => waits.waiting > 0, "somebody to wait");
  await pass(waits, 4);
  expect(shownTo(scene, ann)).toMatch(saying("`a:1` on *mainnet* does not answer"));
  const after = times.length;
  expect(after).toBe(2);
  // Somebody else's changes, one after the other: shown together, ten seconds after the last time.
  await bob.run(scene.channel, "alerts ack node.down");
  await pass(waits, 2);
  await bob.run(scene.channel, "alerts silence node.down 1h");
  await pass(waits, 20);
  expect(shownTo(scene, ann)).toMatch(saying("acknowledged by bob"));
  expect(times).toHaveLength(after + 1);
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(10);
  expect(times[2]! - times[1]!).toBeLessThanOrEqual(13);
  // Bob has never looked.
  expect(scene.fake.state.homes.has(bob.id)).toBe(false);
});

test("a home tab is renewed on the page that is looked at, for a day after the last look", async () => {
  const waits = new VirtualWaits();
  await using scene = await stage({ waits, timing: { homeCheckMillis: 3_600_000 } });
  const ann = scene.fake.person("ann");
  const times = publications(scene, waits, ann);
  await ann.openHome();
  await pass(waits, 20 * 3600);
  await ann.run(scene.channel, "alerts add ops");
  await pass(waits, 3600);
  expect(shownTo(scene, ann)).toContain("*ops*");
  expect(times).toHaveLength(2);
  await pass(waits, 3 * 3600);
  await ann.run(scene.channel, "alerts add markets");
  await settled();
  expect(waits.waiting).toBe(0);
  expect(times).toHaveLength(2);
});

test("the tabs of a workspace are renewed one after the other, fewer than a hundred a minute, the last look first", async () => {
  const waits = new VirtualWaits();
  await using scene = await stage({ waits });
  const people = ["ann", "bob", "cid"].map((name) => scene.fake.person(name));
  const times = people.map((person) => publications(scene, waits, person));
  for (const person of people) await person.openHome();
  await pass(waits, 10);
  await seeDown(alertsOn(scene.store));
  await pass(waits, 6);
  const [ann = 0, bob = 0, cid = 0] = times.map((all) => all[1] ?? 0);
  expect(cid).toBeGreaterThan(0);
  for (const pause of [bob - cid, ann - bob]) expect(pause).toBeGreaterThan(0.6);
});

test("a tab that Slack does not take for a while is renewed later", async () => {
  const waits = new VirtualWaits();
  await using scene = await stage({ waits });
  const ann = scene.fake.person("ann");
  await ann.openHome();
  scene.fake.fail({ method: "views.publish", answer: { error: "internal_error" } });
  await ann.run(scene.channel, "alerts add ops");
  await pass(waits, 12);
  expect(shownTo(scene, ann)).not.toContain("*ops*");
  await pass(waits, 14);
  expect(shownTo(scene, ann)).toContain("*ops*");
});

test("of two processes that know who looked, one renews the tab", async () => {
  const waits = new VirtualWaits();
  await using scene = await stage({ waits, live: () => 2 });
  await scene.twin();
  const ann = scene.fake.person("ann");
  const times = publications(scene, waits, ann);
  // Slack gives an event to any of the processes: until both have got one.
  for (let opened = 0; opened < 20; opened += 1) await ann.openHome();
  await until(() => waits.waiting > 1, "both processes to watch");
  const opened = times.length;
  await ann.run(scene.channel, "alerts add ops");
  await pass(waits, 16);
  expect(shownTo(scene, ann)).toContain("*ops*");
  expect(times).toHaveLength(opened + 1);
});

test("a tab shows nothing of another workspace, and is not renewed for it", async () => {
  const waits = new VirtualWaits();
  await using scene = await manyStage({ waits });
  const [north, south] = ["North", "South"].map((name) => {
    const team = scene.installed.add(name);
    return { channel: scene.fake.channel({ team }), person: scene.fake.person(name.toLowerCase(), {}, team) };
  });
  const times = publications(scene, waits, south!.person);
  await north!.person.openHome();
  await south!.person.openHome();
  await north!.person.run(north!.channel, "alerts add node.down style:plain");
  await north!.person.run(north!.channel, "alerts silence market.auction 1h reason:secret");
  await pass(waits, 14);
  expect(shownTo(scene, north!.person)).toMatch(saying("auctions", "secret", `<#${north!.channel}>`));
  expect(times).toHaveLength(1);
  await seeDown(alertsOn(scene.store));
  await north!.person.run(north!.channel, "alerts ack node.down");
  await pass(waits, 14);
  expect(shownTo(scene, north!.person)).toContain("acknowledged by north");
  const shown = shownTo(scene, south!.person);
  expect(shown).toContain("`a:1` on *mainnet* does not answer");
  for (const secret of [north!.channel, "auctions", "secret", "acknowledged", "Acknowledge"])
    expect(shown).not.toContain(secret);
});
