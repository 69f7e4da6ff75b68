import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Chunk } from "../../src/looks/chunk.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import { type Json, type Look, lookFromText, lookToText } from "../../src/looks/look.ts";
import type { Nanoseconds } from "../../src/units/time.ts";
import { runs } from "../support/runs.ts";

const digits = fc.tuple(fc.bigInt(-(2n ** 90n), 2n ** 90n), fc.nat(18)).map(([value, scale]) => {
  const all = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  return `${value < 0n ? "-" : ""}${all.slice(0, all.length - scale)}${scale === 0 ? "" : `.${all.slice(-scale)}`}`;
});

const leaf = fc.oneof(
  fc.constantFrom("", "0", "-0", "00", "1.", ".5", "-0.0", "1e5", "__proto__"),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one)),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.string(),
  digits,
);

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "0", "1", "__proto__"), fc.string()), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;

const anyLook: fc.Arbitrary<Look> = fc
  .record(
    {
      run: fc.constantFrom("one", "two"),
      dueMillis: fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e9, noNaN: true })),
      at: fc.bigInt(-1000n, 2n ** 64n).map((at) => at as Nanoseconds),
      every: fc.nat(),
      failure: fc.string(),
      seen: json,
    },
    { requiredKeys: ["run", "dueMillis", "every", "at"] },
  )
  .map((look) => ({ ...look, dueMillis: look.dueMillis === 0 ? 0 : look.dueMillis }));

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one)));

test("a look is kept as it was given, in a chunk as in the tail", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLook, { minLength: 1, maxLength: 12 }), async (looks) => {
      const given = looks.map((one) => lookFromText(lookToText(one)));
      expect(plain(given)).toEqual(plain(looks));
      const kept = [...new Chunk(await encodeChunk(looks)).looks()];
      expect(plain(kept)).toEqual(plain(given));
    }),
    runs(100),
  );
});

test("what is not asked for of what was seen is left out, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLook, { minLength: 1, maxLength: 6 }), async (looks) => {
      const both = looks.map((one) => ({ ...one, seen: { asked: one.seen ?? null, judged: one.seen ?? null } }));
      const read = [...new Chunk(await encodeChunk(both)).looks(["judged"])];
      expect(plain(read)).toEqual(plain(looks.map((one) => ({ ...one, seen: { asked: one.seen ?? null } }))));
    }),
    runs(30),
  );
});

test("one fact is read alone, as the nearest number, and its least and greatest value without reading it", async () => {
  const value = fc.oneof(fc.integer().map(String), digits, fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 60 }), async (values) => {
      const looks = values.map((one, index) => ({
        run: "one",
        dueMillis: index,
        every: 5000,
        at: BigInt(index) as Nanoseconds,
        ...(one === undefined ? {} : { seen: { fact: one } }),
      }));
      const chunk = new Chunk(await encodeChunk(looks));
      const { near } = chunk.column('["seen","fact"]');
      const most = Math.max(0, ...values.map((one) => Math.abs(Number(one ?? 0))));
      const wrong = values.filter((one, index) => {
        const read = near(index);
        return one === undefined ? !Number.isNaN(read) : !(Math.abs(read - Number(one)) <= most * 1e-9);
      });
      expect(wrong).toEqual([]);
      const there = values.filter((one) => one !== undefined).map(Number);
      const nothing = there.length === values.length ? [] : [undefined];
      const bounds = there.length === 0 ? [] : [Math.min(...there), Math.max(...there)];
      const stand = chunk.values('["seen","fact"]')?.map((one) => (one === undefined ? one : Number(one)));
      expect(new Set(stand)).toEqual(new Set([...bounds, ...nothing]));
    }),
    runs(100),
  );
});
