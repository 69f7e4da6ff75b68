import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";

import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { fileSink } from "../../../src/export/block-writer.ts";
import { temporaryFiles } from "../../../src/export/temporary-file.ts";
import { memoryAttachment, reply, type Reply } from "../../../src/reply/reply.ts";
import { ReplyJson } from "../../../src/reply/document.ts";
import { text } from "../../../src/reply/text.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { talk } from "./fake-terminal.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bellwether-ask-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const csv = memoryAttachment("ledger.csv", "text/csv", "a,b\n1,2\n");
const exported = reply({ title: "Done", attachments: [csv] });
const listed = reply({
  title: "List",
  blocks: [{ kind: "table", name: "markets", columns: [{ title: "Market" }], rows: [[text`=BTC`]] }],
  picture: memoryAttachment("chart.png", "image/png", "png", { alt: "A chart." }),
});

async function ask(given: Reply, ...more: string[]): Promise<{ code: number; out: string; err: string }> {
  const terminal = talk(["export", "--out", folder, ...more], { answers: { export: given } });
  await terminal.exit;
  expect(terminal.asked.every(({ takesFiles }) => takesFiles === true)).toBe(true);
  const code = await terminal.exit;
  return { code, out: terminal.out(), err: terminal.err() };
}

const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");

describe("--out", () => {
  test("writes attachments and says where", async () => {
    const { code, out } = await ask(exported);
    expect(code).toBe(0);
    expect(read("ledger.csv")).toBe("a,b\n1,2\n");
    expect(out).toContain(`written to ${path.join(folder, "ledger.csv")}`);
    expect(out).not.toContain("--out DIR");
    expect(statSync(path.join(folder, "ledger.csv")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["ledger.csv"]);
  });

  test("writes the picture, and each table as CSV", async () => {
    await ask(listed);
    expect(readdirSync(folder).toSorted()).toEqual(["chart.png", "markets.csv"]);
    expect(read("markets.csv")).toBe("Market\n'=BTC\n");
  });

  test("leaves a table alone that is attached already", async () => {
    await ask({ ...listed, attachments: [memoryAttachment("markets.csv", "text/csv", "all of them")] });
    expect(read("markets.csv")).toBe("all of them");
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("removes the temporary files of a killed process, and nothing else", async () => {
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    const old = [
      `.ledger.csv.${gone}-0123456789ab.part`,
      `.ledger.csv.${process.pid}-0123456789ab.part`,
      `ledger.csv.${gone}-0123456789ab.part`,
      `.mine.${gone}.part`,
    ];
    for (const name of old) {
      writeFileSync(path.join(folder, name), "half");
      utimesSync(path.join(folder, name), new Date(0), new Date(0));
    }
    const fresh = `.ledger.csv.${gone}-ffffffffffff.part`;
    writeFileSync(path.join(folder, fresh), "of another machine, which is still writing");
    await ask(exported);
    expect(readdirSync(folder).toSorted()).toEqual([...old.slice(1), fresh, "ledger.csv"].toSorted());
  });

  test("makes the folder", async () => {
    folder = path.join(folder, "a", "b");
    expect((await ask(exported)).code).toBe(0);
    expect(read("ledger.csv")).toBe("a,b\n1,2\n");
  });

  test.runIf(process.platform === "linux")("gives up at once where no folder can be made", async () => {
    folder = "/proc/1/no/such/folder";
    const { code, err } = await ask(exported);
    expect(code).toBe(1);
    expect(err).toContain("/proc/1/no/such/folder");
    expect(err).toMatchSnapshot();
    folder = "";
  });

  test("overwrites nothing", async () => {
    writeFileSync(path.join(folder, "ledger.csv"), "mine");
    writeFileSync(path.join(folder, "ledger-2.csv"), "mine, too");
    const { out } = await ask(exported);
    expect(out).toContain("ledger-3.csv");
    expect([read("ledger.csv"), read("ledger-2.csv"), read("ledger-3.csv")]).toEqual([
      "mine",
      "mine, too",
      "a,b\n1,2\n",
    ]);
  });

  test("stays in the folder whatever a file is called", async () => {
    await ask(
      reply({
        title: "Done",
        attachments: [
          { ...csv, name: "../../etc/passwd" },
          { ...csv, name: ".." },
        ],
      }),
    );
    expect(readdirSync(folder).toSorted()).toEqual(["etc-passwd", "file"]);
  });

  test("includes the paths of the files in --json", async () => {
    const { out } = await ask(exported, "--json");
    expect(ReplyJson.parse(JSON.parse(out)).attachments[0]?.href).toBe(path.join(folder, "ledger.csv"));
  });

  test("removes an incomplete file, but keeps those before it", async () => {
    const broken = {
      ...memoryAttachment("second.csv", "text/csv", "12345"),
      open: () =>
        new Readable({
          read() {
            this.push("123");
            this.destroy(new Error("the disk is gone"));
          },
        }),
    };
    const { code, out, err } = await ask(reply({ title: "Done", attachments: [csv, broken] }));
    expect(code).toBe(3);
    expect(readdirSync(folder)).toEqual(["ledger.csv"]);
    expect(out).toContain(`written to ${path.join(folder, "ledger.csv")}`);
    expect(err).not.toContain("the disk is gone");
  });

  test("never writes a file that does not match its reply", async () => {
    const { code } = await ask(reply({ title: "Done", attachments: [{ ...csv, sha256: "0".repeat(64) }] }));
    expect(code).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("refuses a folder that is a file before anything is asked", async () => {
    const file = path.join(folder, "taken");
    writeFileSync(file, "mine");
    folder = file;
    const terminal = talk(["export", "--out", file], { answers: { export: exported } });
    expect(await terminal.exit).toBe(1);
    expect([terminal.asked, terminal.out()]).toEqual([[], ""]);
    const err = terminal.err();
    expect(err).toContain(file);
    expect(err).toMatchSnapshot();
    expect(readFileSync(file, "utf8")).toBe("mine");
    folder = path.dirname(file);
  });

  test.each(["full", "read-only"])(
    "refuses a folder that is %s before anything is asked, by exit code 2",
    async (how) => {
      const disk = smallDisk();
      if (disk === undefined) return;
      onTestFinished(() => disk.remove());
      if (how === "full") disk.fill();
      else execFileSync("/bin/mount", ["-o", "remount,ro", path.dirname(disk.folder)]);
      const terminal = talk(["export", "--out", disk.folder], { answers: { export: exported } });
      expect(await terminal.exit).toBe(2);
      expect([terminal.asked, terminal.out()]).toEqual([[], ""]);
      expect(terminal.err()).toMatch(/cannot be written to .*(?:no space left|cannot be written to)/su);
      const exports = temporaryFiles({ directory: path.join(disk.folder, "exports") });
      const refused = exports.create(fileSink).then(async (file) => {
        try {
          await file.write(Buffer.alloc(1024));
          return await file.finish();
        } finally {
          await file.dispose();
        }
      });
      await expect(refused).rejects.toMatchObject({ name: "StorageError", remote: true });
    },
  );

  test("leaves nothing in a folder that it has tried", async () => {
    const terminal = talk(["export", "--out", folder], { answers: { export: reply({ title: "Done" }) } });
    expect(await terminal.exit).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("refuses a folder that cannot be made", async () => {
    writeFileSync(path.join(folder, "taken"), "mine");
    const terminal = talk(["export", "--out", path.join(folder, "taken", "out")], { answers: { export: exported } });
    expect(await terminal.exit).toBe(1);
    expect(terminal.err()).toContain(path.join(folder, "taken", "out"));
    expect(terminal.err()).toMatchSnapshot();
  });

  test("loses nothing where the folder takes no more in the end: the rest is elsewhere, and the answer says where", async () => {
    const last = {
      ...memoryAttachment("second.csv", "text/csv", "12345"),
      open: () => {
        if (opened) return Readable.from("12345");
        opened = true;
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      },
    };
    let opened = false;
    const { code, out, err } = await ask(reply({ title: "Done", attachments: [csv, last] }));
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual(["ledger.csv"]);
    const rescued = /written to (?<file>.*second\.csv)/u.exec(out)?.groups?.["file"] ?? "";
    expect(readFileSync(rescued, "utf8")).toBe("12345");
    expect(err).toContain(path.dirname(rescued));
    expect(readdirSync(path.dirname(rescued))).toEqual(["second.csv"]);
    rmSync(path.dirname(rescued), { recursive: true });
  });

  test("writes no table of a failure", async () => {
    expect((await ask({ ...listed, picture: csv, failure: "network" })).code).toBe(2);
    expect(readdirSync(folder)).toEqual(["ledger.csv"]);
  });
});
