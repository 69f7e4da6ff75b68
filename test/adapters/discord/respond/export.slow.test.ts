import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";

import { expect, test } from "vitest";

import { textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { stage } from "../stage.ts";

const RANGE = /from:"?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"? to:"?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/u;

/** The only file of an archive. */
function unzipped(archive: Buffer): Buffer {
  const start = 30 + archive.readUInt16LE(26) + archive.readUInt16LE(28);
  return inflateRawSync(archive.subarray(start));
}

test("a ledger too large for the chat comes compressed, to the last byte; one larger still in parts, and beyond that ranges are offered", async () => {
  await using on = await stage({ simulated: false, timing: { progressEveryMillis: 100 } });
  const ann = on.fake.person("Ann");
  const { heavyPartyId, assetSymbol } = on.simulator.samples.mainnet;
  const options = { party: heavyPartyId, asset: assetSymbol, from: "4d" };

  const dialog = ann.start(on.channel, "ledger export", options);
  const progress = new Set<string>();
  await until(
    () => {
      if (dialog.messages.length > 0) progress.add(textOf(dialog.last).split("\n")[0] ?? "");
      return dialog.messages.some((message) => message.files.length > 0);
    },
    "the export",
    100_000,
  );
  const [file] = dialog.last.files;
  expect(file?.name).toMatch(/\.csv\.zip$/u);
  const csv = unzipped(file!.bytes);
  expect(csv.length).toBeGreaterThan(10 * 1024 * 1024);
  await ann.press(dialog.last, "Details");
  expect(textOf(dialog.last)).toContain(createHash("sha256").update(csv).digest("hex"));
  // How many rows are counted on the way depends on the machine; that something is said at once does not.
  expect([...progress].join("; ")).toMatch(/ledger/iu);

  const parted = ann.start({ channel: on.channel, maxBytes: 500_000 }, "ledger export", options);
  await until(() => parted.messages.some((message) => message.files.length > 1), "the parts", 100_000);
  const [first] = parted.last.files;
  expect(first?.name).toMatch(/part-1-of-\d+\.csv\.zip$/u);
  expect(unzipped(first!.bytes).toString()).toMatch(/^vega_time,/u);

  const limited = ann.start({ channel: on.channel, maxBytes: 30_000 }, "ledger export", options);
  await until(() => limited.messages.some((message) => textOf(message).includes("too large")), "the sentence", 100_000);
  const [, from, to] = RANGE.exec(textOf(limited.last)) ?? [];
  const part = ann.start({ channel: on.channel, maxBytes: 30_000 }, "ledger export", {
    ...options,
    from: from!,
    to: to!,
  });
  await until(() => part.messages.some((message) => message.files.length > 0), "the part", 100_000);
});
