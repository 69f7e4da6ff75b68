import { expect, test } from "vitest";

import { textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { disposed, probes } from "../probe-commands.ts";
import { stage } from "../stage.ts";

// No answer here takes as long as the first limit, and none is as quick as the second.
const QUICK = { timing: { deferAfterMillis: 2500 }, extra: probes, simulated: false };
const SLOW = { timing: { deferAfterMillis: 1 }, extra: probes, simulated: false };

test("an answer that is there soon is the acknowledgement, with its files", async () => {
  await using on = await stage(QUICK);
  const ann = on.fake.person("Ann");
  const dialog = await ann.run(on.channel, "probe files", { count: 1 });
  expect([textOf(dialog.last), dialog.last.edits, dialog.last.onlyFor]).toEqual(["Files", 0, ann.id]);
  expect(dialog.last.files.map(({ name }) => name)).toEqual(["small-0.csv", "chart.png"]);
  expect(on.fake.requests.filter(({ path }) => path.includes(dialog.interaction.token))).toHaveLength(1);
  await until(() => disposed.includes("small-0.csv"), "the files to be given up");
});

test("an answer for all is public at once; a failure that comes soon is the asker's alone", async () => {
  await using on = await stage(QUICK);
  const [ann, bob] = [on.fake.person("Ann"), on.fake.person("Bob")];
  await ann.run(on.channel, "probe buttons");
  expect(bob.sees(on.channel).map((one) => [one.edits, one.onlyFor])).toEqual([[0, undefined]]);
  const failed = await ann.run(on.channel, "probe fail", { how: "caller" });
  expect([failed.last.onlyFor, failed.messages.length]).toEqual([ann.id, 1]);
  expect(textOf(failed.last)).toContain("That was a mistake.");
  expect(bob.sees(on.channel)).toHaveLength(1);
});

test("an answer that takes longer is deferred", async () => {
  await using on = await stage(SLOW);
  const ann = on.fake.person("Ann");
  const dialog = ann.start(on.channel, "probe hold", { millis: 300 });
  await until(() => dialog.messages.some(({ thinking }) => thinking), "the deferral");
  await dialog.answered();
  expect([textOf(dialog.last), dialog.messages.length]).toEqual(["At last", 1]);
});

test("files that are too large for the first answer come after a deferral", async () => {
  await using on = await stage(QUICK);
  const ann = on.fake.person("Ann");
  const dialog = await ann.run(on.channel, "probe files", { zeros: 2 * 1024 * 1024 });
  expect([dialog.last.edits, dialog.last.files.map(({ name }) => name)]).toEqual([1, ["zeros.csv", "chart.png"]]);
});

test.each(["cut-before", "cut-after"] as const)("an answer whose connection is %s appears once", async (answer) => {
  await using on = await stage(QUICK);
  const ann = on.fake.person("Ann");
  on.fake.fail({ method: "POST", path: /callback$/u, answer });
  const dialog = await ann.run(on.channel, "probe buttons");
  expect(textOf(dialog.last)).toContain("Page 1");
  expect(ann.sees(on.channel)).toHaveLength(1);
});
