import {
  type APIActionRowComponent,
  type APIComponentInContainer,
  type APIStringSelectComponent,
  ComponentType,
  SeparatorSpacingSize,
} from "discord-api-types/v10";

import type { Block, Table } from "../../../reply/block.ts";
import { oneLine, plainText } from "../../../reply/plain-text.ts";
import type { Reply } from "../../../reply/reply.ts";
import { actionLines } from "../../chat/bounds.ts";
import { EMBED_URL_LENGTH, MAX_SELECT_OPTIONS } from "../limits.ts";
import { actionButton, actionLine, type MessageContext, type PressIds, selectRow } from "./buttons.ts";
import { type BlockMarkup, fitBlocks, joinBlocks } from "./blocks.ts";
import { flatText, isWebAddress, linkLabel, linkTarget, type Markup, renderText } from "./markdown.ts";

interface BodyOptions {
  /** Characters of all its texts. */
  readonly length: number;
  /** Components left for the rows of tables. */
  readonly room: number;
  readonly wholeIds: boolean;
  /** Actions without a button, as lines. */
  readonly left: readonly string[];
  /** Whether something beside the body was cut, too. */
  readonly cut: boolean;
  heldOf(index: number): string | undefined;
  /** The places of tables of which a file has what they say below the fold. */
  readonly holdsFold?: ReadonlySet<number>;
  /** Says where to find the omitted words. */
  shortened(): string;
}

const TITLE_LENGTH = 300;
/** With title, lines of actions and what says that it is shortened below the limit of a folded answer. */
const FOOTER_LENGTH = 300;
/** Reserved for the line that says what was shortened, and for line ends. */
const SHORTENED_LENGTH = 120;
/** Before a line in small letters. */
const SMALL = "-# ";
/** More rows than these have one select below them instead of a button each. */
const MAX_ROW_BUTTONS = 5;
const MAX_ROW_SELECTS = 3;

/**
 * Renders the texts of a reply within its space, in the order of reading, and the buttons and selects that belong to rows
 * of tables. `csv` are the places of tables with rows, columns or ids that only their CSV has.
 */
export function renderBody(reply: Reply, context: MessageContext, presses: PressIds, options: BodyOptions) {
  const { wholeIds } = options;
  const title = headline(reply, wholeIds);
  const footer = renderText(reply.footer ?? [], { max: FOOTER_LENGTH, wholeIds });
  const rowActions = planRowActions(reply.blocks, options.room, context.mention);
  const room = options.length - title.markdown.length - SMALL.length - footer.markdown.length - SHORTENED_LENGTH;
  const left = actionLines([...options.left, ...rowActions.left], "-# ", "-# ", room);
  const blocks = fitBlocks(reply.blocks, room - left.text.length, {
    heldOf: (index) => options.heldOf(index),
    holdsFold: (index) => options.holdsFold?.has(index) === true,
    onId: () => {},
    wholeIds,
    mention: context.mention,
    // The message after Details may be long; an alert may not.
    records: wholeIds && context.keeps === true,
    apart: (table) => rowActions.apart.has(table),
  });
  const whole = !options.cut && title.whole && footer.whole && left.whole && blocks.every((one) => one.whole);
  const parts = new Parts();
  const firstDetail = reply.blocks.findIndex((block) => "detail" in block);
  if (title.markdown !== "") parts.alone(title.markdown);
  for (const [index, block] of reply.blocks.entries()) {
    const markup = blocks[index] ?? { markdown: "", whole: true };
    if (index === firstDetail) parts.separate();
    if (block.kind === "table" && rowActions.apart.has(block)) addSections(parts, block, markup, context, presses);
    else parts.add(markup.markdown);
    if (block.kind !== "table") continue;
    for (const row of rowSelects(block, rowActions.selects.get(block) ?? 0, context, presses)) parts.component(row);
  }
  parts.add(left.text);
  if (!whole) parts.add(`-# ${options.shortened()}`);
  const csv = new Set(blocks.flatMap((markup, index) => (markup.csv === true ? [index] : [])));
  const small = footer.markdown.trim();
  return { components: parts.finish(), footer: small === "" ? "" : `${SMALL}${small}`, csv };
}

function headline(reply: Reply, wholeIds: boolean): Markup {
  const { markdown, whole } = renderText(reply.title, { max: TITLE_LENGTH, wholeIds, seconds: true });
  const shown = markdown.trim();
  if (shown === "" || reply.url === undefined || !isWebAddress(reply.url, EMBED_URL_LENGTH)) {
    return { markdown: shown === "" ? "" : `### ${shown}`, whole };
  }
  const label = linkLabel(wholeIds ? oneLine(plainText(reply.title)).trim() : flatText(reply.title));
  const target = linkTarget(reply.url);
  if (label.length + target.length > 2 * TITLE_LENGTH) return { markdown: `### ${shown}`, whole: false };
  return { markdown: `### [${label}](${target})`, whole };
}

/** How the rows of each table can be chosen, by the components left. */
function planRowActions(blocks: readonly Block[], given: number, mention: MessageContext["mention"]) {
  /** Tables with a button beside each row. */
  const apart = new Set<Table>();
  /** Tables with selects below, and how many. */
  const selects = new Map<Table, number>();
  /** A line for each table that has room for neither, or not for all of its rows. */
  const left: string[] = [];
  let room = given;
  for (const block of blocks) {
    if (block.kind !== "table" || block.rowAction === undefined) continue;
    const { label, invocations, effect } = block.rowAction;
    const [first] = invocations;
    if (first === undefined) continue;
    // A section has a text and a button; one text stands above and one below them.
    const { length } = block.rows;
    const sections = 3 * length + 2;
    if (length > 0 && length <= Math.min(MAX_ROW_BUTTONS, invocations.length) && sections <= room) {
      apart.add(block);
      room -= sections;
      continue;
    }
    // A select and its row, and the text that follows them.
    const needed = Math.ceil(invocations.length / MAX_SELECT_OPTIONS);
    const count = Math.min(needed, MAX_ROW_SELECTS, Math.floor((room - 1) / 2));
    if (count < 1) {
      left.push(actionLine({ label, invocation: first, effect }, mention));
      continue;
    }
    selects.set(block, count);
    room -= 2 * count + 1;
    const others = invocations.length - count * MAX_SELECT_OPTIONS;
    if (others > 0) {
      const invocation = { command: first.command, options: {} };
      left.push(actionLine({ label: `${label} one of the other ${others}`, invocation, effect }, mention));
    }
  }
  return { apart, selects, left };
}

/** A table as one section a row, with its button. */
function addSections(
  parts: Parts,
  table: Table,
  { rows, markdown }: BlockMarkup,
  context: MessageContext,
  presses: PressIds,
): void {
  const { rowAction } = table;
  if (rows === undefined || rows.lines.length === 0 || rowAction === undefined) return parts.add(markdown);
  parts.add(rows.above);
  const { label, invocations, labels: _, ...how } = rowAction;
  for (const [index, line] of rows.lines.entries()) {
    const invocation = invocations[index];
    if (invocation === undefined) continue;
    parts.component({
      type: ComponentType.Section,
      components: [{ type: ComponentType.TextDisplay, content: line }],
      accessory: actionButton({ label, invocation, ...how }, context, presses).button,
    });
  }
  parts.add(rows.below);
}

/** The rows of a table to choose from, in as many selects as they need, each with its place among them. */
function rowSelects(
  { rowAction, rows }: Table,
  count: number,
  context: MessageContext,
  presses: PressIds,
): APIActionRowComponent<APIStringSelectComponent>[] {
  const { label, invocations, labels, ...how } = rowAction ?? { label: "", invocations: [], effect: "reply" };
  const choices = invocations.map((invocation, index) => ({
    label: labels?.[index] ?? flatText(rows[index]?.[0] ?? []),
    invocation,
  }));
  return Array.from({ length: count }, (_, index) => {
    const from = index * MAX_SELECT_OPTIONS;
    const some = choices.slice(from, from + MAX_SELECT_OPTIONS);
    const place =
      choices.length > MAX_SELECT_OPTIONS ? `, ${from + 1} to ${from + some.length} of ${choices.length}` : "";
    return selectRow({ label: `${label} one${place}`, choices: some, ...how }, context, presses).row;
  });
}

/** Components in order, with neighbouring texts joined. */
class Parts {
  readonly #components: APIComponentInContainer[] = [];
  #texts: string[] = [];

  add(markdown: string): void {
    this.#texts.push(markdown);
  }

  /** A text of its own. */
  alone(markdown: string): void {
    this.#flush();
    this.#texts.push(markdown);
    this.#flush();
  }

  component(component: APIComponentInContainer): void {
    this.#flush();
    this.#components.push(component);
  }

  /** A line between the components before it and those after it. */
  separate(): void {
    this.#flush();
    const last = this.#components.at(-1);
    if (last === undefined || last.type === ComponentType.Separator) return;
    this.#components.push({ type: ComponentType.Separator, divider: true, spacing: SeparatorSpacingSize.Small });
  }

  finish(): readonly APIComponentInContainer[] {
    this.#flush();
    return this.#components.at(-1)?.type === ComponentType.Separator ? this.#components.slice(0, -1) : this.#components;
  }

  #flush(): void {
    const content = joinBlocks(this.#texts);
    this.#texts = [];
    if (content.trim() !== "") this.#components.push({ type: ComponentType.TextDisplay, content });
  }
}
