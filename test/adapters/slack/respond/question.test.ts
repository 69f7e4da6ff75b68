import { expect, test } from "vitest";

import { until } from "../../../support/fake-discord/until.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

test("what a question does not say is asked for by a form", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  const { last: offered } = await ann.run(scene.channel, "why was my order rejected");
  ann.startPress(offered, "Show order");
  const form = await ann.form();
  await ann.submit(form, { id: scene.simulator.samples.mainnet.orderId });
  await until(() => ann.sees(scene.channel).some((one) => said(one).includes("Filled")), "the order");
  expect(said(ann.sees(scene.channel).at(-1)!)).toContain("Left");
});
