import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** What has to know every kind of block. */
const READERS = [
  "src/adapters/discord/render/blocks.ts",
  "src/adapters/slack/render/blocks.ts",
  "src/adapters/terminal/render/render.ts",
  "src/adapters/web/public/reply/reply.js",
  "src/reply/block.ts",
  "src/reply/fold.ts",
  "src/reply/full-text.ts",
];

test("a new kind of block is a compile error in each of its readers, and JSON as it stands", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-block-"));
  try {
    for (const name of ["src", "package.json", "tsconfig.json"])
      await cp(path.join(root, name), path.join(folder, name), { recursive: true });
    await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
    const schema = path.join(folder, "src/reply/document.ts");
    const planted = `z.discriminatedUnion("kind", [z.object({ kind: z.literal("planted"), of: Text, detail: z.literal(true).exactOptional() }),`;
    const text = await readFile(schema, "utf8");
    await writeFile(schema, text.replace(/(?<=const Block = )z\.discriminatedUnion\("kind", \[/u, planted));
    const compilerOptions = { lib: ["esnext", "dom", "dom.iterable"] };
    const config = {
      extends: "./src/adapters/web/public/tsconfig.json",
      compilerOptions,
      files: [...READERS, "src/reply/json.ts"],
    };
    await writeFile(path.join(folder, "planted.json"), JSON.stringify({ ...config, include: [] }));
    const errors = (await compile(folder, "planted.json")).matchAll(/^(.+)\(\d+,\d+\): error/gmu);
    expect([...new Set([...errors].map(([, file]) => file))]).toEqual(READERS);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** What the compiler says, a line each. */
function compile(folder: string, config: string): Promise<string> {
  const args = [path.join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--project", config];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
}
