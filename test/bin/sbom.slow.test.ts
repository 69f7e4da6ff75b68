import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

import { echoBot, startConsole } from "../adapters/web/harness.ts";
import { freePort } from "../support/free-port.ts";

const root = path.join(import.meta.dirname, "../..");

test("npm run sbom lists what the program runs with, each with its hash, and nothing else", () => {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
  const printed = execFileSync(process.execPath, ["bin/run.mjs", "bin/sbom.mjs"], { cwd: root, env, encoding: "utf8" });
  const bom = JSON.parse(printed) as {
    bomFormat: string;
    metadata: { component: { name: string; type: string } };
    components: { name: string; version: string; "bom-ref": string; hashes: { alg: string }[] }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  expect([bom.bomFormat, bom.metadata.component]).toMatchObject([
    "CycloneDX",
    { name: "bellwether", type: "application" },
  ]);
  const wanted = neededByTheProgram();
  expect(new Set(bom.components.map(({ name, version }) => `${name}@${version}`))).toEqual(wanted);
  expect(wanted.size).toBeGreaterThan(100);
  expect(bom.components.filter(({ hashes }) => !hashes.some(({ alg }) => alg === "SHA-512"))).toEqual([]);
  const refs = new Set(["bellwether@0.1.0", ...bom.components.map((one) => one["bom-ref"])]);
  expect(bom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref))).toEqual(
    [],
  );
});

test("npm run sbom says what it prints where help is asked for", () => {
  const said = execFileSync(process.execPath, ["bin/run.mjs", "bin/sbom.mjs", "--help"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(said).toMatch(/^npm run -s sbom: .+\n$/u);
});

interface Locked {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

/** Every package that is reached from the program's own dependencies, each where Node would find it. */
function neededByTheProgram(): Set<string> {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (place: string): void => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const next = foldersFrom(place)
        .map((folder) => `${folder}node_modules/${name}`)
        .find((one) => one in packages);
      if (next === undefined || seen.has(next) || /^(?:node-(?:linux|win)|@embedded-)/u.test(name)) continue;
      seen.add(next);
      found.add(`${name}@${packages[next]?.version}`);
      visit(next);
    }
  };
  visit("");
  return found;
}

/** The folders of packages around one, the innermost first; each ends in a slash, or is the root. */
function foldersFrom(place: string): string[] {
  const parts = place === "" ? [] : place.split("node_modules/").slice(1);
  return Array.from({ length: parts.length + 1 }, (_, out) =>
    parts
      .slice(0, parts.length - out)
      .map((part) => `node_modules/${part.replace(/\/$/u, "")}/`)
      .join(""),
  );
}

test("the image's health check tells a bot that runs from none", async () => {
  const [, command = "[]"] =
    /HEALTHCHECK .*\\\n +CMD (\[.*\])/u.exec(readFileSync(path.join(root, "Dockerfile"), "utf8")) ?? [];
  const [, ...args] = JSON.parse(command) as string[];
  const check = async (port: number): Promise<unknown> => {
    const [code] = await once(spawn(process.execPath, args, { env: { WEB_PORT: String(port) } }), "exit");
    return code;
  };
  await using harness = await startConsole(echoBot());
  expect([await check(harness.port), await check(await freePort())]).toEqual([0, 1]);
});
