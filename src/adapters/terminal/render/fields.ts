import { blank, span, type Span } from "./span.ts";
import { joined, type Line, naturalWidth, wordWidth, wrap } from "./wrap.ts";

export interface ShownField {
  readonly name: readonly Span[];
  readonly value: readonly Span[];
}

/** Below this, a value stands beneath its name. */
const MIN_SIDE_BY_SIDE_WIDTH = 30;
const GAP = 2;
const NESTED = 2;

/** Fields with aligned values; an unbreakable value too wide for its column stands beneath its name. */
export function renderFields(fields: readonly ShownField[], width: number): Line[] {
  const naturals = fields.map((field) => naturalWidth(field.name));
  const nameWidth = Math.min(Math.max(0, ...naturals), Math.max(8, Math.floor(width / 3)));
  const valueWidth = width - nameWidth - GAP;
  return fields.flatMap((field, at): Line[] => {
    const { name } = field;
    const value = field.value.length === 0 ? [span("–")] : field.value;
    const natural = naturals[at] ?? 0;
    const runsOver = (one: Span): boolean => one.whole && one.width > valueWidth;
    if (natural === 0) return wrap(value, width);
    if (
      width < MIN_SIDE_BY_SIDE_WIDTH ||
      (natural > nameWidth && wordWidth(name) > nameWidth) ||
      name.some(runsOver) ||
      value.some(runsOver)
    ) {
      return [...wrap(name, width), ...indent(wrap(value, width - NESTED), NESTED)];
    }
    const names = wrap(name, nameWidth);
    const values = wrap(value, valueWidth);
    const lines: Line[] = [];
    for (let row = 0; row < names.length || row < values.length; row += 1) {
      lines.push(beside(names[row], values[row], nameWidth + GAP));
    }
    return lines;
  });
}

/** Moves lines to the right; empty ones stay empty. */
export function indent(lines: readonly Line[], by: number): Line[] {
  const gap = [blank(by)];
  return lines.map((line) => (line.width === 0 ? line : { spans: joined(gap, line.spans), width: line.width + by }));
}

function beside(name: Line | undefined, value: Line | undefined, start: number): Line {
  const left = name ?? { spans: [], width: 0 };
  if (value === undefined || value.width === 0) return left;
  const gap = start > left.width ? start - left.width : 0;
  const spans = [...left.spans, blank(gap)];
  for (const one of value.spans) spans.push(one);
  return { spans, width: left.width + gap + value.width };
}
