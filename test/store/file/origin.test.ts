import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { silentLog } from "../../../src/log.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { enforceOrigin } from "../../../src/store/file/origin.ts";
import type { Origin } from "../../../src/store/marks.ts";
import { scratchFolder } from "../../support/scratch-database.ts";

describe("a database's origin", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = (await scratchFolder()).folder;
    file = path.join(folder, "b.db");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = (name = file): DatabaseStore => createStore({ url: name, log: silentLog() });
  const left = async (...origins: Origin[]): Promise<void> => {
    const store = open();
    await store.parties.save("o", { id: "a", name: "kept" });
    for (const origin of origins) await store.markOrigin(origin);
    await store.close();
  };
  const partiesIn = async (name: string): Promise<readonly string[]> => {
    const store = open(name);
    const parties = await store.parties.list("o");
    await store.close();
    return parties.map(({ id }) => id);
  };

  it.each<[string, Origin[], Origin]>([
    ["one that nobody marked", [], "configured"],
    ["the simulator's own", ["simulated"], "simulated"],
    ["that of networks which are set, as before", ["configured"], "configured"],
    ["marked once and for all", ["configured", "simulated"], "configured"],
  ])("is used as it is: %s", async (_what, marks, origin) => {
    await left(...marks);
    expect(await enforceOrigin(file, origin, "aside")).toBeUndefined();
    expect(await partiesIn(file)).toEqual(["a"]);
  });

  it("is set aside whole where networks are set in the place of the simulator", async () => {
    await left("simulated");
    const aside = await enforceOrigin(file, "configured", "aside");
    expect(aside).toBe(`${file}.aside`);
    expect(await partiesIn(file)).toEqual([]);
    expect(await partiesIn(`${file}.aside`)).toEqual(["a"]);
  });

  it("is refused to the simulator where networks were set, and stays as it is", async () => {
    await left("configured");
    await expect(enforceOrigin(file, "simulated", "aside")).rejects.toMatchObject({
      name: "UserError",
      remedy: expect.stringContaining("MAINNET_URLS"),
    });
    expect(await partiesIn(file)).toEqual(["a"]);
  });

  it("is left alone while another holds it, and where there is none", async () => {
    await left("simulated");
    const holder = open();
    await holder.claim();
    expect(await enforceOrigin(file, "configured", "aside")).toBeUndefined();
    await holder.close();
    const none = path.join(folder, "none.db");
    expect(await enforceOrigin(none, "configured", "aside")).toBeUndefined();
    expect(existsSync(none)).toBe(false);
    expect((await readdir(folder)).filter((name) => name.includes("aside"))).toEqual([]);
  });
});
