import { expect, test } from "vitest";

import type { SharedToken } from "../../../src/alerts/sender.ts";
import { until } from "../../support/fake-discord/until.ts";
import { stage } from "./stage.ts";

// Discord gives every connection every interaction. Of several processes, one has the gateway.

/** One of two processes: \`begin\` gives it the gateway, \`end\` takes it away. */
function process() {
  let [begin, end]: (undefined | (() => unknown))[] = [];
  const shared: SharedToken = {
    isAlive: () => true,
    live: 2,
    add: (_name, work) => {
      begin = () => (end = work());
    },
  };
  return { shared, begin: () => begin?.(), end: async () => end?.() };
}

test("one process answers, both are up and know the commands, and the other takes over", async () => {
  const [first, second] = [process(), process()];
  await using scene = await stage({ shared: first.shared, connect: false });
  const { fake, adapter } = scene;
  await until(() => fake.state.commands.size > 0, "the commands, registered without a gateway");
  expect(adapter.health.state).toBe("up");
  expect(fake.gateway.seen.identify).toBe(0);
  first.begin();
  await until(() => fake.gateway.seen.identify === 1, "the first gateway");
  const twin = await scene.twin(second.shared);
  expect(twin.health.state).toBe("up");
  const ann = fake.person("ann");
  // The fake complains where an interaction is answered twice.
  expect((await ann.run(scene.channel, "time")).last).toBeDefined();
  expect(fake.gateway.seen.identify).toBe(1);
  await first.end();
  second.begin();
  await until(() => fake.gateway.seen.identify === 2, "the second gateway");
  await until(() => twin.health.state === "up", "the second session");
  expect((await ann.run(scene.channel, "time")).last).toBeDefined();
});
