import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";

import { freshBundle, MANIFEST, ROOT } from "../../bin/bundle-files.mjs";

const run = promisify(execFile);

describe("the bundle", () => {
  test("is built, is what a fresh installation runs, and answers as the sources do", async () => {
    await run(process.execPath, [path.join(ROOT, "bin/bundle.mjs")]);
    const bundle = freshBundle() ?? "";
    expect(path.basename(bundle)).toBe("main.cjs");
    const [bundled, source] = await Promise.all(
      [bundle, path.join(ROOT, "src/main.ts")].map((script) => run(process.execPath, [script, "slack-manifest"])),
    );
    expect(bundled).toEqual(source);
  });

  test("is left out as soon as a source has another time or size, or is gone", () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "bellwether-bundle-"));
    try {
      const manifest = path.join(folder, "sources.json");
      const sources = JSON.parse(readFileSync(MANIFEST, "utf8")) as [string, number, number][];
      const [first = ["", 0, 0], ...others] = sources;
      const [file, modifiedAt, size] = first;
      const freshWith = (changed: [string, number, number]): boolean => {
        writeFileSync(manifest, JSON.stringify([...others, changed]));
        return freshBundle(manifest) !== undefined;
      };
      expect(freshWith(first)).toBe(true);
      expect(freshWith([file, modifiedAt - 1, size])).toBe(false);
      expect(freshWith([file, modifiedAt, size + 1])).toBe(false);
      expect(freshWith([`${file}.gone`, modifiedAt, size])).toBe(false);
      expect(freshBundle(path.join(folder, "none.json"))).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
