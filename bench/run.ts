import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { describe, machine, shown, type Measured } from "./support/figure.ts";

// `npm run bench`: all figures, or those of the scripts named (`npm run bench -- export-raw start`), one after the
// other, each in a process of its own; flags are passed on to them. Exit code 1 when one does not hold, 2 when one could
// not be taken.

const folder = new URL(".", import.meta.url);
const all = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => file.slice(0, -3));
const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith("--"));
const named = given.filter((argument) => !argument.startsWith("--"));
const unknown = named.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}; there are: ${all.join(", ")}.`);
  process.exit(2);
}

const figures: Measured[] = [];
let broken = false;
console.log(machine());
for (const name of named.length > 0 ? named : all) {
  const script = fileURLToPath(new URL(`${name}.ts`, folder));
  const child = spawn(process.execPath, [script, ...flags, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  // The figures are the last line; what a script prints before them is for people.
  const lines = output.trimEnd().split("\n");
  const line = lines.pop() ?? "";
  if (lines.length > 0) console.log(lines.join("\n"));
  if (line.startsWith("[")) {
    const taken = JSON.parse(line) as Measured[];
    figures.push(...taken);
    for (const figure of taken) console.log(describe(figure));
  } else {
    broken = true;
    console.error(`${name} gave no figure (exit code ${child.exitCode})`);
  }
}

const rows = figures.map((figure) =>
  "skipped" in figure
    ? [figure.name, "–", "–", "skipped"]
    : [figure.name, `${shown(figure.value)} ${figure.unit}`, figure.bound, figure.holds ? "holds" : "MISSED"],
);
const table = [["figure", "measured", "must be", ""], ...rows];
const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
console.log(
  `\n${table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")}`,
);
if (broken) process.exitCode = 2;
else if (figures.some((figure) => "holds" in figure && !figure.holds)) process.exitCode = 1;
