// Renders a Reply as text for a terminal. Read next: fields.ts, table.ts (blocks as lines),
// span.ts (styled text, ANSI codes), wrap.ts (line breaks), visible-text.ts (escaping), cell-width.ts.

import { formatLine } from "../../../bot/grammar/grammar.ts";
import type { Attachment } from "../../../reply/attachment.ts";
import type { Block } from "../../../reply/block.ts";
import { aboveFold, asButtons, type ButtonAction, isFolded, shortText } from "../../../reply/fold.ts";
import type { Action, Ask, Reply, Tone } from "../../../reply/reply.ts";
import { code, shortenId, type Text } from "../../../reply/text.ts";
import { decimal, formatDecimal } from "../../../units/decimal.ts";
import { formatBytes } from "../../../units/format-number.ts";
import type { Nanoseconds } from "../../../units/nanoseconds.ts";
import { widthOf } from "./cell-width.ts";
import { indent, renderFields } from "./fields.ts";
import {
  asTyped,
  readersZone,
  blank,
  dataSpan,
  linkSpans,
  span,
  type Span,
  type SpanOptions,
  toAnsi,
  toSpans,
  wholeSpan,
} from "./span.ts";
import { ASK } from "../shell-line.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";
import { joined, type Line, totalWidth, wrap } from "./wrap.ts";

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
  readonly inShell: RenderOptions["inShell"];
}

/**
 * A reply as text for a terminal, ending in a line break. Pure and total. No line is wider than the terminal, but for an
 * id, address or command line that is itself wider: a break would be copied with it.
 */
export function renderTerminal(reply: Reply, options: RenderOptions): string {
  const width = Number.isFinite(options.width) ? Math.max(NARROWEST, Math.trunc(options.width)) : 80;
  const omittedHint = options.omittedHint ?? "--json or --out DIR";
  const shown = options.fold === undefined ? reply : aboveFold(reply);
  const { zone, named, footer } = readersZone(shown);
  const { now, links, inShell } = options;
  const shared = { now, links, zone, named, width, omittedHint, inShell };
  const sections = [titleLines(shown, shared)];
  for (const block of shown.blocks) sections.push(renderBlock(block, shared));
  if (options.fold !== undefined && isFolded(reply)) sections.push(wrap([span(options.fold.hint, "dim")], width));
  sections.push(
    fileLines(reply, shown.blocks, width, options),
    actionLines(actionEntries(reply.actions, inShell === undefined ? MAX_PICKS : MAX_SHELL_PICKS), width, options),
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

/** More of one choice fill a screen, those for a shell sooner. The numbers of the others stay theirs; Tab offers them. */
const MAX_PICKS = 8;
const MAX_SHELL_PICKS = 5;

/** A button with the number that presses it, or how to see those of a choice that are not shown. */
type ActionEntry =
  | { readonly number: number; readonly action: ButtonAction }
  | { readonly more: number; readonly typed: string };

/** Where a choice is called like another button, each of its kind says what is chosen: `Help about: time`. */
function actionEntries(actions: readonly Action[], most: number): readonly ActionEntry[] {
  const all: ActionEntry[] = [];
  let before = 0;
  for (const action of actions) {
    if (!("choices" in action)) {
      all.push({ number: ++before, action });
      continue;
    }
    const buttons = asButtons([action]);
    const others = new Set(asButtons(actions.filter((one) => one !== action)).map(({ label }) => label));
    const isTaken = buttons.some(({ label }) => others.has(label));
    const entries = buttons.map((one) => ({
      number: ++before,
      action: isTaken ? { ...one, label: `${action.label}: ${one.label}` } : one,
    }));
    all.push(...entries.slice(0, most));
    if (entries.length <= most) continue;
    all.push({
      more: entries.length - most,
      typed: beginningOf(action.choices.map(({ invocation }) => invocation)),
    });
  }
  return all;
}

/** What the lines of a choice begin with: `stake party:`, where they differ in the party alone. */
function beginningOf(asks: readonly Ask[]): string {
  const [first, ...others] = asks;
  if (first === undefined) return "";
  const { command, options } = first;
  const differing = Object.keys(options).filter((name) => others.some((one) => one.options[name] !== options[name]));
  const [only] = differing;
  if (only === undefined || differing.length > 1) return command;
  const { [only]: _, ...same } = options;
  return `${formatLine({ command, options: same })} ${only}:`;
}

/**
 * The numbers, the labels and the lines of buttons are a column each; a line without room stands below its label. A shell
 * has no numbers.
 */
function actionLines(entries: readonly ActionEntry[], width: number, options: RenderOptions): Line[] {
  const { links, inShell } = options;
  const numberOf = (number: number): string => (inShell === undefined ? `[${number}] ` : "");
  const lead = entries.reduce((most, one) => ("more" in one ? most : Math.max(most, numberOf(one.number).length)), 0);
  const below = Math.max(lead, NESTED);
  const shown = entries.map((entry) =>
    "more" in entry
      ? entry
      : {
          number: span(numberOf(entry.number).padEnd(lead), "dim"),
          label: dataSpan(entry.action.label),
          target:
            "url" in entry.action
              ? linkSpans("", entry.action.url, links)
              : lineSpans(entry.action, width - below, inShell),
        },
  );
  const column = shown.reduce(
    (most, one) => ("label" in one && one.label.width <= width / 2 ? Math.max(most, one.label.width + 2) : most),
    0,
  );
  const lines: Line[] = [];
  for (const one of shown) {
    if ("more" in one) {
      lines.push(...moreLines(one, width, inShell !== undefined));
      continue;
    }
    const { number, label, target } = one;
    const needed = lead + column + totalWidth(target);
    if (label.width < column && needed <= width)
      lines.push({ spans: joined([number, label, blank(column - label.width)], target), width: needed });
    else {
      for (const line of hang([number], wrap([label], Math.max(8, width - lead)))) lines.push(line);
      for (const line of indent(wrap(target, width - below), below)) lines.push(line);
    }
  }
  return lines;
}

function moreLines(
  { more, typed }: { readonly more: number; readonly typed: string },
  width: number,
  isShell: boolean,
): Line[] {
  const by = isShell ? 0 : 4;
  const prompt = isShell ? [span("the prompt of "), wholeSpan(ASK, "code")] : [span("the prompt", "dim")];
  const line = dataSpan(typed, "code");
  return indent(
    wrap(
      [span(`${more} more: at `, "dim"), ...prompt, span(", type ", "dim"), line, span(" and press Tab.", "dim")],
      width - by,
    ),
    by,
  );
}

/** The command line of a button. Without room for it, its ids are shown by their ends, which may be typed, too. */
function lineSpans(
  action: Extract<ButtonAction, { invocation: unknown }>,
  room: number,
  inShell: RenderOptions["inShell"],
): Span[] {
  const { command, options } = action.invocation;
  const typed = Object.entries(options).map(([name, value]) => [
    name,
    typeof value === "string" ? asTyped(value) : value,
  ]);
  const line = typedSpan(formatLine({ command, options: Object.fromEntries(typed) }), room, inShell);
  // In a shell nothing asks first, and a form is a line that its typist completes.
  if (inShell !== undefined) return action.form === true ? [line, span(" (edit it first)", "dim")] : [line];
  return action.confirm === undefined ? [line] : [line, span(" (asks first)", "dim")];
}

/** A command line as it is typed here, with the ends of its ids where there is no room for more. */
function typedSpan(line: string, room: number, inShell: RenderOptions["inShell"]): Span {
  const whole = wholeSpan(visibleText(inShell?.(line) ?? line), "code");
  return whole.width <= room ? whole : wholeSpan(whole.text.replaceAll(LONG_ID, shortenId), "code");
}

const LONG_ID = /\b[0-9a-f]{64}\b/giu;

/** A hanging indent: the first line behind a lead, the others aligned with it. */
function hang(lead: readonly Span[], lines: readonly Line[]): Line[] {
  const by = totalWidth(lead);
  return lines.map((line, at) => {
    if (at > 0 && line.width === 0) return line;
    return { spans: joined(at === 0 ? lead : [blank(by)], line.spans), width: line.width + by };
  });
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
