import { describe, expect, test } from "vitest";

import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { choicesOf, labelsOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import type { View } from "../../../support/fake-slack/state.ts";
import { probe, titled, waiting } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage, type Stage } from "../stage.ts";

// What is asked in the home tab, or from Slack's shortcuts, is answered in a modal.

/** The answer that takes the place of another one. */
async function next(scene: Stage, before: View, press: () => unknown, what: string | RegExp): Promise<View> {
  press();
  const shown = (): View => scene.fake.state.views.get(before.id) ?? before;
  await until(() => said(shown()).search(what) !== -1, `an answer with ${String(what)}`);
  return shown();
}

describe("an answer in a modal", () => {
  test("has its buttons and choices, which answer in its place", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.pressAtHome(await ann.openHome(), "Markets");
    const list = await ann.answerInView();
    expect(list.blocks.map(({ type }) => type)).not.toContain("table");
    expect(labelsOf(list.blocks)).toEqual(expect.arrayContaining(["Details", "Refresh"]));
    // There is nobody to share it with.
    expect(labelsOf(list.blocks)).not.toContain("Share");
    // Which ones come first depends on the time.
    const choice = choicesOf(list.blocks).find((one) => /[A-Z]{3,}/u.test(one)) ?? "";
    const [name = ""] = /[A-Z]{3,}/u.exec(choice) ?? [];
    const market = await next(scene, list, () => ann.pressInForm(list, choice), `SIMULATED · ${name}`);
    const whole = await next(scene, market, () => ann.pressInForm(market, "Details"), "");
    await until(() => labelsOf(scene.fake.state.views.get(whole.id)!.blocks).includes("Less"), "the details");
    const details = scene.fake.state.views.get(whole.id)!;
    expect(details.blocks.map(({ type }) => type)).not.toContain("table");
    ann.pressInForm(details, "Less");
    await until(() => !labelsOf(scene.fake.state.views.get(whole.id)!.blocks).includes("Less"), "the fold");
    expect(said(scene.fake.state.views.get(whole.id)!)).toBe(said(market));
    expect(ann.directMessages()).toEqual([]);
    expect(ann.sees(scene.channel)).toEqual([]);
  });

  test("opens a form in its place, whose answer then stands there", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.shortcut("Ask Bellwether");
    await ann.submit(await ann.form(), { "ask:line": "alerts add nodes" });
    const added = await ann.answerInView();
    const form = await next(scene, added, () => ann.pressInForm(added, "Change…"), "Severity at least");
    expect(form.callback_id).toBe("form");
    expect(await ann.submit(form, { severity: "critical" })).toEqual({});
    const changed = await ann.answerInView();
    expect(changed.id).toBe(added.id);
    expect(said(changed)).toMatch(saying("✅", "nodes"));
    // The home tab tells of it.
    await until(() => scene.fake.state.homes.has(ann.id), "the home tab");
  });

  test("says errors, and tries again in its place", async () => {
    let calls = 0;
    const second = probe("market list", () => {
      calls += 1;
      return calls < 2 ? Promise.reject(new Error("no")) : Promise.resolve(titled("there"));
    });
    await using scene = await stage({ extra: [second] });
    const ann = scene.fake.person("ann");
    ann.pressAtHome(await ann.openHome(), "Markets");
    const failed = await ann.answerInView();
    expect(said(failed)).toMatch(/`[0-9a-f]{8}`/u);
    expect(said(await next(scene, failed, () => ann.pressInForm(failed, "Ask again"), "there"))).toContain("there");
  });

  test("names its files, which are in the direct messages", async () => {
    const files = probe("market list", () =>
      Promise.resolve(reply({ title: "Here", attachments: [memoryAttachment("a.csv", "text/csv", "a\n")] })),
    );
    await using scene = await stage({ extra: [files] });
    const ann = scene.fake.person("ann");
    ann.pressAtHome(await ann.openHome(), "Markets");
    expect(said(await ann.answerInView())).toMatch(saying("a.csv", "direct messages"));
    expect(ann.directMessages().flatMap((message) => message.files.map(({ name }) => name))).toEqual([
      "SIMULATED-a.csv",
    ]);
  });

  test("that is closed before it is there comes as a direct message", async () => {
    const job = waiting("market list");
    await using scene = await stage({ extra: [job.command] });
    scene.fake.expected.add("not_found");
    const ann = scene.fake.person("ann");
    ann.pressAtHome(await ann.openHome(), "Markets");
    await ann.form();
    ann.closeViews();
    job.finish(titled("all done"));
    await until(() => ann.directMessages().length > 0, "the direct message");
    expect(said(ann.directMessages()[0]!)).toContain("all done");
  });

  test("that cannot be opened comes as a direct message, and the tab says so", async () => {
    await using scene = await stage();
    scene.fake.expected.add("expired_trigger_id");
    const ann = scene.fake.person("ann");
    const home = await ann.openHome();
    scene.fake.fail({ method: "views.open", answer: { error: "expired_trigger_id" } });
    ann.pressAtHome(home, "Markets");
    await until(() => ann.directMessages().length > 0, "the answer");
    await until(() => scene.fake.state.homes.get(ann.id) !== home, "the home tab anew");
    expect(said(scene.fake.state.homes.get(ann.id)!)).toMatch(saying("/bell market list", "Messages"));
  });

  test("shows how far long work is", async () => {
    const job = waiting("market list");
    await using scene = await stage({
      extra: [job.command],
      timing: { progressAtMillis: [5], progressEveryMillis: 5 },
    });
    const ann = scene.fake.person("ann");
    ann.pressAtHome(await ann.openHome(), "Markets");
    const form = await ann.form();
    await until(() => {
      job.progress(titled("step 2"));
      return said(scene.fake.state.views.get(form.id)!).includes("step 2");
    }, "the progress");
    job.finish(titled("all done"));
    await until(() => said(scene.fake.state.views.get(form.id)!).includes("all done"), "the answer");
  });
});
