import { expect, test } from "vitest";

import { until } from "../../../support/fake-discord/until.ts";
import { saying } from "../../../support/said.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

test("what a workspace chose for prices holds for all its people, until private says otherwise, and after a restart", async () => {
  await using scene = await stage();
  const { fake, channel } = scene;
  const [boss, ann] = [fake.person("boss"), fake.person("ann")];
  const guest = fake.person("guest", { is_restricted: true });
  const seenFor = async (line: string): Promise<string | undefined> => (await ann.run(channel, line)).last.onlyFor;
  expect(await seenFor("market list")).toBe(ann.id);

  const refused = await guest.run(channel, "answers set everyone");
  expect(said(refused.last)).toMatch(/guest/iu);
  expect(refused.last.onlyFor).toBe(guest.id);

  const shown = await boss.run(channel, "answers show");
  expect(shown.last.onlyFor).toBe(boss.id);
  const set = await boss.press(shown.last, "Show to everyone");
  expect(said(set.last)).toMatch(saying("boss", "workspace"));
  expect(set.last.onlyFor).toBeUndefined();

  expect(await seenFor("market list")).toBeUndefined();
  expect(await seenFor("market list private:yes")).toBe(ann.id);
  // What nobody chose about stays as it is custom on Slack.
  expect(await seenFor("time")).toBe(ann.id);
  expect(await seenFor("stake")).toBe(ann.id);

  await scene.restart();
  expect(await seenFor("market list")).toBeUndefined();
  const again = await boss.run(channel, "answers set asker");
  expect(again.last.onlyFor).toBeUndefined();
  expect(await seenFor("market list")).toBe(ann.id);
});

test("a form is prefilled with the chosen audience, and submitted unchanged goes to everyone", async () => {
  await using scene = await stage();
  const { fake, channel } = scene;
  const ann = fake.person("ann");
  ann.type(channel, "answers set");
  const choosing = await ann.form();
  expect(await ann.submit(choosing, { markets: "everyone" })).toEqual({});
  const open = () => ann.sees(channel).filter(({ onlyFor }) => onlyFor === undefined);
  await until(() => open().length === 1, "the announcement");
  fake.state.views.clear();

  ann.type(channel, "market show");
  const form = await ann.form();
  expect(await ann.submit(form, { market: scene.simulator.samples.mainnet.marketCode })).toEqual({});
  await until(() => open().length === 2, "the market");
});
