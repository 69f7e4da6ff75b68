import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

import type { Action, Reply } from "../../../src/reply/reply.ts";
import { text, time, type Text } from "../../../src/reply/text.ts";
import { nanoseconds, type Nanoseconds } from "../../../src/units/time.ts";

/** One reply that every renderer shows, so that their outputs can be laid side by side. */
export interface GalleryEntry {
  /** Kebab-case and unique; names the golden files. */
  readonly name: string;
  /** What to look at. */
  readonly shows: string;
  readonly reply: Reply;
}

/** 2026-03-02 09:30:00 UTC: when the replies of the gallery are looked at. */
export const GALLERY_NOW: Nanoseconds = nanoseconds(1_772_443_800_000_000_000n);

/** A moment before (or, negative, after) the gallery's now. */
export function ago(seconds: number): Nanoseconds {
  return nanoseconds(GALLERY_NOW - BigInt(Math.round(seconds * 1000)) * 1_000_000n);
}

/** 64 hex characters that look like an id and are the same at every run. */
export function hex(label: string): string {
  return createHash("sha256").update(label).digest("hex");
}

export function asOf(node: string, height: bigint): Text {
  return text`As of ${time(ago(1), "both")} · block ${height} · ${node} · mainnet`;
}

export function ask(
  label: string,
  command: string,
  options: Record<string, string | number | boolean> = {},
  effect: "replace" | "reply" = "reply",
): Action {
  return { label, invocation: { command, options }, effect };
}

/** A small picture, 240 by 80 grey pixels with a line that rises: uncompressed, so that its bytes never change. */
export function chartPicture(): Uint8Array {
  const [width, height] = [240, 80];
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(width + 1, 0xf2);
    row[0] = 0;
    for (let x = 0; x < width; x++) {
      const line = height - 10 - Math.trunc((x * 60) / width) - ((x * 7) % 11 > 5 ? 3 : 0);
      if (Math.abs(y - line) <= 1) row[x + 1] = 0x22;
    }
    return row;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(Buffer.concat(rows), { level: 0 })),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.byteLength);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
