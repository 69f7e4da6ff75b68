import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG, watcherNames } from "../../../../src/alerts/alerts-config.ts";
import { ALERT_KINDS, CONDITION_KINDS, KIND_GROUPS, KINDS } from "../../../../src/alerts/judge/kinds/kinds.ts";
import { SUBSCRIPTION_OPTIONS } from "../../../../src/answers/alerts/subscriptions/subscription-options.ts";

const root = path.join(import.meta.dirname, "../../../..");

describe("the catalogue of kinds", () => {
  test("leaves out of every group what takes a threshold of one's own or concerns one person", () => {
    const grouped = new Set(Object.values(KIND_GROUPS).flat());
    const rest = ALERT_KINDS.filter((kind) => !grouped.has(kind));
    expect(rest).toEqual(["market.price", "market.value", "order.final", "stake.changed", "bundle.signed"]);
  });

  test("says something else to do for each kind for which there is anything to do", () => {
    const remedies = ALERT_KINDS.flatMap((kind) => KINDS[kind].remedy ?? []);
    expect(new Set(remedies).size).toBe(remedies.length);
    expect(CONDITION_KINDS.filter((kind) => KINDS[kind].remedy === undefined)).toEqual([
      "market.price",
      "market.value",
    ]);
  });

  test("has no kind that nobody finds", async () => {
    const files = globSync("src/watchers/**/*.ts", { cwd: root });
    const code = (await Promise.all(files.map((file) => readFile(path.join(root, file), "utf8")))).join("\n");
    expect(ALERT_KINDS.filter((kind) => !code.includes(`"${kind}"`))).toEqual([]);
  });

  test("has a kind for every watcher", () => {
    const finding = new Set(ALERT_KINDS.flatMap((kind) => KINDS[kind].watchers));
    expect(finding).toEqual(new Set(watcherNames(DEFAULT_ALERTS_CONFIG).map(({ name }) => name)));
  });

  test("and the options of thresholds name each other", () => {
    const options = new Map(Object.entries(SUBSCRIPTION_OPTIONS));
    for (const kind of CONDITION_KINDS) {
      for (const parameter of Object.keys(KINDS[kind].parameters.shape)) {
        const option = parameter.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
        expect(options.get(option)?.description).toContain(option === "for" ? kind.split(".")[1] : kind);
      }
    }
  });
});
