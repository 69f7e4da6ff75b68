import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, onTestFinished, test } from "vitest";

import { createPictures } from "../../src/chart/png.ts";
import { silentLog } from "../../src/log.ts";
import type { Attachment } from "../../src/reply/reply.ts";
import { SCENES } from "./scenes.ts";

const isLinux = process.platform === "linux";
const HALT = SCENES["halt"]!;

function pictures(more: Omit<Parameters<typeof createPictures>[0], "log"> = {}) {
  const made = createPictures({ log: silentLog(), ...more });
  onTestFinished(() => made.close());
  return made;
}

async function bytesOf(drawn: Attachment | { readonly failed: string }): Promise<Buffer> {
  if ("failed" in drawn) throw new Error(drawn.failed);
  return Buffer.concat(await Array.fromAsync<Buffer>(drawn.open()));
}

/** The processes that draw for a process. */
function drawing(parent = process.pid): number[] {
  return globSync(`/proc/${parent}/task/*/children`)
    .flatMap((file) => readFileSync(file, "utf8").trim().split(" "))
    .filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("png-child"))
    .map(Number);
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited += 20) {
    expect(waited).toBeLessThan(10_000);
    await sleep(20);
  }
}

describe.runIf(isLinux)("the process that draws", () => {
  test("gives a PNG of three pixels for each unit, with its alt text", async () => {
    const drawn = await pictures().draw(HALT, "a halt");
    expect(drawn).toMatchObject({ name: "chart.png", mediaType: "image/png", alt: "a halt" });
    const png = await bytesOf(drawn);
    expect([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(["PNG", 1440, 900]);
    expect(png.length).toBeLessThan(200_000);
  });

  test("has no environment and one channel, and ends after a rest", async () => {
    const { draw } = pictures({ rest: 300 });
    await draw(HALT, "");
    const [pid, ...others] = drawing();
    expect(others).toEqual([]);
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .filter((one) => one !== "");
    expect(new Set(environment.map((one) => one.split("=")[0]))).toEqual(
      new Set(["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"]),
    );
    await until(() => drawing().length === 0);
  });

  test("ends after so many pictures, and another one goes on", async () => {
    const { draw } = pictures({ maxPictures: 2 });
    const pids: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      expect(await draw(HALT, "")).toHaveProperty("sha256");
      pids.push(...drawing());
    }
    await until(() => drawing().length === 0);
    expect(new Set(pids.filter((pid) => pid > 0)).size).toBeGreaterThan(1);
  });

  test("that is killed in the midst costs one picture", async () => {
    const { draw } = pictures();
    await draw(HALT, "");
    const [pid = 0] = drawing();
    const all = [draw(HALT, ""), draw(HALT, ""), draw(HALT, "")];
    process.kill(pid, "SIGKILL");
    const drawn = await Promise.all(all);
    expect(drawn.map((one) => "failed" in one)).toEqual([true, false, false]);
  });

  test("that takes too long is ended: the answer goes without", async () => {
    const { draw } = pictures({ maxMillis: 1 });
    expect(await draw(HALT, "")).toEqual({ failed: expect.stringContaining("drawn") });
    await until(() => drawing().length === 0);
  });

  test("has fifty waiting at most", async () => {
    const { draw } = pictures({ maxWait: 120_000 });
    const drawn = await Promise.all(Array.from({ length: 53 }, () => draw(HALT, "")));
    expect(drawn.filter((one) => "failed" in one)).toEqual(
      Array.from({ length: 3 }, () => ({ failed: expect.stringContaining("wait") })),
    );
  });

  test("keeps nobody waiting for longer than agreed, and draws on", async () => {
    const one = pictures();
    await one.draw(HALT, "");
    const began = performance.now();
    await one.draw(HALT, "");
    const { draw } = pictures({ maxWait: 400 + 8 * (performance.now() - began) });
    await draw(HALT, "");
    const drawn = await Promise.all(Array.from({ length: 50 }, () => draw(HALT, "")));
    const late = drawn.filter((one) => "failed" in one).length;
    expect([late > 0, late < 50]).toEqual([true, true]);
    expect(await draw(HALT, "")).toHaveProperty("sha256");
  });

  test("ends with its parent", async () => {
    const script = `
      const { createPictures } = await import("./src/chart/png.ts");
      const { silentLog } = await import("./src/log.ts");
      const { SCENES } = await import("./test/chart/scenes.ts");
      await createPictures({ log: silentLog() }).draw(SCENES.halt, "");
      console.log("drawn");
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(parent.stdout, "data");
    const pids = drawing(parent.pid);
    expect(pids).toHaveLength(1);
    parent.kill("SIGKILL");
    await until(() => pids.every((pid) => !isAlive(pid)));
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(" Z ");
  } catch {
    return false;
  }
}

test.runIf(isLinux && process.arch === "x64")(
  "each golden picture has the same bytes as when it was looked at",
  async () => {
    const { draw } = pictures();
    const hashes: Record<string, string> = {};
    for (const [name, scene] of Object.entries(SCENES)) {
      hashes[name] = createHash("sha256")
        .update(await bytesOf(await draw(scene, "")))
        .digest("hex")
        .slice(0, 16);
    }
    expect(hashes).toMatchSnapshot();
  },
);
