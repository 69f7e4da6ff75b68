import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Columns, fromColumns, toColumns } from "../../../../src/alerts/deliver/outbox/chunk.ts";

type Row = Readonly<Record<string, unknown>>;
const FIELDS = Object.fromEntries(
  ["id", "phase", "quiet", "destination"].map((field) => [field, (row: Row) => row[field]]),
);
const destination = { platform: "slack", channel: "C1" };
const row = fc.record(
  {
    id: fc.string(),
    phase: fc.constantFrom("trigger", "resolve"),
    quiet: fc.constant(true),
    destination: fc.constantFrom(destination, { platform: "slack", channel: "C2" }),
  },
  { requiredKeys: [] },
);

test("rows come back from their columns as they were, also from the store", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
      const columns = Columns.parse(JSON.parse(JSON.stringify(toColumns(rows, FIELDS))));
      expect(fromColumns(columns)).toEqual(rows);
    }),
  );
});

test("a value that all rows share is written once, and a missing one not at all", () => {
  const rows = ["a", "b", "c"].map((id) => ({ id, phase: "trigger", destination }));
  expect(toColumns(rows, FIELDS)).toEqual({
    count: 3,
    same: { phase: "trigger", destination },
    each: { id: ["a", "b", "c"] },
  });
});
