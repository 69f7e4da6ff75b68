import { createHash } from "node:crypto";
import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import type { LinkedFile, LinkedFiles } from "../../../src/adapters/web/downloads.ts";
import { saying } from "../../support/said.ts";
import { echoBot, type Harness, startConsole } from "./harness.ts";

const CONTENT = "vega_time,quantity\n2023-01-18 01:09:59+00,12\n";
const SIZE = CONTENT.length;

/** A console with one file behind a link, which counts how often that is opened. */
async function withLink(): Promise<Harness & { opened: () => number }> {
  let opened = 0;
  const file: LinkedFile = {
    name: "ledger.csv",
    mediaType: "text/csv",
    sizeBytes: SIZE,
    sha256: createHash("sha256").update(CONTENT).digest("hex"),
    open: (from, to) => {
      opened += 1;
      return Readable.from([Buffer.from(CONTENT.slice(from, to))]);
    },
  };
  const found: Record<string, LinkedFile | "elsewhere"> = { right: file, far: "elsewhere" };
  const linkedFiles: LinkedFiles = async (secret) => found[secret];
  const console = await startConsole(echoBot(), { token: "0123456789abcdef", linkedFiles });
  return Object.assign(console, { opened: () => opened });
}

const PATH = "/download/right/ledger.csv";

describe("a link to a file", () => {
  it("gives it to whoever has the address, as often as it is asked for, and no cache may keep it", async () => {
    await using console = await withLink();
    for (let time = 0; time < 2; time += 1) {
      const { status, body, headers } = await console.send(PATH);
      expect([status, body, headers["content-length"]]).toEqual([200, CONTENT, String(SIZE)]);
      expect(headers["content-disposition"]).toBe('attachment; filename="ledger.csv"');
      expect([headers["cache-control"], headers["x-robots-tag"]]).toEqual(["private, no-store", "noindex, nofollow"]);
    }
  });

  it.each(["/download/wrong/ledger.csv", "/download/right", "/download/"])("is its secret: %s", async (path) => {
    await using console = await withLink();
    expect((await console.send(path)).status).toBe(404);
    expect(console.opened()).toBe(0);
  });

  it("that another process has offers both: to try the link, and to run the export, again", async () => {
    await using console = await withLink();
    const { status, body } = await console.send("/download/far/ledger.csv");
    expect([status, body]).toEqual([404, expect.stringMatching(saying("link again", "export again"))]);
  });

  it("can be looked at without being read, as chats do", async () => {
    await using console = await withLink();
    const { status, body, headers } = await console.send(PATH, { method: "HEAD" });
    expect([status, body, headers["content-length"]]).toEqual([200, "", String(SIZE)]);
    expect(console.opened()).toBe(0);
  });

  it("opens from a chat in a browser; other requests of foreign pages are refused", async () => {
    await using console = await withLink();
    const navigation = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await console.send(PATH, { headers: navigation })).status).toBe(200);
    const script = { ...navigation, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" };
    expect((await console.send(PATH, { headers: script })).status).toBe(403);
  });

  it.each([
    ["bytes=0-8", 206, CONTENT.slice(0, 9), `bytes 0-8/${SIZE}`],
    ["bytes=19-", 206, CONTENT.slice(19), `bytes 19-${SIZE - 1}/${SIZE}`],
    ["bytes=-4", 206, CONTENT.slice(-4), `bytes ${SIZE - 4}-${SIZE - 1}/${SIZE}`],
    ["bytes=-999", 206, CONTENT, `bytes 0-${SIZE - 1}/${SIZE}`],
    ["bytes=40-999", 206, CONTENT.slice(40), `bytes 40-${SIZE - 1}/${SIZE}`],
    [`bytes=${SIZE}-`, 416, "", `bytes */${SIZE}`],
    ["bytes=-0", 416, "", `bytes */${SIZE}`],
    ["bytes=5-2", 200, CONTENT, undefined],
    ["bytes=0-1,4-5", 200, CONTENT, undefined],
    ["rows=0-1", 200, CONTENT, undefined],
  ])("goes on where a download broke off: %s", async (range, status, body, contentRange) => {
    await using console = await withLink();
    const answered = await console.send(PATH, { headers: { range } });
    expect([answered.status, answered.body]).toEqual([status, body]);
    expect(answered.headers["content-range"]).toBe(contentRange);
    expect(answered.headers["content-length"]).toBe(String(body.length));
  });

  it("gives the whole file where the part is of another one", async () => {
    await using console = await withLink();
    const etag = (await console.send(PATH, { method: "HEAD" })).headers.etag!;
    const rest = (tag: string) => console.send(PATH, { headers: { range: "bytes=19-", "if-range": tag } });
    expect([(await rest(etag)).status, (await rest('"another"')).status]).toEqual([206, 200]);
  });
});
