import { expect, test } from "vitest";

import { until } from "../../../support/fake-discord/until.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

test.each<[string, Record<string, string>, RegExp]>([
  ["another workspace that installed the app", { team_id: "T99", enterprise_id: "E9" }, /one workspace, \*Acme\*/u],
  ["another workspace of the same organisation", { team_id: "T98", enterprise_id: "E1" }, /your organisation/u],
  ["an installation for the whole organisation", { is_enterprise_install: "true" }, /whole organisation/u],
])("a command from %s gets a sentence, and nothing is run", async (_name, from, words) => {
  await using scene = await stage();
  scene.fake.state.enterprise = "E1";
  await until(() => scene.fake.requests.filter(({ method }) => method === "auth.test").length > 2, "the team");
  const ann = scene.fake.person("ann");
  const dialog = ann.type(scene.channel, "my parties", "/bell", from);
  await dialog.answered();
  expect(said(dialog.last)).toMatch(words);
  expect(said(dialog.last)).not.toContain("another organisation");
  expect(dialog.last.onlyFor).toBe(ann.id);
  expect(said((await ann.run(scene.channel, "my parties")).last)).toContain("my party");
});

test("a token of an installation for the whole organisation is said to be unusable", async () => {
  await using scene = await stage({ connect: false });
  scene.fake.state.orgWide = true;
  await expect
    .poll(() => scene.adapter.health)
    .toMatchObject({ state: "failed", why: expect.stringContaining("whole organisation") as string });
});
