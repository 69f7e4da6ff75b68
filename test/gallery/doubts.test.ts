import { describe, expect, test } from "vitest";

import { shortenId } from "../../src/reply/text.ts";
import { DEFAULT_SEED } from "../../src/simulator/simulator.ts";
import { sampleIds } from "../support/sample-ids.ts";
import { keysIn, unnamedIdsIn, zonesIn } from "./doubts.ts";

describe("what no sample may show is found", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["UTC beside a drawn time", ["Until ⟨drawn⟩", "As of 12:00:00 UTC"], ["the reader's", "UTC"]],
    ["an ISO time with Z", ["Until ⟨drawn⟩", "2026-01-14T12:00Z to 2026-01-15T12:00Z"], ["the reader's", "UTC"]],
    ["two zones by name", ["12:00 UTC", "from 13:00 by the clock of Europe/Zurich"], ["UTC", "Europe/Zurich"]],
    ["a moment without a zone", ["Until 2026-01-15 12:00:00"], ["none"]],
    ["what repeats has a zone of its own", ["quiet 22:00 to 07:00 Europe/Zurich", "⟨drawn⟩"], ["the reader's"]],
    ["a zone that is named once", ["Until 2026-01-15 12:00:00", "times in UTC"], ["UTC"]],
  ])("%s", (_, lines, zones) => {
    expect([...zonesIn(lines).keys()]).toEqual(zones);
  });

  test.each([
    "ORDER_ERROR_SELF_TRADING",
    "network.stalled|mainnet||7",
    "is undefined",
    "networkAssetId",
    "[object Object]",
  ])("the key in %s", (line) => {
    expect(keysIn([line])).toEqual([line]);
  });

  test("an id beside which its name is missing", () => {
    const { marketId, marketCode } = sampleIds(DEFAULT_SEED).mainnet;
    const short = shortenId(marketId);
    expect(unnamedIdsIn([marketCode, `Market ${short}`, `${marketCode} ${short}`, "Market id", marketId])).toEqual([
      `Market ${short}`,
    ]);
  });
});
