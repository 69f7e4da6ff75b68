import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, onTestFinished, test, vi } from "vitest";

import type { UserError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import type { Look } from "../../../src/looks/look.ts";
import { replay } from "../../../src/main/cli/replay.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { toMillis } from "../../../src/units/time.ts";
import { MINUTE, scratch, watched } from "../traces/half-hour.ts";

/** The changes that a replay prints, stored as what was decided then. */
async function decide(url: string, lines: readonly string[]): Promise<void> {
  const store = createStore({ url, log: silentLog() });
  const rows = lines.flatMap((line) => {
    const [, at = "", what = "", rule = "", subject = ""] = /^(\S+)  (\w+) +(\S+)(?: of (\S+))?$/u.exec(line) ?? [];
    const episode = `${rule}|mainnet|${subject}|1`;
    return rule === "" ? [] : [{ ...ABOUT, at: Date.parse(at), what, episode }];
  });
  expect(rows.length).toBeGreaterThan(4);
  await store.transaction(({ alerts }) => alerts.log.add(rows));
  await store.close();
}
const ABOUT = { network: "mainnet", destination: null, delivery: null, detail: null, lasting: 1 } as const;

/** What is decided of the half hour where all of its looks are kept. */
async function decidedOfAll(): Promise<readonly string[]> {
  const { said, range } = await watched();
  await replay(range);
  return [...said];
}

test("what was decided while no look was kept is listed with its gap, with what followed from it", async () => {
  const all = await decidedOfAll();
  const [down = ""] = all.filter((line) => line.includes("fired       node.down"));
  const fired = Date.parse(down.split(" ")[0] ?? "");
  expect(fired).not.toBeNaN();
  const isKept = ({ at }: Look) => Math.abs(toMillis(at) - fired) > 2 * MINUTE;
  const { url, said, range } = await watched(isKept);
  await decide(url, all);
  expect(await replay([...range, "--check"])).toBe(0);
  const gap = said.findIndex((line) => line.includes("no look for 4 min"));
  expect(said[gap + 1]).toMatch(/^ {2}2024-.*was decided then, not now$/u);
  expect(said.filter((line) => line.startsWith(`  ${down}`))).toEqual([`  ${down}  was decided then, not now`]);
  expect(said.at(-1)).toBe("Equal to what was decided then.");

  // Where there is no gap, the same is a difference.
  const whole = await watched();
  await decide(whole.url, [...all, down.replace("node-2", "node-3")]);
  expect(await replay([...whole.range, "--check"])).toBe(1);
  expect(whole.said.at(-1)).toBe("1 differences.");
});

test("a damaged row of looks is named and left out", async () => {
  const all = await decidedOfAll();
  const { at, url, said, complained, range } = await watched();
  await decide(url, all);
  {
    using database = new DatabaseSync(path.join(at, "bellwether.db"));
    const damage = database.prepare("UPDATE looks_tail SET data = ? WHERE watcher = ? AND number = ?");
    damage.run('{"at":"17', "sources", 3);
    damage.run(JSON.stringify({ at: "1717416100000000000", run: "r", dueMillis: 1, every: 1, seen: 7 }), "sources", 4);
    const chunk = database.prepare("INSERT INTO looks_chunks VALUES ('mainnet', 'markets', 1, 2, ?, ?, 3, ?)");
    chunk.run(1_717_416_000_000, 1_717_416_060_000, Buffer.from([1, 2, 3]));
  }
  expect(await replay([...range, "--check"])).toBe(0);
  expect(complained.map((line) => line.split(" cannot be read")[0])).toEqual([
    "Left out: the row of looks_chunks where network = 'mainnet' and watcher = 'markets' and first = '1'",
    "Left out: the row of looks_tail where network = 'mainnet' and watcher = 'sources' and number = '3'",
    "Left out: the row of looks_tail where network = 'mainnet' and watcher = 'sources' and at = '1717416100000'",
  ]);
  expect(complained[1]).toContain("delete that row: that look is then missing");
  expect(said.find((line) => line.includes(" looks at mainnet"))).toContain("3 damaged rows left out");
});

test("a database that is not there is said in a sentence", async () => {
  vi.stubEnv("DATABASE_URL", `file:${await scratch()}/none.db`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const refused = await replay(["--network", "mainnet"]).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ message: expect.stringContaining("There is no database") });
  expect((refused as UserError).remedy).toContain("npm start makes one");
});
