import { describe, expect, test } from "vitest";

import { idMatcher } from "../../src/export/id-matcher.ts";
import { OTHER_PARTY, PARTY } from "./ledger-csv.ts";

describe("idMatcher", () => {
  test.each([
    [PARTY, PARTY, true],
    [PARTY, `\\x${PARTY}`, true],
    [PARTY, PARTY.toUpperCase(), true],
    [PARTY, `"${PARTY}"`, true],
    [PARTY, `"\\x${PARTY}"`, true],
    [`\\x${PARTY}`, PARTY, true],
    [PARTY.toUpperCase(), PARTY, true],
    [PARTY, OTHER_PARTY, false],
    [PARTY, `${PARTY}0`, false],
    [PARTY, PARTY.slice(1), false],
    [PARTY, `xx${PARTY}`, false],
    [PARTY, `\\y${PARTY}`, false],
    [PARTY, `"${PARTY}x`, false],
    [PARTY, `x${PARTY}"`, false],
    [PARTY, "", false],
    [PARTY, "\\x", false],
    ["network", "network", true],
    ["network", "\\x03", true],
    ["\\x03", "network", true],
    ["\\X03", "network", true],
    ["03", "network", false],
    [PARTY, "network", false],
  ])("%s against %s: %s", (id, written, expected) => {
    const bytes = Buffer.from(`,${written},`);
    expect(idMatcher(id)(bytes, 1, bytes.length - 1)).toBe(expected);
  });
});
