import { expect, test } from "vitest";

import { textOf } from "../../../support/fake-discord/person.ts";
import { saying } from "../../../support/said.ts";
import { stage } from "../stage.ts";

test("what a server chose for prices holds for all its people, until private says otherwise, and after a restart", async () => {
  await using on = await stage();
  const { fake, channel } = on;
  const [boss, ann, bob] = [fake.person("Boss", { manages: true }), fake.person("Ann"), fake.person("Bob")];
  const seenByBob = (): number => bob.sees(channel).length;

  const before = await ann.run(channel, "market list");
  expect([before.last.onlyFor, seenByBob()]).toEqual([ann.id, 0]);

  const refused = await ann.run(channel, "answers set", { markets: "everyone" });
  expect(textOf(refused.last)).toContain("answers set");
  expect([refused.last.onlyFor, seenByBob()]).toEqual([ann.id, 0]);

  const shown = await boss.run(channel, "answers show");
  expect(shown.last.onlyFor).toBe(boss.id);
  const set = await boss.press(shown.last, "Show to everyone");
  expect(textOf(set.messages.at(-1)!)).toMatch(saying("Boss", "server"));
  expect(seenByBob()).toBe(1);

  expect((await ann.run(channel, "market list")).last.onlyFor).toBeUndefined();
  expect(seenByBob()).toBe(2);
  expect((await ann.run(channel, "market list", { private: true })).last.onlyFor).toBe(ann.id);
  expect((await ann.run(channel, "stake")).last.onlyFor).toBe(ann.id);
  expect(seenByBob()).toBe(2);

  await on.restart();
  expect((await ann.run(channel, "market list")).last.onlyFor).toBeUndefined();
  expect((await ann.run(channel, "market list", { private: true })).last.onlyFor).toBe(ann.id);
  expect(seenByBob()).toBe(3);

  await boss.run(channel, "answers set", { markets: "asker" });
  expect((await ann.run(channel, "market list")).last.onlyFor).toBe(ann.id);
  expect(seenByBob()).toBe(4);
});
