import { span, type Span } from "./span.ts";
import { measure, wrap, type Line } from "./wrap.ts";
import { widthOf } from "./cell-width.ts";

export interface ShownField {
  readonly name: readonly Span[];
  readonly value: readonly Span[];
}

/** Below this, a value stands beneath its name. */
const SIDE_BY_SIDE = 30;
const GAP = 2;
const NESTED = 2;

/** Fields with their values aligned; a value to be copied whole that does not fit beside its name stands beneath it. */
export function renderFields(fields: readonly ShownField[], width: number): Line[] {
  const widest = Math.max(0, ...fields.map((field) => measure(field.name).natural));
  const nameWidth = Math.min(widest, Math.max(8, Math.floor(width / 3)));
  const valueWidth = width - nameWidth - GAP;
  return fields.flatMap((field) => {
    const name = field.name.map((one): Span => (one.look === "plain" ? { ...one, look: "dim" } : one));
    const value = field.value.length === 0 ? [span("–")] : field.value;
    const { natural, word } = measure(name);
    if (natural === 0) return wrap(value, width);
    const runsOver = (one: Span): boolean => one.whole === true && widthOf(one.text) > valueWidth;
    if (width < SIDE_BY_SIDE || word > nameWidth || name.some(runsOver) || value.some(runsOver)) {
      return [...wrap(name, width), ...indent(wrap(value, width - NESTED), NESTED)];
    }
    const names = wrap(name, nameWidth);
    const values = wrap(value, valueWidth);
    return Array.from({ length: Math.max(names.length, values.length) }, (_, at) =>
      beside(names[at], values[at], nameWidth + GAP),
    );
  });
}

/** Moves lines to the right; empty ones stay empty. */
export function indent(lines: readonly Line[], by: number): Line[] {
  return lines.map((line) =>
    line.width === 0 ? line : { spans: [span(" ".repeat(by)), ...line.spans], width: line.width + by },
  );
}

function beside(name: Line | undefined, value: Line | undefined, start: number): Line {
  const left = name ?? { spans: [], width: 0 };
  if (value === undefined || value.width === 0) return left;
  return {
    spans: [...left.spans, span(" ".repeat(Math.max(0, start - left.width))), ...value.spans],
    width: Math.max(start, left.width) + value.width,
  };
}
