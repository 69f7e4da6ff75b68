import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { fault, type Finding, noAnswer, ok, warning } from "../../../src/adapters/finding.ts";
import { UserError } from "../../../src/errors.ts";
import {
  type Check,
  exitCodeOf,
  findingLine,
  runChecks,
  summaryOf,
  withoutFaulty,
} from "../../../src/main/doctor/checks.ts";
import { networkChecks } from "../../../src/main/doctor/networks.ts";
import { examineDeadManSwitch, examineSettings } from "../../../src/main/doctor/doctor.ts";
import { examineConfig } from "../../support/platforms.ts";
import { hideSecrets } from "../../../src/units/redact.ts";

const bug: Finding = { state: "fault", check: "x", what: "y", remedy: "z", cause: "bug" };

describe("what the doctor ends with", () => {
  it.each<[string, Finding[], number, string]>([
    ["nothing is wrong", [ok("a", "b")], 0, "Nothing is wrong."],
    ["there are warnings", [ok("a", "b"), warning("a", "b", "c")], 0, "0 faults, 1 warning."],
    ["the operator must act", [warning("a", "b", "c"), fault("a", "b", "c")], 1, "1 fault, 1 warning."],
    ["only the network fails", [noAnswer("a", "b", "c"), noAnswer("a", "b", "c")], 2, "2 faults, 0 warnings."],
    ["both", [noAnswer("a", "b", "c"), fault("a", "b", "c")], 1, "2 faults, 0 warnings."],
    ["a check has a bug", [noAnswer("a", "b", "c"), bug], 3, "2 faults, 0 warnings."],
  ])("%s", (_name, findings, code, summary) => {
    expect([exitCodeOf(findings), summaryOf(findings)]).toEqual([code, summary]);
  });
});

it("what is faulty is said once, and not as something that is not set", async () => {
  const examined = examineConfig({
    SLACK_BOT_TOKEN: "xapp-1",
    SLACK_APP_TOKEN: "xapp-2",
    TESTNET_URLS: "node.example.org",
    DEADMAN_URL: "x",
  });
  const checks: Check[] = [
    { name: "settings", run: async () => examineSettings(examined) },
    { name: "DEADMAN_URL", run: async () => examineDeadManSwitch(examined) },
    ...networkChecks(examined.config, 30_000),
  ];
  const findings = await runChecks(withoutFaulty(checks, examined.faults), () => undefined);
  const about = (name: string) => findings.filter(({ check, what }) => `${check}: ${what}`.includes(name));
  for (const name of ["SLACK_BOT_TOKEN", "TESTNET_URLS", "DEADMAN_URL"]) expect(about(name)).toHaveLength(1);
  expect(about("simulator")).toEqual([]);
  expect(findings.map(({ state }) => state)).not.toContain("ok");
});

describe("a line of the doctor's", () => {
  hideSecrets(["xoxb-123456", "short"]);
  it.each<[Finding, string]>([
    [ok("Node.js", "24"), "ok       Node.js: 24"],
    [warning("file .env", "is open", "Close it."), "warning  file .env: is open. Close it."],
    [fault("Slack", "no", "Go."), "fault    Slack: no. Go."],
    [ok("x", "the token xoxb-123456 and\nthe word short"), "ok       x: the token … and the word short"],
  ])("%o", (finding, line) => {
    expect(findingLine(finding)).toBe(line);
  });
});

describe("the checks", () => {
  const check = (name: string, run: Check["run"]): Check => ({ name, run });
  async function run(checks: readonly Check[]): Promise<string[]> {
    const shown: string[] = [];
    const found = await runChecks(checks, (finding) => shown.push(findingLine(finding)), 50);
    expect(found.map((finding) => findingLine(finding))).toEqual(shown);
    return shown;
  }

  it("are independent: one that hangs, throws or has a bug takes nothing from the others", async () => {
    const hangs = check("hangs", () => new Promise(() => {}));
    const refuses = check("refuses", () => Promise.reject(new UserError("It is locked.", { remedy: "Open it." })));
    const breaks = check("breaks", () => Promise.reject(new Error("undefined is not a function")));
    const works = check("works", async () => [ok("works", "well")]);
    const shown = await run([hangs, refuses, breaks, works]);
    expect(shown).toEqual([
      expect.stringMatching(/^fault {4}hangs: /u),
      "fault    refuses: It is locked. Open it.",
      expect.stringMatching(/^fault {4}breaks: .*undefined is not a function/u),
      "ok       works: well",
    ]);
    expect(shown).toMatchSnapshot();
  });

  it("that take too long are aborted, and may still give their findings", async () => {
    const obeys = check("obeys", async (signal) => {
      await sleep(10_000, undefined, { signal }).catch(() => undefined);
      return [warning("obeys", "half of it", "Wait.")];
    });
    expect(await run([obeys])).toEqual(["warning  obeys: half of it. Wait."]);
  });

  it("run at once, but for those that block, which wait for all others", async () => {
    const order: string[] = [];
    const noting =
      (name: string, millis: number): Check["run"] =>
      async () => {
        order.push(`${name} begins`);
        await sleep(millis);
        order.push(`${name} ends`);
        return [ok(name, "")];
      };
    const blocking: Check = { name: "store", blocks: true, run: noting("store", 0) };
    expect(await run([check("a", noting("a", 20)), blocking, check("b", noting("b", 30))])).toEqual([
      "ok       a:",
      "ok       store:",
      "ok       b:",
    ]);
    expect(order).toEqual(["a begins", "b begins", "a ends", "b ends", "store begins", "store ends"]);
  });
});
