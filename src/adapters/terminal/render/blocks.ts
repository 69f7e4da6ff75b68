import type { Block } from "../../../reply/block.ts";
import type { Text } from "../../../reply/text.ts";
import { indent, renderFields } from "./fields.ts";
import { blank, span, type SpanOptions, toSpans, wholeSpan } from "./span.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";
import { type Line, wrap } from "./wrap.ts";

/** Prose wider than this is hard to read. */
const WIDEST_PROSE = 100;
const NESTED = 2;

export interface BlockOptions extends SpanOptions {
  readonly width: number;
  /** How to get omitted content: "--json or --out DIR". */
  readonly omittedHint: string;
}

/** One block as lines; none for an empty one. */
export function renderBlock(block: Block, options: BlockOptions): Line[] {
  const { width } = options;
  const prose = Math.min(width, WIDEST_PROSE);
  switch (block.kind) {
    case "paragraph":
      return block.text.length === 0 ? [] : wrap(toSpans(block.text, options, "keep"), prose);
    case "fields": {
      const fields = block.fields.map((field) => ({
        name: toSpans(field.name, options, "show", "dim"),
        value: toSpans(field.value, options, "keep"),
      }));
      return titled(block.title, options, (inner) =>
        fields.length === 0 ? none(block.title) : renderFields(fields, Math.min(inner, WIDEST_PROSE)),
      );
    }
    case "list":
      return titled(block.title, options, (inner) =>
        block.items.length === 0
          ? none([])
          : block.items.flatMap((item) =>
              bullet(wrap(toSpans(item, options, "keep"), Math.min(inner, WIDEST_PROSE) - NESTED)),
            ),
      );
    case "table":
      return titled(block.title, options, (inner) => renderTable(block, inner, options, options.omittedHint));
    case "code":
      return codeLines(block.text, width);
  }
}

function titled(title: Text | undefined, options: BlockOptions, content: (width: number) => Line[]): Line[] {
  if (title === undefined || title.length === 0) return content(options.width);
  const heading = toSpans(title, options, "show", "strong");
  return [...wrap(heading, options.width), ...indent(content(options.width - NESTED), NESTED)];
}

function none(title: Text | undefined): Line[] {
  return title === undefined ? [] : [{ spans: [span("None.", "dim")], width: 5 }];
}

function bullet(lines: readonly Line[]): Line[] {
  return lines.map((line, at) =>
    at === 0
      ? { spans: [span("• "), ...line.spans], width: line.width + 2 }
      : line.width === 0
        ? line
        : { spans: [blank(2), ...line.spans], width: line.width + 2 },
  );
}

/** Code unchanged, for copying: long lines are left to the terminal to wrap. */
function codeLines(text: string, width: number): Line[] {
  const by = width >= 40 ? NESTED : 0;
  return indent(
    visibleText(text.replace(/\n+$/u, ""), "keep")
      .split("\n")
      .flatMap((line) => wrap(line === "" ? [] : [wholeSpan(line, "code")], width - by)),
    by,
  );
}
