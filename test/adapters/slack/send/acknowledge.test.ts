import { expect, test } from "vitest";

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
