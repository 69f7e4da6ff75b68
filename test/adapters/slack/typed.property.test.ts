import { randomInt } from "node:crypto";

import { expect, test } from "vitest";

import { SeededRandom } from "../../campaign/seeded-random.ts";
import { until } from "../../support/fake-discord/until.ts";
import { nastyStrings } from "../../support/nasty-strings.ts";
import { runs } from "../../support/runs.ts";
import { probe, titled } from "./probe-commands.ts";
import { said } from "./shown.ts";
import { stage } from "./stage.ts";

test("whatever is typed is answered: commands, mentions and forms full of nasty text", async () => {
  const echo = probe("probe echo", ({ options }) =>
    Promise.resolve(titled(typeof options["note"] === "string" ? options["note"] : "nothing")),
  );
  await using scene = await stage({ extra: [echo] });
  const ann = scene.fake.person("ann");
  const seed = randomInt(2 ** 31);
  const all = [...nastyStrings, "x".repeat(8000), '"', "'", "--", "--note", "note:"];
  const typed = new SeededRandom(seed).shuffled(all).slice(0, runs(2 * all.length).numRuns);
  const { messages, responses, views } = scene.fake.state;
  // What came through no response_url answers a mention: to ann alone, or in its thread for all.
  const mentions = (): number => {
    const others = new Set([...responses.values()].flatMap(({ produced }) => produced));
    return messages.filter(({ onlyFor, thread, ts }) => (onlyFor === ann.id || thread !== undefined) && !others.has(ts))
      .length;
  };
  // Some at a time: what waits for more than three seconds is no longer Slack's to open.
  for (let from = 0; from < typed.length; from += 4) {
    const some = typed.slice(from, from + 4);
    const lines = some.flatMap((nasty) => [nasty, `probe echo note:"${nasty}"`]);
    const dialogs = lines.map((line) => ann.type(scene.channel, line));
    for (const nasty of some) ann.mention(scene.channel, nasty);
    const answered = (): number => dialogs.filter((dialog) => dialog.messages.length > 0).length;
    await until(() => views.size + answered() === lines.length, `an answer to each line, seed ${seed}`);
    await until(() => mentions() === from + some.length, `an answer to each mention, seed ${seed}`);
    views.clear();
  }
  for (const nasty of typed) {
    ann.type(scene.channel, "market show");
    const errors = await ann.submit(await ann.form(), { market: nasty });
    expect(Object.keys(errors).every((name) => name === "market")).toBe(true);
    views.clear();
  }
  expect(said((await ann.run(scene.channel, "help")).last)).toContain("market list");
  expect(scene.adapter.health).toEqual({ state: "up" });
});
