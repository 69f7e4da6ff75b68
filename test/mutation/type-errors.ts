import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import type { Mutant } from "@stryker-mutator/api/core";

const ROOT = path.join(import.meta.dirname, "..", "..");
/** The folder of Stryker's copies, which git ignores. */
const FOLDER = path.join(ROOT, ".mutation", "types");

/**
 * The ids of the mutants that TypeScript refuses: a type stands where a test would. Stryker's own checker does not know
 * TypeScript 7, so a copy of its file for each mutant is checked, all in one run of the compiler.
 */
export async function findTypeErrors(mutants: readonly Mutant[]): Promise<ReadonlySet<string>> {
  if (mutants.length === 0) return new Set();
  const copies = new Map(mutants.map((mutant) => [writeCopy(mutant), mutant.id]));
  const project = path.join(FOLDER, "tsconfig.json");
  const settings = {
    extends: path.join(ROOT, "tsconfig.json"),
    // A copy imports the neighbours of its original. What a mutant leaves unused or unreachable is no error in it.
    compilerOptions: {
      rootDirs: [FOLDER, ROOT],
      noUnusedLocals: false,
      noUnusedParameters: false,
      allowUnreachableCode: true,
    },
    // Types of modules that have none of their own.
    include: [path.join(ROOT, "src/**/*.d.ts")],
    files: [...copies.keys()],
  };
  writeFileSync(project, JSON.stringify(settings));
  const report = await compile(project);
  rmSync(FOLDER, { recursive: true });
  const refused = [...report.matchAll(/^(\S+)\(\d+,\d+\): error /gmu)].map(([, file = ""]) => path.resolve(ROOT, file));
  const originals = refused.filter((file) => !copies.has(file));
  if (originals.length > 0) throw new Error(`TypeScript refuses more than mutants:\n${report.slice(0, 2000)}`);
  return new Set(refused.flatMap((file) => copies.get(file) ?? []));
}

function writeCopy({ id, fileName, location: { start, end }, replacement }: Mutant): string {
  const lines = readFileSync(fileName, "utf8").split("\n");
  const before = [...lines.slice(0, start.line), lines[start.line]?.slice(0, start.column)].join("\n");
  const after = [lines[end.line]?.slice(end.column), ...lines.slice(end.line + 1)].join("\n");
  const copy = path.join(FOLDER, path.relative(ROOT, fileName).replace(/\.ts$/u, `.${id}.ts`));
  if (!existsSync(path.dirname(copy))) mkdirSync(path.dirname(copy), { recursive: true });
  writeFileSync(copy, before + replacement + after);
  return copy;
}

async function compile(project: string): Promise<string> {
  const compiler = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const command = [path.join(ROOT, "bin", "run.mjs"), compiler, "--noEmit", "--pretty", "false", "-p", project];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(process.execPath, command, { cwd: ROOT, maxBuffer: 2 ** 28 }, (error, report) => {
    // It exits with 1 or 2 where it finds errors.
    if (error !== null && report === "") reject(error);
    else resolve(report);
  });
  return await promise;
}
