import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";

import { type Checker, type CheckResult, CheckStatus } from "@stryker-mutator/api/check";
import type { Mutant } from "@stryker-mutator/api/core";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";

import { EQUIVALENT } from "./equivalent.ts";
import { SAMPLE } from "./room.ts";
import { findTypeErrors } from "./type-errors.ts";

/** Leaves out mutants that need no test. Stryker counts them as compile errors, which are no part of the score. */
class MutantChooser implements Checker {
  async init(): Promise<void> {}

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const reasons = new Map(mutants.map((mutant) => [mutant.id, reasonToLeaveOut(mutant)]));
    const chosen = mutants.filter(({ id }) => reasons.get(id) === undefined);
    for (const id of await findTypeErrors(chosen)) reasons.set(id, "does not fit the type");
    return Object.fromEntries(
      [...reasons].map(([id, reason]): [string, CheckResult] => {
        return [
          id,
          reason === undefined ? { status: CheckStatus.Passed } : { status: CheckStatus.CompileError, reason },
        ];
      }),
    );
  }

  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, "mutant-chooser", MutantChooser)];

function reasonToLeaveOut({
  fileName,
  location: { start, end },
  mutatorName,
  replacement,
}: Mutant): string | undefined {
  const file = path.relative(process.cwd(), fileName).replaceAll(path.sep, "/");
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line, end.line + 1);
  const behind = lines.at(-1)?.slice(end.column) ?? "";
  const [first = ""] = lines;
  const before = oneLine([...lines.slice(0, -1), lines.at(-1)?.slice(0, end.column)].join("\n").slice(start.column));
  const after = oneLine(replacement);
  if (after.includes("Stryker was here")) return "does not fit the type";
  if (mutatorName === "EqualityOperator" && /[!=]==/u.test(after)) return "the operands are replaced by true and false";
  if (after === "false" && wouldBeUndefined(before, behind)) return "does not fit the type";
  const mutation = `${file}: ${before} → ${after}`;
  const equivalent = EQUIVALENT[mutation];
  if (equivalent !== undefined) return equivalent;
  const place = `${SAMPLE.seed} ${first.trim()} ${start.column} ${mutation}`;
  const chance = createHash("sha256").update(place).digest().readUInt32BE() / 2 ** 32;
  return chance < SAMPLE.share ? undefined : "not in the sample";
}

/** `x === undefined ? {} : { x }` without its condition: the compiler does not see that the member may be undefined. */
function wouldBeUndefined(condition: string, behind: string): boolean {
  const [, tested] = /^(.+) === undefined$/u.exec(condition) ?? [];
  const [, name, value = name] = /^ \? \{\} : \{ (\w+)(?:: (.+?))? \}/u.exec(behind) ?? [];
  return tested !== undefined && value === tested;
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/gu, " ");
}
