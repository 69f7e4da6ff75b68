import * as fc from "fast-check";

import { type Action, type Attachment, memoryAttachment, type Reply, type Tone } from "../../src/reply/reply.ts";
import { field, type Block, type Column, type Table } from "../../src/reply/block.ts";
import { LaneState, type Scene } from "../../src/reply/chart.ts";
import { link, named, clockTime, time, type Inline, type Text } from "../../src/reply/text.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { anyCharacter } from "./any-character.ts";
import { nastyStrings } from "./nasty-strings.ts";

/** Any text at all, with the nasty ones often and in all positions. */
export function anyString(maxLength = 60): fc.Arbitrary<string> {
  const nasty = fc.constantFrom(...nastyStrings);
  const plain = fc.string({ unit: "grapheme", maxLength });
  const binary = fc.string({ unit: anyCharacter, maxLength });
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map((all) => String.fromCharCode(...all));
  return fc.oneof(
    { weight: 4, arbitrary: fc.lorem({ maxCount: 6 }) },
    { weight: 4, arbitrary: nasty },
    { weight: 2, arbitrary: fc.tuple(nasty, plain, nasty).map((parts) => parts.join("")) },
    { weight: 2, arbitrary: plain },
    { weight: 1, arbitrary: binary },
    { weight: 1, arbitrary: units },
    { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String) },
  );
}

const urlPart = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@".split("")),
    anyCharacter.map((one) => encodeURIComponent(one)),
  ),
});
const url = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("http", "https"),
      fc.webAuthority(),
      fc.array(urlPart),
      fc.option(urlPart),
      fc.option(urlPart),
    )
    .map(([scheme, authority, path, query, fragment]) =>
      [
        `${scheme}://${authority}`,
        ...path.map((segment) => `/${segment}`),
        query === null ? "" : `?${query}`,
        fragment === null ? "" : `#${fragment}`,
      ].join(""),
    ),
  fc.constantFrom(
    "https://example.net/a(b)[c]|d>e?x=`1`&y=%22#*f*",
    "https://example.net/@everyone",
    `https://example.net/${"x".repeat(2100)}`,
  ),
);

const anyTime: fc.Arbitrary<Inline> = fc
  .tuple(
    fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }),
      fc.bigInt({ min: 1_600_000_000n, max: 1_900_000_000n }).map((seconds) => seconds * 1_000_000_000n),
    ),
    fc.constantFrom("absolute" as const, "relative" as const, "both" as const, "utc" as const),
  )
  .map(([at, style]) => time(nanoseconds(at), style));

export const anyInline: fc.Arbitrary<Inline> = fc.oneof(
  { weight: 4, arbitrary: anyString().map((text): Inline => ({ kind: "text", text })) },
  { weight: 1, arbitrary: anyString().map((text): Inline => ({ kind: "text", text, detail: true })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anyString(), fc.bigInt({ min: 1_600_000_000n, max: 1_900_000_000n }))
      .map(([shown, seconds]) => clockTime(nanoseconds(seconds * 1_000_000_000n), shown)),
  },
  { weight: 2, arbitrary: anyString().map((text): Inline => ({ kind: "strong", text })) },
  {
    weight: 1,
    arbitrary: fc.tuple(anyString(), anyString()).map(([text, short]): Inline => ({ kind: "number", text, short })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(anyString(), fc.constantFrom({}, { id: true as const }, { command: true as const }))
      .map(([text, more]): Inline => ({ kind: "code", text, ...more })),
  },
  {
    weight: 1,
    // No id is one of the platform: shown as it is.
    arbitrary: fc
      .tuple(anyString(), fc.constantFrom("channel" as const, "role" as const), fc.constantFrom("discord", "slack"))
      .map(([text, what, platform]) => named(what, platform, `${text}.`)),
  },
  {
    weight: 1,
    // No id of theirs is one of the platform: shown by name.
    arbitrary: fc
      .tuple(anyString(), fc.constantFrom("discord", "slack", "terminal"), anyString())
      .map(([text, platform, id]): Inline => ({ kind: "person", text, platform, id: `${id}.` })),
  },
  { weight: 1, arbitrary: fc.tuple(anyString(), fc.oneof(url, anyString())).map(([label, to]) => link(label, to)) },
  { weight: 1, arbitrary: anyTime },
);

export const anyText: fc.Arbitrary<Text> = fc.array(anyInline, { maxLength: 5 });

const anyColumn: fc.Arbitrary<Column> = fc.record(
  {
    title: anyString(20),
    align: fc.constantFrom("left" as const, "right" as const),
    priority: fc.constantFrom(1 as const, 2 as const, 3 as const),
  },
  { requiredKeys: ["title"] },
);

/** For tables of hundreds of rows, which long cells would make megabytes. */
const shortCell: fc.Arbitrary<Text> = fc
  .oneof(
    fc.constantFrom(...nastyStrings.filter((one) => one.length <= 64)),
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom("1", "ok", "–"),
  )
  .map((text): Text => [{ kind: "text", text }]);

/** Tells the rows of a table apart. */
function numberedCell(at: number): Text {
  return [{ kind: "text", text: `row ${at} of many` }];
}

const aTime: fc.Arbitrary<Text> = anyTime.map((one) => [one]);

/** Columns whose cells are all of one kind: renderers lay out by them. */
const columnCells: readonly fc.Arbitrary<Text>[] = [
  aTime,
  fc.oneof(
    { weight: 4, arbitrary: aTime },
    fc.constant<Text>([{ kind: "text", text: "–" }]),
    fc.constant<Text>([]),
    fc.array(anyTime, { minLength: 2, maxLength: 4 }),
  ),
  fc.string({ unit: "grapheme", minLength: 40, maxLength: 200 }).map((text): Text => [{ kind: "text", text }]),
  fc
    .bigInt({ min: 10n ** 39n, max: 10n ** 40n })
    .map((long): Text => [{ kind: "number", text: long.toString(), short: long.toLocaleString("en-US") }]),
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: 64, maxLength: 64 })
    .map((text): Text => [{ kind: "code", text, id: true }]),
  anyInline.map((one): Text => [one]),
];

const rowsByColumn = (columns: readonly Column[]): fc.Arbitrary<Text[][]> =>
  fc
    .array(fc.constantFrom(...columnCells), { minLength: columns.length, maxLength: columns.length })
    .chain((cells) => fc.array(fc.tuple(...cells), { maxLength: 12 }));

/** JSON.parse of V8 at times gives a name that begins with an escape another one's; the options of commands have none. */
const anyOptionName = anyString(20).filter((name) => !/[\p{Cc}\p{Cs}\\"]/u.test(name));

const anyInvocation = fc.record({
  command: fc.oneof(fc.constantFrom("time", "market show"), anyString(30)),
  options: fc.dictionary(
    fc.oneof(fc.constantFrom("market", "after", "network", "at"), anyOptionName),
    fc.oneof(anyString(), fc.integer(), fc.boolean()),
    { maxKeys: 4 },
  ),
});

const anyInvalidates = fc.oneof(fc.constant(true as const), anyInvocation);

/** Usually regular; at times with rows that are too short or too long, and at times huge. */
export const anyTable: fc.Arbitrary<Table> = fc
  .tuple(
    fc.array(anyColumn, { maxLength: 9 }),
    fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  )
  .chain(([columns, ragged]) =>
    fc.record(
      {
        kind: fc.constant("table" as const),
        title: anyText,
        columns: fc.constant(columns),
        rows: fc.oneof(
          {
            weight: 5,
            arbitrary: fc.array(
              fc.array(fc.oneof(shortCell, anyText), {
                minLength: ragged ? 0 : columns.length,
                maxLength: columns.length + (ragged ? 2 : 0),
              }),
              { maxLength: 12 },
            ),
          },
          { weight: 3, arbitrary: rowsByColumn(columns) },
          {
            weight: 1,
            arbitrary: fc
              .tuple(
                fc.array(shortCell, { minLength: columns.length, maxLength: columns.length }),
                fc.integer({ min: 90, max: 260 }),
              )
              .map(([row, count]) =>
                Array.from({ length: count }, (_, at) =>
                  row.map((cell, column) => (column === 0 ? numberedCell(at) : cell)),
                ),
              ),
          },
        ),
        name: fc.constantFrom("rows", "market-bounds", "../../etc/passwd", ""),
        total: fc.nat({ max: 5000 }),
        fold: fc.nat({ max: 12 }),
        empty: anyText,
        rowAction: fc.record(
          {
            label: anyString(),
            invocations: fc.oneof(
              fc.array(anyInvocation, { maxLength: 14 }),
              fc
                .tuple(anyInvocation, fc.integer({ min: 90, max: 260 }))
                .map(([one, count]) => Array.from({ length: count }, () => one)),
            ),
            effect: fc.constantFrom("replace" as const, "reply" as const),
            invalidates: anyInvalidates,
          },
          { requiredKeys: ["label", "invocations", "effect"] },
        ),
      },
      { requiredKeys: ["kind", "columns", "rows", "name"] },
    ),
  );

/** Values of any size, also where all are alike. */
const anyValue = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
  fc.integer({ min: 0, max: 100 }),
  fc.constantFrom(0, 1, 1e-9, 1e30),
);
const anyMoment = fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1.7e12, max: 1.7e12 + 1000 }));
const anySpan = fc.tuple(anyMoment, anyMoment).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const anyPart = fc.tuple(anySpan, fc.constantFrom(...LaneState.options)).map(([span, state]) => ({ ...span, state }));
const anyLine = fc.record({
  name: anyString(),
  runs: fc.array(fc.array(fc.tuple(anyMoment, anyValue), { minLength: 1, maxLength: 20 }), { maxLength: 4 }),
});

/** Any scene that the schema allows. */
export const anyScene: fc.Arbitrary<Scene> = anySpan.chain((span) =>
  fc.record(
    {
      title: anyString(),
      from: fc.constant(span.from),
      to: fc.constant(span.to),
      zone: fc.constantFrom("UTC", "Asia/Kolkata", "America/New_York", "Pacific/Auckland"),
      simulated: fc.constant(true as const),
      note: anyString(),
      unit: fc.constantFrom("duration" as const, "number" as const),
      lanes: fc.array(fc.record({ name: anyString(), parts: fc.array(anyPart, { maxLength: 20 }) }), { maxLength: 6 }),
      lines: fc.array(anyLine, { maxLength: 3 }),
      thresholds: fc.array(fc.record({ name: anyString(), value: anyValue }), { maxLength: 4 }),
      bands: fc.array(
        fc
          .tuple(anySpan, anyString(), fc.boolean())
          .map(([one, name, strong]) => ({ ...one, name, ...(strong ? { strong: true as const } : {}) })),
        { maxLength: 4 },
      ),
      marks: fc.array(fc.record({ at: anyMoment, name: anyString() }), { maxLength: 3 }),
    },
    { requiredKeys: ["title", "from", "to", "zone", "unit", "lanes", "lines", "thresholds", "bands", "marks"] },
  ),
);

const anyBlockAboveTheFold: fc.Arbitrary<Block> = fc.oneof(
  { weight: 3, arbitrary: anyText.map((text): Block => ({ kind: "paragraph", text })) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        kind: fc.constant("fields" as const),
        title: anyText,
        fields: fc.oneof(
          {
            weight: 5,
            arbitrary: fc.array(
              fc.oneof(
                fc.record(
                  { name: anyText, value: anyText, wide: fc.constant(true as const) },
                  { requiredKeys: ["name", "value"] },
                ),
                fc.tuple(anyString(), anyString()).map(([name, value]) => field(name, value)),
              ),
              { maxLength: 8 },
            ),
          },
          {
            weight: 1,
            arbitrary: fc
              .tuple(anyString(), anyString(), fc.integer({ min: 20, max: 80 }))
              .map(([name, value, count]) => Array.from({ length: count }, () => field(name, value))),
          },
        ),
      },
      { requiredKeys: ["kind", "fields"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { kind: fc.constant("list" as const), title: anyText, items: fc.array(anyText, { maxLength: 40 }) },
      { requiredKeys: ["kind", "items"] },
    ),
  },
  { weight: 2, arbitrary: anyTable },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("chart" as const), scene: anyScene, alt: anyString() }),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        kind: fc.constant("code" as const),
        text: anyString(400),
        language: fc.constantFrom("json", "", "```"),
        command: fc.constant(true as const),
      },
      { requiredKeys: ["kind", "text"] },
    ),
  },
);

export const anyBlock: fc.Arbitrary<Block> = fc
  .tuple(anyBlockAboveTheFold, fc.nat({ max: 3 }))
  .chain(([block, place]) =>
    place > 0
      ? fc.constant<Block>(block)
      : fc
          .constantFrom({}, {}, { page: "Prices" }, { page: "Bounds" })
          .map((page): Block => ({ ...block, detail: true, ...page })),
  );

const anyPick = fc.record({ label: anyString(), invocation: anyInvocation });

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record(
    {
      label: anyString(),
      invocation: anyInvocation,
      effect: fc.constantFrom("replace" as const, "reply" as const),
      confirm: anyString(),
      invalidates: anyInvalidates,
    },
    { requiredKeys: ["label", "invocation", "effect"] },
  ),
  fc.record({ label: anyString(), url }),
  fc.record({
    label: anyString(),
    choices: fc.oneof(
      { weight: 5, arbitrary: fc.array(anyPick, { minLength: 1, maxLength: 12 }) },
      // Beyond what a select of Discord (25) and of Slack (100) takes.
      {
        weight: 1,
        arbitrary: fc
          .tuple(anyPick, fc.integer({ min: 24, max: 104 }))
          .map(([pick, count]) =>
            Array.from({ length: count }, (_, at) => ({ ...pick, label: `${at} ${pick.label}` })),
          ),
      },
    ),
    effect: fc.constantFrom("replace" as const, "reply" as const),
  }),
);

export const anyAttachment: fc.Arbitrary<Attachment> = fc
  .tuple(
    anyString(),
    anyString(100),
    fc.option(anyString(), { nil: undefined }),
    fc.constantFrom("text/csv", "image/png"),
  )
  .map(([name, content, alt, mediaType]) =>
    memoryAttachment(name, mediaType, content, alt === undefined ? {} : { alt }),
  );

/** Any reply that the types allow: nothing here promises sense, only shape. */
export const anyReply: fc.Arbitrary<Reply> = fc.record(
  {
    tone: fc.constantFrom<Tone>("neutral", "good", "warning", "bad"),
    title: anyText,
    url,
    blocks: fc.oneof(
      { weight: 6, arbitrary: fc.array(anyBlock, { maxLength: 6 }) },
      { weight: 1, arbitrary: fc.array(anyBlock, { minLength: 12, maxLength: 60 }) },
    ),
    footer: anyText,
    picture: anyAttachment,
    attachments: fc.array(anyAttachment, { maxLength: 14 }),
    actions: fc.array(anyAction, { maxLength: 30 }),
    failure: fc.constantFrom("caller" as const, "network" as const, "bug" as const),
  },
  { requiredKeys: ["tone", "title", "blocks", "attachments", "actions"] },
);
