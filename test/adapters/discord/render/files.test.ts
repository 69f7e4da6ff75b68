import { text } from "node:stream/consumers";

import { expect, test } from "vitest";

import { fitFiles } from "../../../../src/adapters/discord/render/files.ts";
import { silentLog } from "../../../../src/log.ts";
import { memoryAttachment } from "../../../../src/reply/reply.ts";

test("each of too many files is sent, by itself or in the archive", async () => {
  const names = Array.from({ length: 14 }, (_, index) => `file-${index + 1}.csv`);
  const given = names.map((name) => ({ name, alt: undefined, attachment: memoryAttachment(name, "text/csv", "a\n") }));
  const fitted = await fitFiles(given, {
    maxBytes: 1024 * 1024,
    log: silentLog(),
    signal: AbortSignal.timeout(10_000),
  });
  try {
    expect(fitted.unsendable).toEqual([]);
    expect(fitted.files).toHaveLength(10);
    const archive = await text(fitted.files.at(-1)!.attachment.open());
    // A zip holds the names of its files as plain text.
    const packed = new Set(archive.match(/file-\d+\.csv/gu));
    const sent = fitted.files.slice(0, -1).map(({ name }) => name);
    expect([...sent, ...packed]).toEqual(names);
  } finally {
    await fitted.dispose();
  }
});
