import { expect, test } from "vitest";

import { textOf } from "../../../support/fake-discord/person.ts";
import { probes } from "../probe-commands.ts";
import { stage } from "../stage.ts";

// Cases that take the whole 3 s that Discord waits for an acknowledgement.

test("an acknowledgement that arrived without a word of it in the 3 s costs nobody the answer", async () => {
  await using on = await stage({ simulated: false, extra: probes });
  const ann = on.fake.person("Ann");
  let tries = 0;
  on.fake.misbehave = ({ path }) => {
    if (!path.endsWith("/callback")) return undefined;
    tries += 1;
    return tries === 1 ? "hang-after" : "hang-before";
  };
  const dialog = await ann.run(on.channel, "probe buttons");
  expect([textOf(dialog.last).split("\n")[0], tries]).toEqual(["Page 1 for Ann", 3]);
});

test("nor does one whose repeat comes too late", async () => {
  await using on = await stage({ simulated: false, extra: probes });
  const ann = on.fake.person("Ann");
  on.fake.fail({ path: /\/callback$/u, answer: "hang-after" });
  const unknown = { code: 10_062, message: "Unknown interaction" };
  on.fake.fail({ path: /\/callback$/u, answer: { status: 404, body: unknown } });
  expect(textOf((await ann.run(on.channel, "probe buttons")).last)).toContain("Page 1");
});

test("one that never arrives ends in the log, and nothing else is harmed", async () => {
  await using on = await stage({ simulated: false, extra: probes });
  // The interaction has expired.
  for (const code of [10_015, 10_062]) on.fake.expected.add(code);
  const ann = on.fake.person("Ann");
  on.fake.misbehave = ({ path }) => (path.endsWith("/callback") ? { status: 503 } : undefined);
  const lost = ann.start(on.channel, "probe hold", { millis: 4000 });
  await new Promise((resolve) => setTimeout(resolve, 4500));
  on.fake.misbehave = () => undefined;
  expect(lost.messages).toEqual([]);
  // Nothing that this bot could have done: Discord took no acknowledgement.
  on.fake.state.interactions.delete(lost.interaction.id);
  expect(textOf((await ann.run(on.channel, "probe buttons")).last)).toContain("Page 1");
});
