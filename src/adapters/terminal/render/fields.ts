import { blank, span, type Span } from "./span.ts";
import { joined, type Line, naturalWidth, totalWidth, wordWidth, wrap } from "./wrap.ts";

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
  let widest = 0;
  for (const { name } of fields) widest = Math.max(widest, naturalWidth(name));
  const nameWidth = Math.min(widest, Math.max(8, Math.floor(width / 3)));
  const valueWidth = width - nameWidth - GAP;
  const runsOver = (one: Span): boolean => one.whole && one.width > valueWidth;
  const lines: Line[] = [];
  // A value may have more lines than a call takes arguments.
  const add = (more: readonly Line[]): void => {
    for (const line of more) lines.push(line);
  };
  // A loop takes a third of what flatMap takes.
  for (const field of fields) {
    const { name } = field;
    const value = field.value.length === 0 ? [span("–")] : field.value;
    const natural = naturalWidth(name);
    if (natural === 0) add(wrap(value, width));
    else if (
      width < MIN_SIDE_BY_SIDE_WIDTH ||
      (natural > nameWidth && wordWidth(name) > nameWidth) ||
      name.some(runsOver) ||
      value.some(runsOver)
    ) {
      add(wrap(name, width));
      add(indent(wrap(value, width - NESTED), NESTED));
    } else {
      const names = wrap(name, nameWidth);
      const values = wrap(value, valueWidth);
      for (let row = 0; row < names.length || row < values.length; row += 1) {
        lines.push(beside(names[row], values[row], nameWidth + GAP));
      }
    }
  }
  return lines;
}

/** Moves lines to the right; empty ones stay empty. */
export function indent(lines: readonly Line[], by: number): Line[] {
  const gap = [blank(by)];
  return lines.map((line) => (line.width === 0 ? line : { spans: joined(gap, line.spans), width: line.width + by }));
}

/** A hanging indent: the first line behind a lead, the others aligned with it. */
export function hang(lead: readonly Span[], lines: readonly Line[]): Line[] {
  const by = totalWidth(lead);
  return lines.map((line, at) => {
    if (at > 0 && line.width === 0) return line;
    return { spans: joined(at === 0 ? lead : [blank(by)], line.spans), width: line.width + by };
  });
}

function beside(name: Line | undefined, value: Line | undefined, start: number): Line {
  const left = name ?? { spans: [], width: 0 };
  if (value === undefined || value.width === 0) return left;
  const gap = start > left.width ? start - left.width : 0;
  const spans = [...left.spans, blank(gap)];
  for (const one of value.spans) spans.push(one);
  return { spans, width: left.width + gap + value.width };
}
