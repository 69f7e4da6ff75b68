import { expect, test, vi } from "vitest";

import { alertsOn } from "../../../support/alert-service.ts";
import { delivering } from "../../../support/delivering.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { buttonsOf, textOf } from "../../../support/fake-slack/person.ts";
import { seeDown } from "../../../support/see.ts";
import { stage } from "../stage.ts";

test("Acknowledge posts nothing for all in the channel: the pressed message shows it", async () => {
  await using scene = await stage();
  const { channel, fake, store } = scene;
  const ann = fake.person("ann");
  await ann.run(channel, "alerts add node.down style:plain");
  await seeDown(alertsOn(store));
  const posts = () => fake.state.messages.filter((one) => one.channel === channel && one.onlyFor === undefined);
  const alert = () => posts().find(({ text }) => text.includes("does not answer"));
  await using _ = delivering(store, scene.adapter);
  await until(() => alert() !== undefined, "the alert");
  const before = posts().length;
  const [first, ...others] = buttonsOf(alert()!.blocks);
  expect(first).toMatchObject({ text: { text: "Acknowledge" }, style: "primary" });
  expect(others.filter(({ style }) => style === "primary")).toEqual([]);
  const dialog = await ann.press(alert()!, "Acknowledge");
  expect(dialog.last.onlyFor).toBe(ann.id);
  await until(() => textOf(alert()!).includes(`<@${ann.id}>`), "the edit");
  expect(posts()).toHaveLength(before);
});

test("what a channel was told is read back by a full member there, by the clock of their profile, and not by a guest", async () => {
  await using scene = await stage();
  const { channel, fake, store } = scene;
  const ann = fake.person("ann", { tz: "Asia/Tokyo" });
  const guest = fake.person("guest", { is_restricted: true });
  await ann.run(channel, "alerts add node.down style:plain");
  await seeDown(alertsOn(store));
  await using _ = delivering(store, scene.adapter);
  await until(() => fake.state.messages.some(({ text }) => text.includes("does not answer")), "the alert");
  const told = async (who: typeof ann): Promise<string> => {
    const { last } = await who.run(channel, "alerts told since:3h");
    expect(last.onlyFor).toBe(who.id);
    return textOf(last);
  };
  // Its receipt may be stored a moment later.
  await vi.waitFor(async () => expect(await told(ann)).toContain("a:1 on mainnet does not answer"));
  expect(await told(ann)).toContain("(Asia/Tokyo)");
  expect(await told(guest)).not.toContain("a:1");
});
