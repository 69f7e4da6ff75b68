// Renders a Reply as text for a terminal. Read next: table.ts (tables and fields as lines), actions.ts (what may be typed
// next), span.ts (styled text, ANSI codes), wrap.ts (line breaks), visible-text.ts (escaping, widths).

import type { Attachment, Reply, Tone } from "../../../reply/reply.ts";
import type { Block } from "../../../reply/block.ts";
import { aboveFold, isFolded, shortText } from "../../../reply/fold.ts";
import { code, shortenId, type Text } from "../../../reply/text.ts";
import { decimal, formatDecimal } from "../../../units/decimal.ts";
import { formatBytes } from "../../../units/format-number.ts";
import type { Nanoseconds } from "../../../units/time.ts";
import { visibleText, widthOf } from "./visible-text.ts";
import { actionLines, type InShell, typedSpan } from "./actions.ts";
import { blank, dataSpan, linkSpans, span, type Span, type SpanOptions, toAnsi, toSpans, wholeSpan } from "./span.ts";
import { chartLines } from "./chart.ts";
import { hang, indent, renderFields, renderTable } from "./table.ts";
import { type Line, wrap } from "./wrap.ts";

export interface RenderOptions {
  /** Columns of the terminal, at least 20. */
  readonly width: number;
  readonly colour: boolean;
  /** Whether links become hyperlinks of the terminal (OSC 8); else addresses are written out. */
  readonly links: boolean;
  /** The time that ages are relative to. */
  readonly now: Nanoseconds;
  /** The path a file was written to; undefined for one that was not. */
  readonly writtenTo?: (file: Attachment) => string | undefined;
  /** Show what stands above the fold, and how to see the rest; else the whole. */
  readonly fold?: { readonly hint: string };
  /** How to get omitted content; default "--json or --out DIR". */
  readonly omittedHint?: string;
  /** How to get the files; default "--out DIR writes them." */
  readonly filesHint?: string;
  /** So many buttons have a number already; left out = none. */
  readonly before?: number;
  /** The network that a line need not name. */
  readonly usual?: string | undefined;
  /** So many of a choice are shown at the prompt; left out = the first ones. */
  readonly most?: number;
  /** Where no number presses a button: a command line as the shell takes it. */
  readonly inShell?: (line: string) => string;
}

/** The least width: below it, no number fits a line. */
const NARROWEST = 20;

const SYMBOLS: Record<Tone, Span> = {
  neutral: span("•", "neutral"),
  good: span("✓", "good"),
  warning: span("!", "warning"),
  bad: span("✗", "bad"),
};

/** Prose wider than this is hard to read. */
const WIDEST_PROSE = 100;
const NESTED = 2;
const BULLET = span("• ");

interface BlockOptions extends SpanOptions {
  readonly width: number;
  /** How to get omitted content: "--json or --out DIR". */
  readonly omittedHint: string;
  readonly inShell: InShell;
}

/**
 * A reply as text for a terminal, ending in a line break. Pure and total. No line is wider than the terminal, but for an
 * id, address or command line that is itself wider: a break would be copied with it.
 */
export function renderTerminal(reply: Reply, options: RenderOptions): string {
  const width = Number.isFinite(options.width) ? Math.max(NARROWEST, Math.trunc(options.width)) : 80;
  const omittedHint = options.omittedHint ?? "--json or --out DIR";
  const shown = options.fold === undefined ? reply : aboveFold(reply);
  const { zone, footer } = shown;
  const { now, links, inShell } = options;
  const shared = { now, links, zone, width, omittedHint, inShell };
  const sections = [titleLines(shown, shared)];
  for (const block of shown.blocks) sections.push(renderBlock(block, shared));
  if (options.fold !== undefined && isFolded(reply)) sections.push(wrap([span(options.fold.hint, "dim")], width));
  sections.push(
    fileLines(reply, shown.blocks, width, options),
    actionLines(reply.actions, width, {
      ...options,
      lines: shown.blocks.filter((block) => block.kind === "code" && block.command === true).length,
      isAsked: reply.asks === true || reply.failure !== undefined,
    }),
    footer === undefined ? [] : wrap(toSpans(footer, shared, "keep", "dim"), width),
  );
  let rendered = "";
  for (const lines of sections) {
    if (lines.length > 0 && rendered !== "") rendered += "\n";
    for (const line of lines) rendered += `${toAnsi(line.spans, options)}\n`;
  }
  return rendered;
}

function titleLines(reply: Reply, options: BlockOptions): Line[] {
  const { width } = options;
  const title = toSpans(shortText(reply.title), options, "show", reply.tone);
  const lines = hang([SYMBOLS[reply.tone], blank(1)], wrap(title, width - 2));
  if (reply.url === undefined) return lines;
  return [...lines, ...indent(wrap(linkSpans("", reply.url, options.links), width - 2), 2)];
}

/** `shown`: the blocks that are read beside them. */
function fileLines(reply: Reply, shown: readonly Block[], width: number, options: RenderOptions): Line[] {
  const files = reply.picture === undefined ? reply.attachments : [reply.picture, ...reply.attachments];
  if (files.length === 0) return [];
  const inner = width - 2;
  const lines = files.flatMap((file): Line[] => {
    const written = options.writtenTo?.(file);
    const isDescribed = names(shown, file.sha256);
    const exact =
      options.fold === undefined && file.sizeBytes >= 1000
        ? ` (${formatDecimal(decimal(BigInt(Math.trunc(file.sizeBytes))))} bytes)`
        : "";
    const size = isDescribed ? "" : `${formatBytes(file.sizeBytes)}${exact}, `;
    const picture = file === reply.picture ? "picture, " : "";
    return [
      ...wrap(
        [wholeSpan(visibleText(file.name), "strong"), span(`  ${size}${picture}${visibleText(file.mediaType)}`)],
        inner,
      ),
      ...(file.alt === undefined ? [] : indent(wrap([dataSpan(file.alt)], inner - 2), 2)),
      ...(isDescribed
        ? []
        : indent(wrap([span("SHA-256 ", "dim"), wholeSpan(hashOf(file, inner - 10, options), "code")], inner - 2), 2)),
      ...(written === undefined
        ? []
        : indent(wrap([span("written to "), wholeSpan(visibleText(written), "code")], inner - 2), 2)),
    ];
  });
  const hint = files.every((file) => options.writtenTo?.(file) !== undefined)
    ? []
    : wrap([span(options.filesHint ?? "--out DIR writes them.", "dim")], inner);
  return [{ spans: [span("Files", "strong")], width: 5 }, ...indent([...lines, ...hint], 2)];
}

/** Above the fold by its ends, where the line has no room for it. */
function hashOf({ sha256 }: Attachment, room: number, { fold }: RenderOptions): string {
  const whole = visibleText(sha256);
  return fold === undefined || widthOf(whole) <= room ? whole : shortenId(whole);
}

/** Whether the reply has this hash among its fields, and so describes the file itself. */
function names(blocks: readonly Block[], sha256: string): boolean {
  return blocks.some(
    (block) =>
      block.kind === "fields" &&
      block.fields.some(({ value }) => value.some((part) => part.kind === "code" && part.text === sha256)),
  );
}

/** Words with each command as the shell takes it, but for an entry of a list: `market list · All markets`. */
function typedWords(content: Text, { inShell }: BlockOptions): Text {
  if (inShell === undefined) return content;
  return content.map((inline, at) => {
    const next = content[at + 1];
    const isEntry = next?.kind === "text" && next.text.startsWith(" · ");
    const isTyped = inline.kind === "code" && inline.command === true && !isEntry;
    return isTyped ? code(inShell(inline.text)) : inline;
  });
}

/** One block as lines; none for an empty one. */
function renderBlock(block: Block, options: BlockOptions): Line[] {
  const { width } = options;
  const prose = Math.min(width, WIDEST_PROSE);
  switch (block.kind) {
    case "paragraph":
      return block.text.length === 0 ? [] : wrap(toSpans(typedWords(block.text, options), options, "keep"), prose);
    case "fields": {
      const fields = block.fields.map((field) => ({
        name: toSpans(field.name, options, "show", "dim"),
        value: toSpans(typedWords(field.value, options), options, "keep"),
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
              hang(
                [BULLET],
                wrap(toSpans(typedWords(item, options), options, "keep"), Math.min(inner, WIDEST_PROSE) - NESTED),
              ),
            ),
      );
    case "table":
      return titled(block.title, options, (inner) => renderTable(block, inner, options, options.omittedHint));
    case "code":
      return block.command === true
        ? indent(wrap([typedSpan(block.text, width - NESTED, options.inShell)], width - NESTED), NESTED)
        : codeLines(block.text, width);
    case "chart":
      return chartLines(block, width);
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
