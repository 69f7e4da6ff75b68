// Paged lists: options, reading a page, buttons to the next and previous one, and a note where the network's history was
// reset. page-cursor.ts is the cursor on buttons, walk-to-block.ts finds the same position at another node.

import type { Answer, ApiClient, AsOf } from "../../api/api-client.ts";
import { ApiError, asApiError } from "../../api/api-error.ts";
import type { History } from "../../api/histories.ts";
import { checkPageRequest, type Page, type PageRequest } from "../../api/model/page.ts";
import type { Options, OptionValues } from "../../bot/options/options.ts";
import { UserError } from "../../errors.ts";
import { type Block, type CellColumn, paragraph, table } from "../../reply/block.ts";
import { type Action, type Ask, buttonsOrChoice, type Reply, type Tone } from "../../reply/reply.ts";
import { code, text, type Text } from "../../reply/text.ts";
import { compareIntegers } from "../../units/decimal.ts";
import { formatCount } from "../../units/format-number.ts";
import type { Nanoseconds } from "../../units/time.ts";
import { answer, type AnswerContext, askFor } from "../answer.ts";
import { cursorAt, type PageCursor, parseCursor } from "./page-cursor.ts";
import { walkToBlock } from "./walk-to-block.ts";

/** Default rows of a page: about two screens of a phone. */
const DEFAULT_PAGE_ROWS = 15;
/** The most rows that a node gives at once. */
const MAX_PAGE_ROWS = 1000;

const PARTS = "Another part of the list";

const NEWEST = /^(?:last|latest|newest|recent)$/u;
const OLDEST = /^(?:oldest|earliest|first)$/u;

/** The options of every list, in the order of the interface's pagination parameters. */
export const PAGE_OPTIONS = {
  first: {
    kind: "integer",
    label: "How many rows",
    hint: "From the start",
    description: "How many rows, from the start",
    min: 1,
    max: MAX_PAGE_ROWS,
  },
  after: {
    kind: "text",
    section: PARTS,
    // In a chat, buttons turn the pages.
    operatorsOnly: true,
    description: "Go on behind this row: a cursor from a button",
    example: "eyJoIjoxMjM0fQ==",
    maxLength: 600,
  },
  last: {
    kind: "integer",
    label: "How many rows before",
    section: PARTS,
    description: "How many rows, up to the end",
    min: 1,
    max: MAX_PAGE_ROWS,
  },
  before: {
    kind: "text",
    section: PARTS,
    operatorsOnly: true,
    description: "Stop before this row: a cursor from a button",
    example: "eyJoIjoxMjM0fQ==",
    maxLength: 600,
  },
  newest: {
    kind: "flag",
    section: PARTS,
    label: "Newest first",
    hint: "",
    description: "Newest rows first",
    no: "Oldest rows first",
    default: true,
    said: (words: readonly string[]) => {
      const word = words.find((one) => NEWEST.test(one) || OLDEST.test(one));
      return word === undefined ? undefined : { value: NEWEST.test(word) ? "yes" : "no", words: [word] };
    },
  },
} as const satisfies Options;

type PageOptions = OptionValues<typeof PAGE_OPTIONS>;

/** The part of a command's context that reading a page needs. */
interface PageContext extends AnswerContext {
  readonly api: ApiClient;
  readonly signal: AbortSignal;
  readonly options: PageOptions;
}

/** A list, perhaps with other options of its command, which are carried from page to page. */
type List<T> = History<T> & { readonly more?: Readonly<Record<string, string | undefined>> };

/** After a day the note ends; blocks since then count. */
const NOTE_NANOS = 86_400_000_000_000n;

/** The newest block that a list has shown in this process, by network and list; and when it was first missing. */
const newestShown = new WeakMap<object, Map<string, { readonly block: bigint; readonly goneSince?: Nanoseconds }>>();

/** Reads a page. @throws UserError for options that contradict each other, and for a cursor that no node takes. */
export async function readPage<T>(context: PageContext, list: List<T>) {
  const { options } = context;
  const query = pageQuery(options);
  const typed = options.after ?? options.before;
  const cursor = typed === undefined ? undefined : parseCursor(typed);
  const { page, asOf, note } = await fetchPage(context, list, query, cursor);
  const rows = page.rows.map(({ node }) => node);
  const reset = historyResetNote(context.api, list.name, {
    heights: rows.map((row) => list.blockOf(row)),
    asOf,
    ...(cursor?.block === undefined ? {} : { goesOnFrom: cursor.block }),
  });
  const notes = [note, reset ?? (await bareCursorNote(context, list, cursor, asOf.node))];
  return {
    rows,
    asOf,
    /** Shown above the rows where another node took over, or the history began anew. */
    notes: notes.flatMap((one) => (one === undefined ? [] : [paragraph(one)])),
    /** Previous and next page, and back to the start. */
    actions: pageActions(context, list, page, asOf.node),
    /** It begins with the newest row of all. */
    isNewest: options.newest && typed === undefined && options.last === undefined,
  };
}

type ListPage<T> = Awaited<ReturnType<typeof readPage<T>>>;

/** A node's bare cursor has no known block. A filtered list says nothing about a cursor of the whole list. */
async function bareCursorNote<T>(
  { api, signal }: PageContext,
  list: List<T>,
  cursor: PageCursor | undefined,
  node: string,
): Promise<Text | undefined> {
  const giver = api.nodes.find((one) => one.name === node);
  const isWhole = Object.values(list.more ?? {}).every((value) => value === undefined);
  if (cursor === undefined || cursor.node !== undefined || giver === undefined || !isWhole) return undefined;
  return cursorAheadNote((query) => list.get(giver, query, { signal }), cursor.cursor, node);
}

/** The request for a page, with the default size where none is given. */
function pageQuery(options: PageOptions): PageRequest {
  checkPageRequest(options);
  const { first, after, last, before, newest: newestFirst } = options;
  if (last !== undefined || before !== undefined) {
    return { last: last ?? DEFAULT_PAGE_ROWS, ...(before === undefined ? {} : { before }), newestFirst };
  }
  return { first: first ?? DEFAULT_PAGE_ROWS, ...(after === undefined ? {} : { after }), newestFirst };
}

/** If the cursor's own node cannot continue, finds the same position in another node's list, with a note. */
async function fetchPage<T>(
  { api, signal }: PageContext,
  list: List<T>,
  query: PageRequest,
  cursor: PageCursor | undefined,
) {
  const own = api.nodes.find((node) => node.name === cursor?.node);
  let failure: ApiError | undefined;
  // A cursor means nothing at other nodes than its own.
  if (cursor?.node === undefined || own !== undefined) {
    const bare = cursor === undefined ? query : withCursor(query, cursor.cursor);
    const got = await list.get(own ?? api, bare, { signal }).catch(asApiError);
    if (!(got instanceof ApiError)) return { page: got.value, asOf: got.asOf, note: undefined };
    if (cursor === undefined) throw got;
    failure = got;
  }
  const { node: gone = "The node", block } = cursor;
  if (block === undefined)
    throw failure?.kind === "invalid" ? badCursor(list.name, failure) : (failure ?? badCursor(list.name));
  const walked = await walkToBlock(api, query, block, list, signal);
  if (walked === undefined) throw failure ?? badCursor(list.name);
  const reason =
    failure === undefined ? "is not among this bot's nodes any more" : "could not go on from where this page begins";
  const note = text`${code(gone)} ${reason}: continued from block ${block} at ${code(walked.asOf.node)}.`;
  return { ...walked, note };
}

function withCursor(query: PageRequest, cursor: string): PageRequest {
  return query.after === undefined ? { ...query, before: cursor } : { ...query, after: cursor };
}

function badCursor(command: string, cause?: ApiError): UserError {
  return new UserError("This page is gone.", {
    remedy: `Its cursor is too old or wrong${cause?.innerWords === undefined ? "" : ` (${cause.node} says: ${cause.innerWords})`}. Begin again with:`,
    suggestion: command,
    cause,
  });
}

function pageActions<T>(context: PageContext, list: List<T>, page: Page<T>, node: string): Action[] {
  const { options } = context;
  const size = options.first ?? options.last ?? DEFAULT_PAGE_ROWS;
  const newest = options.newest ? undefined : false;
  const [onward, back] = options.newest ? ["older", "newer"] : ["newer", "older"];
  const next = page.hasNextPage ? cursorAt(page, "end", node, list) : undefined;
  const previous = page.hasPreviousPage ? cursorAt(page, "start", node, list) : undefined;
  const pages: { label: string; invocation: Ask }[] = [];
  const add = (label: string, paging: Record<string, string | number>): void => {
    pages.push({ label, invocation: askFor(context, list.name, { ...list.more, ...paging, newest }) });
  };
  if (previous !== undefined) add(`Previous (${back})`, { last: size, before: previous });
  if (next !== undefined) add(`Next (${onward})`, { first: size, after: next });
  if (options.after !== undefined || options.before !== undefined || options.last !== undefined) {
    add(options.newest ? "Newest" : "Oldest", { first: size });
  }
  return buttonsOrChoice("Other pages", pages, "replace");
}

/** The answer with a page: its title, the table of its rows, the buttons. `title` makes another title of the usual one. */
export function listAnswer<T>(
  context: PageContext,
  list: List<T>,
  { rows, asOf, notes, actions, isNewest }: ListPage<T>,
  shown: {
    readonly columns: readonly CellColumn<T>[];
    readonly buttons?: readonly Action[];
    readonly title?: (usual: Text) => Text;
    readonly tone?: Tone;
    readonly above?: readonly Block[];
  },
): Reply {
  const { title = (usual: Text) => usual, tone = "neutral", above = [], buttons = [], columns } = shown;
  const { first, after, last, before, newest } = context.options;
  const { name, noun, more } = list;
  const heights = rows.map((row) => list.blockOf(row));
  return answer(context, asOf, {
    title: title(isNewest ? newestTitle(noun, heights, asOf) : blockRangeTitle(noun, heights)),
    tone,
    blocks: [
      ...notes,
      ...above,
      table({ name: `${noun}s`.replace(" ", "-"), rows, columns, empty: text`No ${noun}s here.` }),
    ],
    actions: [...actions, ...buttons],
    // The same page again
    ask: askFor(context, name, { ...more, first, after, last, before, newest: newest ? undefined : false }),
  });
}

/** `15 checkpoints, blocks 100 to 250`; says so where there are none. */
function blockRangeTitle(noun: string, heights: readonly (bigint | undefined)[]): Text {
  const known = heights.filter((height) => height !== undefined).toSorted(compareIntegers);
  const [lowest, highest] = [known[0], known.at(-1)];
  const count =
    heights.length === 0 ? `No ${noun}s` : `${formatCount(heights.length)} ${noun}${heights.length === 1 ? "" : "s"}`;
  if (lowest === undefined || highest === undefined) return text`${count}`;
  return lowest === highest ? text`${count}, block ${lowest}` : text`${count}, blocks ${lowest} to ${highest}`;
}

/** The title of a list's first page: `Newest checkpoint: block 123, 40 blocks ago`. */
function newestTitle(noun: string, heights: readonly (bigint | undefined)[], { blockHeight: now }: AsOf): Text {
  const [newest] = heights;
  if (newest === undefined) return blockRangeTitle(noun, heights);
  const ago =
    now === undefined || now < newest
      ? text``
      : text`, ${now - newest} ${now - newest === 1n ? "block" : "blocks"} ago`;
  return text`Newest ${noun}: block ${newest}${ago}`;
}

/**
 * A note where a block that was shown before, or that a page continues from, lies ahead of the network's head: its
 * history began anew. A lagging node looks the same, so the note names both. Remembers the newest block shown.
 */
function historyResetNote(
  api: object,
  list: string,
  page: { readonly heights: readonly (bigint | undefined)[]; readonly asOf: AsOf; readonly goesOnFrom?: bigint },
): Text | undefined {
  const { asOf, goesOnFrom } = page;
  const head = asOf.blockHeight;
  if (head === undefined) return undefined;
  const gone = goneBlock(api, list, page.heights, head, asOf.receivedAt);
  const why = text`${asOf.network} is at block ${head} there: its history began anew, or the node lags far behind.`;
  if (goesOnFrom !== undefined && goesOnFrom > head) {
    return text`This page should go on from block ${goesOnFrom}, which ${code(asOf.node)} does not have; ${why}`;
  }
  return gone === undefined
    ? undefined
    : text`Block ${gone}, shown here before, is gone from ${code(asOf.node)}; ${why}`;
}

function goneBlock(
  api: object,
  list: string,
  heights: readonly (bigint | undefined)[],
  head: bigint,
  now: Nanoseconds,
): bigint | undefined {
  const ofNetwork: NonNullable<ReturnType<typeof newestShown.get>> = newestShown.get(api) ?? new Map();
  newestShown.set(api, ofNetwork);
  const before = ofNetwork.get(list);
  const newest = heights.reduce<bigint>((most, one) => (one !== undefined && one > most ? one : most), 0n);
  if (before === undefined || before.block <= head || newest >= before.block) {
    const block = before !== undefined && before.block > newest ? before.block : newest;
    ofNetwork.set(list, { block });
    return undefined;
  }
  const goneSince = before.goneSince ?? now;
  const isOver = now - goneSince > NOTE_NANOS;
  ofNetwork.set(list, isOver ? { block: newest } : { block: before.block, goneSince });
  return isOver ? undefined : before.block;
}

/**
 * A note where a bare cursor lies ahead of everything that the node has. Cursors are opaque, so the node's answers
 * decide: it has nothing newer, and its newest row has another cursor. Undefined also where the node cannot be asked.
 * `get` asks that node. Rejects with the signal's reason.
 */
async function cursorAheadNote<T>(
  get: (query: PageRequest) => Promise<Answer<Page<T>>>,
  cursor: string,
  node: string,
): Promise<Text | undefined> {
  // In this order: a row that arrives in between is newer than any typed cursor.
  const newest = await get({ first: 1, newestFirst: true }).catch(asApiError);
  if (newest instanceof ApiError) return undefined;
  const [top] = newest.value.rows;
  if (top !== undefined && (top.cursor === undefined || top.cursor === cursor)) return undefined;
  const newer = await get({ first: 1, newestFirst: false, after: cursor }).catch(asApiError);
  if (newer instanceof ApiError || newer.value.rows.length > 0) return undefined;
  return text`This page should go on from a row that ${code(node)} does not have, nor anything newer: its history began anew, or it lags far behind.`;
}
