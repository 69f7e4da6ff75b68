import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { textOf } from "../../../support/fake-discord/person.ts";
import { probes } from "../probe-commands.ts";
import { stage } from "../stage.ts";
import { watchForRejections } from "../watch-for-rejections.ts";

watchForRejections();

test("Discord breaking off while a file is copied for sharing harms nothing else", async () => {
  await using on = await stage({ simulated: false, extra: probes });
  // The upload that is broken off.
  on.fake.expected.add(0);
  const ann = on.fake.person("Ann");
  const asked = await ann.run(on.channel, "probe files", { count: 1, private: true });
  on.fake.onRequest = ({ path }) => {
    if (path.startsWith("/cdn/")) on.fake.offline = true;
  };
  ann.startPress(asked.last, "Share");
  await sleep(800);
  on.fake.offline = false;
  on.fake.onRequest = () => {};
  expect(textOf((await ann.run(on.channel, "probe buttons")).last)).toContain("Page 1");
});
