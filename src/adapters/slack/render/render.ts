// A reply as one Slack message within Slack's limits; files carry the content that does not fit.
// Next: blocks.ts and table.ts (the blocks of a reply), mrkdwn.ts (inline text and escaping), buttons.ts (actions),
// press.ts (the value of a button), form.ts (a command's options as a modal), compose.ts (makes a message ready to send).

import type { KnownBlock } from "@slack/types";

import { withCommandPrefix } from "../../../reply/command-prefix.ts";
import { aboveFold, detailPages, unfolded, withDrawnClocks } from "../../../reply/fold.ts";
import { type MessageFile, nameFiles, type Reply } from "../../../reply/reply.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { hasRefreshAction } from "../../chat/button-plan.ts";
import { actionLines, beyondFold, filesOf, FOLDED_ROWS, placesAboveFold, shortenedNote } from "../../chat/bounds.ts";
import { type KeptPress, keptPress, type Press, type Show } from "../../chat/press.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { MAX_BLOCKS, MAX_TABLE_COLUMNS, MAX_TABLE_ROWS, MESSAGE_LENGTH, SECTION_LENGTH } from "../limits.ts";
import { ROOT_COMMAND } from "../platform.ts";
import {
  contextBlock as smallPrint,
  renderBlock,
  type RenderedBlocks,
  sectionBlock,
  seen,
  type TableForm,
  textsOf,
  UNCOUNTED_MEMBERS,
  UNSHOWN_MEMBERS,
} from "./blocks.ts";
import { renderButtons } from "./buttons.ts";
import { escapeMrkdwn, type Markup, renderText, textLength } from "./mrkdwn.ts";
import { notificationText } from "./notification.ts";
import { type MessageContext, placeholderKey } from "./press.ts";

/** A reply as one Slack message. `unstored` presses get their key once they are in the store. */
export interface SlackMessage {
  /** The essence, for notifications and readers that show no blocks. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** The message where its details cannot be kept, and the files with all that it does not say itself. */
  readonly unkept: () => Pick<SlackMessage, "blocks" | "files" | "filesLater" | "unstored">;
  /** The message where neither its details nor its files arrive: as much of the reply as fits. */
  readonly alone: () => Pick<SlackMessage, "blocks" | "unstored">;
  /** All files, those of the reply first; Slack uploads them beside the message. */
  readonly files: readonly MessageFile[];
  readonly unstored: ReadonlyMap<string, Press>;
  /**
   * The files are sent only when somebody presses "Send as file": not with each page of a long list, and not each time
   * an answer is refreshed.
   */
  readonly filesLater: boolean;
}

const FOOTER_LENGTH = 600;
/** Reserved for the title and the line that says what was left out. */
const RESERVED_LENGTH = 500;
/** Title, buttons, actions as text, note, footer, and the lines about files, buttons, asker and channel. */
const RESERVED_BLOCKS = 9;

/** What people read first, less the lines that are added: where its files are, who shares it. */
const FOLDED_LENGTH = 1000;
const FOLDED_TITLE_LENGTH = 400;
const FOLDED_FOOTER_LENGTH = 300;
const FOLDED_COLUMNS = 4;
/** Where more tables than these have no room, the message names one file with the whole reply, not a CSV for each. */
const MAX_TABLES_LEFT_OUT = 5;

/**
 * Any reply within every limit of Slack. An answer shows what people read first where that is not all of it; Details
 * shows the rest. Content that does not even fit there is counted, and attached as a file. Pure and total.
 */
export function renderSlack(given: Reply, context: MessageContext = {}): SlackMessage {
  const prefixed = withCommandPrefix(given, context.command ?? ROOT_COMMAND);
  const text = notificationText(prefixed, context.now);
  const reply = withDrawnClocks(prefixed);
  // An alert has no Details in its message: its card is what people read first.
  if (context.asker === undefined) {
    const { layouts, files, filesLater } = layOut(aboveFold(reply), context, undefined);
    const { block, unstored } = renderButtons(reply, context, { files: filesLater });
    const blocks = layouts.flatMap((layout) => blocksOf(layout, block));
    const sent = { blocks, files, filesLater, unstored: unstoredOf(layouts, unstored) };
    return { text, ...sent, unkept: () => sent, alone: () => sent };
  }
  const shown = unfolded(reply);
  const press = keptPress(shown, context);
  // A reply that is too long to keep has no Details.
  const kept = press.shown === undefined ? undefined : press;
  const { layouts, files, filesLater, pages } = layOut(shown, context, kept);
  const folded = layOutFolded(aboveFold(reply, FOLDED_ROWS), context);
  const [first] = layouts;
  const folds =
    layouts.length > 1 ||
    first === undefined ||
    JSON.stringify(blocksOf(folded, undefined)) !== JSON.stringify(blocksOf(first, undefined));
  const unkept = () => {
    const { layout, ...sent } = folds ? layOutUnkept(shown, context) : { layout: folded, files, filesLater };
    const { block, unstored } = renderButtons(shown, context, { files: sent.filesLater });
    return { blocks: blocksOf(layout, block), ...sent, unstored: unstoredOf([layout], unstored) };
  };
  const alone = () => {
    const onePage = { ...shown, blocks: shown.blocks.map(({ page: _page, ...block }) => block) };
    const { layouts: all } = layOut(onePage, context, undefined);
    const { block, unstored } = renderButtons(shown, context, { files: false });
    return { blocks: all.flatMap((layout) => blocksOf(layout, block)), unstored: unstoredOf(all, unstored) };
  };
  if (kept === undefined) return { text, ...unkept(), unkept, alone };
  const { show = "folded" } = context;
  const layout = !folds || show === "folded" ? folded : (layouts[show === "whole" ? 0 : show] ?? folded);
  const buttons = renderButtons(shown, context, { files: filesLater, kept, fold: folds ? show : undefined, pages });
  const blocks = blocksOf(layout, buttons.block);
  return { text, blocks, unkept, alone, files, unstored: unstoredOf([layout], buttons.unstored), filesLater };
}

function unstoredOf(layouts: readonly Layout[], buttons: ReadonlyMap<string, Press>): ReadonlyMap<string, Press> {
  const rows = layouts.flatMap(({ body }) =>
    body.flatMap(({ unstored }) => (unstored === undefined ? [] : [unstored])),
  );
  return new Map([...rows, ...buttons]);
}

/** The parts of a message, without its buttons. */
interface Layout {
  readonly title: { readonly block: KnownBlock; readonly length: number; readonly whole: boolean };
  readonly body: readonly RenderedBlocks[];
  /** Actions that are no buttons. */
  readonly left: string;
  readonly note: string;
  readonly footer: Markup;
}

function blocksOf({ title, body, left, note, footer }: Layout, buttons: KnownBlock | undefined): KnownBlock[] {
  return [
    title.block,
    ...body.flatMap((part) => part.blocks),
    ...(left === "" ? [] : [sectionBlock(left)]),
    ...(note === "" ? [] : [smallPrint(note)]),
    ...(buttons === undefined ? [] : [buttons]),
    ...(footer.mrkdwn.trim() === "" ? [] : [smallPrint(footer.mrkdwn)]),
  ];
}

interface Laid extends Pick<SlackMessage, "files" | "filesLater"> {
  /** One for each page. */
  readonly layouts: readonly Layout[];
  readonly pages: readonly string[];
}

/** All of a reply, as far as the message of each of its pages takes it, and its files. */
function layOut(reply: Reply, context: MessageContext, kept: KeptPress | undefined): Laid {
  // The length of a block leaves out some of what Slack counts, so the whole message is measured.
  for (let room = MESSAGE_LENGTH; ;) {
    const laid = layOutWithin(room, reply, context, kept);
    const folds = context.asker === undefined ? [undefined] : ([undefined, "folded", "whole"] as const);
    const lengths = folds.flatMap((fold) => {
      const { block } = renderButtons(reply, context, { files: laid.filesLater, kept, fold, pages: laid.pages });
      return laid.layouts.map((layout) => textsOf(blocksOf(layout, block), UNCOUNTED_MEMBERS).join("").length);
    });
    const excess = Math.max(...lengths) - MESSAGE_LENGTH;
    if (excess <= 0 || room <= 0) return laid;
    room -= excess;
  }
}

function layOutWithin(length: number, reply: Reply, context: MessageContext, kept: KeptPress | undefined): Laid {
  const names = nameFiles(reply);
  const { given, csvNames, held, add } = names;
  const title = renderTitle(reply, SECTION_LENGTH / 2);
  const later = sendsLater(reply, context, given.length);
  const found = detailPages(reply);
  const pages = found.flatMap(({ name }) => (name === undefined ? [] : [name]));
  // Length for each button is reserved before it is known whether it is needed.
  const fold: Show | undefined = context.asker === undefined ? undefined : pages.length > 0 ? "whole" : "folded";
  const widest = renderButtons(reply, context, { files: later, kept, fold, pages });
  const footer = renderText(reply.footer ?? [], { max: FOOTER_LENGTH });
  const left = actionLines(widest.overflow, "• ");
  const fixed = RESERVED_LENGTH + title.length + textLength(widest.block) + footer.mrkdwn.length + left.text.length;
  const { asker, inView = false } = context;
  const form = { maxColumns: MAX_TABLE_COLUMNS, maxRows: MAX_TABLE_ROWS - 1, folded: false, inView, asker };
  // How people get files that are sent only when somebody asks for them.
  const way = later ? ` (${widest.sendsFiles})` : "";
  const heldBy = held.map((words) => (words === "" ? "" : `${words}${way}`));
  const bodies = found.map((page) => ({
    ...page,
    body: renderBody(
      page.reply,
      page.places.map((at) => heldBy[at] ?? ""),
      length - fixed,
      form,
    ),
  }));

  const csv = new Set(bodies.flatMap(({ body, places }) => places.filter((_, index) => body[index]?.csv === true)));
  const tooMany = bodies.some(({ body }) => body.filter(isLeftOut).length > MAX_TABLES_LEFT_OUT);
  const parts = bodies.flatMap(({ body }) => body);
  const wholeTexts = [title, widest, footer, left, ...parts].every((part) => part.whole);
  const wholeName = wholeTexts && !tooMany ? undefined : add("whole-reply.txt");
  const prefix = `${context.command ?? ROOT_COMMAND} `;
  const files = filesOf(reply, names, csv, { name: wholeName, prefix });
  const filesLater = later && files.length > 0;
  const { overflow } = renderButtons(reply, context, { files: filesLater, kept, fold, pages });
  const layouts = bodies.map(({ body, places }): Layout => {
    const leftOut = places.filter((_, index) => body[index] !== undefined && isLeftOut(body[index]));
    const notes = [
      ...(wholeName === undefined ? [] : [`${shortenedNote(body, wholeName)}${way}`]),
      ...(leftOut.length === 0 || tooMany
        ? []
        : [`not shown here: ${leftOut.map((at) => csvNames[at]).join(", ")}${way}`]),
    ];
    const note = escapeMrkdwn(notes.join("; "));
    return { title, body, left: actionLines(overflow, "• ").text, note, footer };
  });
  return { layouts, pages, files, filesLater };
}

/** Whether a table found no room at all. */
function isLeftOut({ blocks, csv }: RenderedBlocks): boolean {
  return csv === true && blocks.length === 0;
}

/** Whether files wait until somebody asks for them: a picture is the answer itself. */
function sendsLater(reply: Reply, { ask, replaces = false }: MessageContext, given: number): boolean {
  return reply.picture === undefined && ask !== undefined && (given === 0 || replaces || hasRefreshAction(reply, ask));
}

/** What people read first. What does not fit is below the fold. */
function layOutFolded(first: Reply, { asker, inView = false }: MessageContext, held?: readonly string[]): Layout {
  const title = renderTitle(first, FOLDED_TITLE_LENGTH);
  const footer = renderText(first.footer ?? [], { max: FOLDED_FOOTER_LENGTH });
  const form = { maxColumns: FOLDED_COLUMNS, maxRows: FOLDED_ROWS, folded: true, inView, asker };
  // The length of a block leaves out buttons and line breaks, so the whole message is measured.
  let room = FOLDED_LENGTH - title.length - footer.mrkdwn.length;
  for (;;) {
    const layout = { title, body: renderBody(first, held ?? [], room, form), left: "", note: "", footer };
    const texts = blocksOf(layout, undefined).filter(({ type }) => type !== "actions");
    const excess = seen(textsOf(texts, UNSHOWN_MEMBERS).join("\n")).length - FOLDED_LENGTH;
    if (excess <= 0 || room <= 0) return layout;
    room -= excess;
  }
}

/** What people read first of a reply that is not kept: its files have the rest. */
function layOutUnkept(reply: Reply, context: MessageContext): Pick<Laid, "files" | "filesLater"> & { layout: Layout } {
  const names = nameFiles(reply);
  const { given, held, add } = names;
  const later = sendsLater(reply, context, given.length);
  const { sendsFiles, overflow, whole } = renderButtons(reply, context, { files: later });
  const way = later ? ` (${sendsFiles})` : "";
  const places = placesAboveFold(reply);
  const above = aboveFold(reply, FOLDED_ROWS);
  const layout = layOutFolded(
    above,
    context,
    places.map((at) => `${held[at]}${way}`),
  );
  const { body, title, footer } = layout;
  const csv = new Set(places.filter((_, index) => body[index]?.csv === true));
  const beyond = beyondFold(reply, above, (id) => id);
  const isBeyond = beyond.words || beyond.csv.values().some((index) => body[index]?.csv !== true);
  const isCut =
    !whole || overflow.length > 0 || ![title, footer, ...body].every((part) => part.whole) || body.some(isLeftOut);
  const wholeName = isCut || isBeyond ? add("whole-reply.txt") : undefined;
  const prefix = `${context.command ?? ROOT_COMMAND} `;
  const files = filesOf(reply, names, csv, { name: wholeName, prefix });
  const note = wholeName === undefined ? "" : escapeMrkdwn(`${shortenedNote([], wholeName)}${way}`);
  return { layout: { ...layout, note }, files, filesLater: later && files.length > 0 };
}

/** A line in bold, whatever it holds: in a header, which is plain text, Slack draws no time, no code and no link. */
function renderTitle(reply: Reply, max: number): Layout["title"] {
  const linked = reply.url !== undefined && /^https?:\/\//iu.test(reply.url) && reply.url.length <= 1500;
  const content = linked
    ? renderText([{ kind: "link", text: plainText(reply.title), url: reply.url ?? "" }], {
        max: max * 2 - 10,
        bold: true,
      })
    : renderText(reply.title, { max, bold: true, seconds: true });
  const mrkdwn = `${TONE_SIGNS[reply.tone]}${content.mrkdwn.trim() === "" ? "–" : content.mrkdwn}`;
  return { block: sectionBlock(mrkdwn), length: mrkdwn.length, whole: content.whole };
}

/** Each block gets what it needs where all fit; otherwise tables shrink first, and the largest most. */
function renderBody(
  reply: Reply,
  held: readonly string[],
  room: number,
  form: Omit<TableForm, "asTable" | "held" | "key">,
): RenderedBlocks[] {
  const spare = MAX_BLOCKS - RESERVED_BLOCKS;
  const firstTable = reply.blocks.findIndex((block) => block.kind === "table" && block.rows.length > 0);
  const render = (index: number, length: number, blocks: number): RenderedBlocks => {
    const block = reply.blocks[index];
    if (block === undefined) return { blocks: [], length: 0, whole: true };
    const bounds = { length: Math.floor(length), blocks };
    const asTable = index === firstTable;
    return renderBlock(block, bounds, {
      ...form,
      asTable,
      held: held[index] ?? "",
      key: placeholderKey(`row${index}`),
    });
  };
  const order = reply.blocks.map((_block, index) => index);
  const measured = order.map((index) => render(index, room, spare));
  const needs = measured.map((part) => part.length);
  const blocksNeeded = measured.reduce((sum, part) => sum + part.blocks.length, 0);
  if (needs.reduce((sum, length) => sum + length, 0) <= room && blocksNeeded <= spare) return measured;
  // Text before tables, small blocks before large ones: the remaining length is shared equally.
  const ranked = order.toSorted((a, b) => {
    const tables = Number(reply.blocks[a]?.kind === "table") - Number(reply.blocks[b]?.kind === "table");
    return tables === 0 ? (needs[a] ?? 0) - (needs[b] ?? 0) : tables;
  });
  const tables = reply.blocks.filter((block) => block.kind === "table").length;
  const rendered: RenderedBlocks[] = measured.map(() => ({ blocks: [], length: 0, whole: false }));
  let free = room;
  let freeBlocks = spare;
  // Reserves one Slack block for each later part, as far as there are enough.
  for (const [place, index] of ranked.entries()) {
    const isTable = reply.blocks[index]?.kind === "table";
    // Reserves length for each table's first rows and its note about omitted rows.
    const kept = isTable ? 0 : Math.min(free / 2, tables * 400);
    const share = isTable ? free / (ranked.length - place) : free - kept;
    const later = ranked.length - place - 1;
    const part = render(index, Math.min(share, free), Math.max(Math.min(freeBlocks, 1), freeBlocks - later));
    rendered[index] = part;
    free -= part.length;
    freeBlocks -= part.blocks.length;
  }
  return rendered;
}
