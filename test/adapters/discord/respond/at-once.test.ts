import { expect, test } from "vitest";

import { commands } from "../../../../commands/index.ts";
import { command } from "../../../../src/bot/command.ts";
import { parseLine } from "../../../../src/bot/grammar/grammar.ts";
import { UserError } from "../../../../src/errors.ts";
import { memoryAttachment, reply, type Reply } from "../../../../src/reply/reply.ts";
import { nanoseconds } from "../../../../src/units/time.ts";
import { COMMONEST } from "../../../support/commonest.ts";
import { type Dialog, textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { fillIn } from "../../../support/gallery/lines.ts";
import { disposed, probes } from "../probe-commands.ts";
import { stage, type Stage } from "../stage.ts";

// No answer here takes so long.
const QUICK = { timing: { deferAfterMillis: 2500 }, extra: probes, simulated: false };

test("an answer that is there soon is the acknowledgement, with its files", async () => {
  await using on = await stage(QUICK);
  const ann = on.fake.person("Ann");
  const dialog = await ann.run(on.channel, "probe files", { count: 1 });
  expect([textOf(dialog.last), dialog.last.edits, dialog.last.onlyFor]).toEqual(["Files", 0, ann.id]);
  expect(dialog.last.files.map(({ name }) => name)).toEqual(["small-0.csv", "chart.png"]);
  expect(on.fake.requests.filter(({ path }) => path.includes(dialog.interaction.token))).toHaveLength(1);
  await until(() => disposed.includes("small-0.csv"), "the files to be given up");
});

test("the commonest lines are answered by their acknowledgement, none by a deferral", async () => {
  await using on = await stage({ ...QUICK, extra: [] });
  const ann = on.fake.person("Ann");
  const { samples } = on.simulator;
  const lines = COMMONEST.map(({ line }) => line).filter((line) => !line.includes("network:"));
  const deferred: string[] = [];
  for (const line of lines) {
    const filled = await fillIn(line, { samples: samples.mainnet, engine: on.engine });
    const { command: name, options } = parseLine(filled, commands, nanoseconds(0n));
    const dialog = await ann.run(on.channel, name, options);
    if (dialog.last.edits > 0 || requestsOf(on, dialog)[0] !== "callback") deferred.push(line);
  }
  expect(lines.length).toBeGreaterThan(15);
  expect(deferred).toEqual([]);
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
  const answer = Promise.withResolvers<Reply>();
  const slow = { ...probes[0]!, name: "probe late", options: {}, run: () => answer.promise };
  await using on = await stage({ timing: { deferAfterMillis: 1 }, extra: [slow], simulated: false });
  const ann = on.fake.person("Ann");
  const dialog = ann.start(on.channel, "probe late");
  await until(() => dialog.messages.some(({ thinking }) => thinking), "the deferral");
  answer.resolve(reply({ title: "At last" }));
  await dialog.answered();
  expect([textOf(dialog.last), dialog.messages.length]).toEqual(["At last", 1]);
});

test("a page that is there soon takes the place of the one before with one request", async () => {
  await using on = await stage(QUICK);
  const ann = on.fake.person("Ann");
  const asked = await ann.run(on.channel, "probe buttons");
  const turned = await ann.press(asked.last, "Next");
  expect(textOf(asked.last)).toContain("Page 2");
  expect([turned.messages.length, requestsOf(on, turned)]).toEqual([1, ["callback"]]);
});

test("a page with files brings its own, and one that fails leaves the message as it is", async () => {
  const pages = pageProbe();
  await using on = await stage({ ...QUICK, extra: [pages] });
  const ann = on.fake.person("Ann");
  const asked = await ann.run(on.channel, "probe page");
  await ann.press(asked.last, "2");
  expect([asked.last.files.map(({ name }) => name), textOf(asked.last)]).toEqual([["page-2.csv"], "Page 2"]);
  const failed = await ann.press(asked.last, "0");
  expect([failed.last.onlyFor, textOf(asked.last)]).toEqual([ann.id, "Page 2"]);
  expect(textOf(failed.last)).toContain("no such page");
});

/** A page with a file and a button for the next one; none has the number 0. */
function pageProbe() {
  return command({
    name: "probe page",
    summary: "A page with a file",
    examples: [],
    access: "everyone",
    audience: "channel",
    options: { page: { kind: "integer", description: "Page", min: 0, max: 9 } },
    run: ({ options: { page = 1 } }) => {
      if (page === 0) throw new UserError("There is no such page.", { remedy: "Name another." });
      const turn = (to: number) => ({
        label: `${to}`,
        invocation: { command: "probe page", options: { page: to } },
        effect: "replace" as const,
      });
      const attachments = [memoryAttachment(`page-${page}.csv`, "text/csv", "a\n1\n")];
      return Promise.resolve(reply({ title: `Page ${page}`, attachments, actions: [turn(0), turn(page + 1)] }));
    },
  });
}

function requestsOf({ fake }: Stage, { interaction }: Dialog): (string | undefined)[] {
  return fake.requests.filter(({ path }) => path.includes(interaction.token)).map(({ path }) => path.split("/").at(-1));
}

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
