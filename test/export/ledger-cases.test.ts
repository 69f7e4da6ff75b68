import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";

import { describe, expect, test } from "vitest";

import { ApiError } from "../../src/api/api-error.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { exportFolder, failureOf, request } from "./an-export.ts";
import { LEDGER_CASES, ledgerNode, replay } from "./ledger-node.ts";

const folder = exportFolder();

describe("every way a ledger can arrive", () => {
  const good = LEDGER_CASES.filter((each) => each.means.fileBase64 !== undefined);
  const bad = LEDGER_CASES.filter((each) => each.means.error !== undefined);

  test.each(good.map((each) => [each.name, each] as const))("%s: the file is what was sent", async (_name, given) => {
    await using node = await ledgerNode((_, into) => void replay(given, into));
    const file = await folder.exports().export(node.api, request({ raw: true }));
    const bytes = await buffer(file.attachment.open());
    expect(bytes.toString()).toBe(Buffer.from(given.means.fileBase64 ?? "", "base64").toString());
    expect(file.attachment).toMatchObject({
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      mediaType: given.means.contentType,
      name: expect.stringMatching(/ledger-raw\.csv$/u),
    });
    expect([file.account.rows, file.account.raw]).toEqual([given.means.rows, true]);
    expect(file.columns).toEqual(given.means.columns ?? file.columns);
    await file.attachment.dispose();
    expect(await folder.leftOver()).toEqual([]);
  });

  test.each(good.map((each) => [each.name, each] as const))("%s: only what was asked for", async (_name, given) => {
    const { partyId = "", assetId = "", ...range } = given.request.query;
    const at = (edge: string) => {
      const value = range[`dateRange.${edge}Timestamp`];
      return value === undefined ? undefined : nanoseconds(BigInt(value));
    };
    const [from, to] = [at("start"), at("end")];
    await using node = await ledgerNode((_, into) => void replay(given, into));
    const query = { partyId, assetId, ...(from && { from }), ...(to && { to }) };
    const file = await folder.exports().export(node.api, request({ query }));
    const wanted = given.means.rowsAsked ?? given.means.rows;
    const { rows, dropped } = file.account;
    expect(rows).toBe(wanted);
    expect(dropped.asset + dropped.party + dropped.range).toBe((given.means.rows ?? 0) - (wanted ?? 0));
    await file.attachment.dispose();
  });

  test.each(bad.flatMap((each) => [true, false].map((raw) => [each.name, raw, each] as const)))(
    "%s (raw %s): fails and leaves nothing",
    async (_name, raw, given) => {
      await using node = await ledgerNode((_, into) => void replay(given, into));
      const thrown = await failureOf(folder.exports().export(node.api, request({ raw })));
      expect(thrown).toBeInstanceOf(ApiError);
      const error = thrown as ApiError;
      expect(error.node).toBe(node.name);
      expect(error).toMatchObject(given.means.error?.kind === undefined ? {} : { kind: given.means.error.kind });
      for (const words of given.means.error?.innerWords ?? []) expect(error.innerWords).toContain(words);
      expect(await folder.leftOver()).toEqual([]);
    },
  );
});
