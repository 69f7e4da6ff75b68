import { readdirSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

import { createSandbox, type Sandbox } from "../support/bellwether.ts";
import { saying } from "../support/said.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.cleanUp());

describe("main.ts", () => {
  it("says what it can do when told nothing, or nonsense", async () => {
    const [nothing, nonsense] = await Promise.all([sandbox.run([]).ended, sandbox.run(["toString"]).ended]);
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\n {2}start .*\n {2}ask .*\n {2}simulator /u),
    });
    expect(nonsense).toMatchObject({ code: 1, stderr: expect.stringMatching(saying("toString", "start", "ask")) });
    expect([nothing, nonsense].map(({ stderr }) => stderr)).toMatchSnapshot();
  });

  it("says what each subcommand does, and does nothing, where help is asked for", async () => {
    const all = [...(await sandbox.run([]).ended).stderr.matchAll(/^ {2}(\S+)/gmu)].map(([, name = ""]) => name);
    // Each is a process of its own.
    const names = inject("manyRuns") ? all : all.slice(0, 3);
    const helped = await Promise.all(names.map((name) => sandbox.run([name, "--help"]).ended));
    expect(helped.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
    for (const [index, name] of names.entries()) expect(helped[index]?.stdout).toContain(name);
    expect(readdirSync(sandbox.folder)).toEqual([]);
  });
});
