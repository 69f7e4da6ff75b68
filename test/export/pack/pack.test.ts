import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";

import { describe, expect, it, onTestFinished } from "vitest";

import { MAX_MESSAGES, packFile } from "../../../src/export/pack/pack.ts";
import { temporaryFiles } from "../../../src/export/temporary-file.ts";
import { type Attachment, type FileLimits, memoryAttachment } from "../../../src/reply/reply.ts";
import { unzip } from "../../support/unzip.ts";

const KB = 1000;
const HEADER = "a,b\n";
const row = (): string => `${randomBytes(500).toString("hex")}\n`;

/** Rows that compress to next to nothing. */
const even = (bytes: number): string => HEADER + row().repeat(Math.ceil(bytes / 1001));
/** Rows that compress to half their length. */
const noise = (bytes: number): string => HEADER + Array.from({ length: Math.ceil(bytes / 1001) }, row).join("");

/** A file that can be cut; knows how it was cut, and how many of its parts are still there. */
function divisible(content: string): { file: Attachment; open: () => number; cuts: number[] } {
  let open = 0;
  const cuts: number[] = [];
  const split = async (maxBytes: number): Promise<Attachment[]> => {
    cuts.push(maxBytes);
    const parts: string[] = [];
    for (const line of content.slice(HEADER.length).split(/(?<=\n)/u)) {
      const last = parts.at(-1);
      if (last === undefined || last.length + line.length > maxBytes) parts.push(HEADER + line);
      else parts[parts.length - 1] = last + line;
    }
    open += parts.length;
    return parts.map((part, index) => ({
      ...memoryAttachment(`f-part-${index + 1}.csv`, "text/csv", part),
      dispose: async () => void (open -= 1),
    }));
  };
  return { file: { ...memoryAttachment("f.csv", "text/csv", content), split }, open: () => open, cuts };
}

const LIMITS = { maxBytes: 100 * KB, maxCount: 10, maxTotalBytes: 250 * KB };

async function pack(file: Attachment, limits: FileLimits = LIMITS, signal = new AbortController().signal) {
  const packed = await packFile(file, limits, temporaryFiles(), signal);
  if (packed.fits) {
    onTestFinished(async () => {
      for (const one of packed.messages.flat()) if (one !== file) await one.dispose();
    });
  }
  return packed;
}

describe("a file for a platform", () => {
  it.each([
    ["as it is, where it fits", even(90 * KB), [["f.csv"]]],
    ["compressed, where that fits", even(300 * KB), [["f.csv.zip"]]],
    [
      "in compressed parts over messages",
      noise(600 * KB),
      [
        ["f-part-1.csv.zip", "f-part-2.csv.zip"],
        ["f-part-3.csv.zip", "f-part-4.csv.zip"],
      ],
    ],
  ])("%s", async (_case, content, names) => {
    const { file, open } = divisible(content);
    const packed = await pack(file);
    if (!packed.fits) throw new Error("it does not fit");
    expect(packed.messages.map((files) => files.map(({ name }) => name))).toEqual(names);
    for (const files of packed.messages) {
      expect(Math.max(...files.map(({ sizeBytes }) => sizeBytes))).toBeLessThanOrEqual(LIMITS.maxBytes);
      expect(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThanOrEqual(LIMITS.maxTotalBytes);
    }
    // Together they hold the same rows, each part under the header.
    const parts = await Promise.all(
      packed.messages.flat().map(async (one) => (one === file ? content : unzip(await buffer(one.open())))),
    );
    for (const part of parts) expect(part.startsWith(HEADER)).toBe(true);
    expect(parts.map((part) => part.slice(HEADER.length)).join("")).toBe(content.slice(HEADER.length));
    expect(open()).toBe(0);
  });

  it("is not cut where it would take more messages than that", async () => {
    const { file, cuts } = divisible(noise(2000 * KB));
    const packed = await pack(file);
    expect(packed.fits || packed.compressedBytes).toBeGreaterThan(LIMITS.maxBytes * 2 * MAX_MESSAGES);
    expect(cuts).toEqual([]);
  });

  it("does not fit where it cannot be cut", async () => {
    const packed = await pack(memoryAttachment("f.csv", "text/csv", noise(400 * KB)));
    expect(packed.fits).toBe(false);
  });

  it("is cut smaller where a part compresses less than the whole does", async () => {
    const { file, cuts, open } = divisible(even(100 * KB) + noise(350 * KB).slice(HEADER.length));
    const packed = await pack(file);
    expect(cuts.length).toBeGreaterThan(1);
    expect(packed.fits && Math.max(...packed.messages.flat().map(({ sizeBytes }) => sizeBytes))).toBeLessThanOrEqual(
      LIMITS.maxBytes,
    );
    expect(open()).toBe(0);
  });

  it("leaves nothing behind when nobody waits for it", async () => {
    const { file, open } = divisible(noise(400 * KB));
    const stop = new AbortController();
    const split = (bytes: number): Promise<readonly Attachment[]> => {
      stop.abort(new Error("gone"));
      return file.split!(bytes);
    };
    await expect(pack({ ...file, split }, LIMITS, stop.signal)).rejects.toThrow("gone");
    expect(open()).toBe(0);
  });
});
