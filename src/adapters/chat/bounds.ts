// The bounds of a message, and the sentences and files for what does not fit.
import { type Block, hasRows, type Table } from "../../reply/block.ts";
import { tableAttachment } from "../../reply/csv.ts";
import { unfolded } from "../../reply/fold.ts";
import { fullTextAttachment } from "../../reply/full-text.ts";
import { messageFile, type MessageFile, type nameFiles, ownCsv, type Reply } from "../../reply/reply.ts";
import { oneLine } from "../../reply/plain-text.ts";
import { formatCount } from "../../units/format-number.ts";
import { type Inline, mergeRuns, type Person, type Text } from "../../reply/text.ts";

/** The rows of a table that a message shows above its button Details. */
export const FOLDED_ROWS = 15;

/** An important column behind the first one that holds only moments, also as the clock of a zone shows them. */
export function timeColumn(table: Table, columns: readonly number[] = [...table.columns.keys()]): number | undefined {
  const isTime = (one: Inline): boolean => "at" in one;
  return columns
    .slice(1)
    .find(
      (index) =>
        (table.columns[index]?.priority ?? 1) === 1 &&
        table.rows.some((row) => row[index]?.some(isTime) === true) &&
        table.rows.every(({ [index]: cell = [] }) =>
          cell.every((one) => isTime(one) || ("text" in one && one.text === "–")),
        ),
    );
}

type Run<K extends Inline["kind"]> = Extract<Inline, { kind: K }>;

/** How a platform writes the runs of a text. */
interface TextForm {
  /** The longest markup allowed, in UTF-16 units. */
  readonly max: number;
  /** All plain runs in bold. */
  readonly bold?: boolean | undefined;
  /** The markup of a run, escaped. */
  render(inline: Inline): string;
  /** Joins pieces of markup so that the end of one and the start of the next do not read as one sign. */
  join(before: string, after: string): string;
  readonly canMention: (person: Person) => boolean;
  /** Whether the address of a link is too long, so that its label alone is shown. */
  isLong(link: Run<"link">): boolean;
  /** Whether the beginning of this code may be shown; left out = of any. */
  canCut?(code: Run<"code">): boolean;
}

const ELLIPSIS = "…";

/** A text as markup within a bound; `whole` is false where something was left out. */
export function boundedText(content: Text, form: TextForm): { readonly markup: string; readonly whole: boolean } {
  const { max, bold = false } = form;
  if (max < 1) return { markup: "", whole: content.length === 0 };
  const runs = mergeRuns(content, bold, form.canMention);
  let markup = "";
  for (const [index, inline] of runs.entries()) {
    const joined = form.join(markup, form.render(inline));
    // One character stays free for the ellipsis until the last run.
    if (joined.length > (index === runs.length - 1 ? max : max - 1)) {
      return { markup: `${withBeginning(markup, inline, form)}${ELLIPSIS}`, whole: false };
    }
    markup = joined;
  }
  return { markup, whole: !runs.some((inline) => inline.kind === "link" && form.isLong(inline)) };
}

/** As much of a run as fits behind `before` and in front of an ellipsis. */
function withBeginning(before: string, inline: Inline, form: TextForm): string {
  const canCut = inline.kind === "code" ? (form.canCut?.(inline) ?? true) : /^(?:text|strong)$/u.test(inline.kind);
  if (!canCut || !("text" in inline)) return before;
  const points = Array.from(inline.text.toWellFormed());
  const attempt = (count: number): string =>
    form.join(before, form.render({ ...inline, text: points.slice(0, count).join("") }));
  const fits = mostThat(points.length - 1, (count) => attempt(count).length + ELLIPSIS.length <= form.max);
  return fits === 0 ? before : attempt(fits);
}

/** The largest count from 1 to `most` that fits, where each smaller one fits as well; 0 where none does. */
export function mostThat(most: number, fits: (count: number) => boolean): number {
  let found = 0;
  let beyond = most + 1;
  while (beyond - found > 1) {
    const middle = Math.trunc((found + beyond) / 2);
    if (fits(middle)) found = middle;
    else beyond = middle;
  }
  return found;
}

const ACTION_LINES_LENGTH = 500;

/** The actions without a button, one a line, as far as `most` characters hold them, each after `bullet`. */
export function actionLines(
  lines: readonly string[],
  bullet: string,
  head = "",
  most = ACTION_LINES_LENGTH,
): { readonly text: string; readonly whole: boolean } {
  if (lines.length === 0) return { text: "", whole: true };
  let text = `${head}${lines.length} more, without a button:`;
  let whole = true;
  for (const line of lines) {
    const next = `${text}\n${bullet}${line}`;
    if (next.length <= Math.min(most, ACTION_LINES_LENGTH)) text = next;
    else whole = false;
  }
  return { text, whole };
}

/** Says how many parts of a message were shortened, and which file has all of it. */
export function shortenedNote(parts: readonly { readonly whole: boolean }[], file: string): string {
  const missing = parts.filter(({ whole }) => !whole).length;
  const what = missing === 0 ? "Shortened to fit" : `${missing} of ${parts.length} parts shortened to fit`;
  return `${what}; all of it in ${file}`;
}

/** The places of the blocks above the fold. */
export function placesAboveFold({ blocks }: Reply): number[] {
  return [...blocks.entries()].flatMap(([at, block]) => ("detail" in block ? [] : [at]));
}

/**
 * What a reply says only below its fold: a message that shows `above` and has no Details needs files for that. `csv` are
 * the places above the fold of tables with other cells, `words` whether anything else differs. `shorten` is what the
 * message makes of an id.
 */
export function beyondFold(
  reply: Reply,
  above: Reply,
  shorten: (id: string) => string,
): { readonly csv: ReadonlySet<number>; readonly words: boolean } {
  const whole = unfolded(reply);
  const asShown = (_key: string, value: unknown): unknown =>
    isId(value) ? { ...value, text: shorten(value.text) } : value;
  const differs = (shown: unknown, all: unknown): boolean => JSON.stringify(shown, asShown) !== JSON.stringify(all);
  const wordsOf = (block: Block | undefined): unknown => (block !== undefined && hasRows(block) ? block.title : block);
  const pairs = placesAboveFold(reply).map((at, index) => ({ shown: above.blocks[index], all: whole.blocks[at] }));
  return {
    csv: new Set(pairs.flatMap(({ shown, all }, index) => (all && hasRows(all) && differs(shown, all) ? [index] : []))),
    words:
      pairs.length < reply.blocks.length ||
      differs([above.title, above.footer], [whole.title, whole.footer]) ||
      pairs.some(({ shown, all }) => differs(wordsOf(shown), wordsOf(all))),
  };
}

function isId(value: unknown): value is Run<"code"> {
  return typeof value === "object" && value !== null && "id" in value && value.id === true && "text" in value;
}

/**
 * The files of a reply, then a CSV for each table at one of the places `csv`, then the whole reply as text where that
 * file has a name; its commands stand behind `prefix`.
 */
export function filesOf(
  reply: Reply,
  { given, csvNames }: Pick<ReturnType<typeof nameFiles>, "given" | "csvNames">,
  csv: ReadonlySet<number>,
  { name, prefix }: { readonly name: string | undefined; readonly prefix?: string },
): readonly MessageFile[] {
  const tables = reply.blocks.flatMap((block, index) =>
    csv.has(index) && block.kind === "table" && ownCsv(reply, block) === undefined
      ? [messageFile(csvNames[index] ?? "", tableAttachment(block))]
      : [],
  );
  const whole = name === undefined ? [] : [messageFile(name, fullTextAttachment(reply, name, prefix))];
  return [...given, ...tables, ...whole];
}

/** How much of a table is shown, where that is not all: `3 of 1,200 rows`. What is in the columns left out is no question of how many. */
export function shownOf(table: Table, rows: number): string {
  const all = Math.max(table.total ?? 0, table.rows.length);
  return rows < all ? `${rows} of ${formatCount(all)} rows` : "";
}

/** A label within its limit; `whole` is false where it was cut. */
export function cutLabel(shown: string, most: number): { readonly text: string; readonly whole: boolean } {
  if (shown.length <= most) return { text: shown, whole: true };
  const kept = shown.slice(0, most - 1).toWellFormed();
  return { text: `${kept.replace(/\uFFFD$/u, "")}…`, whole: false };
}

/** The first label that is seen: platforms refuse one that is not. */
export function visibleLabel(offered: readonly string[]): string {
  return offered.find((label) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(oneLine(label))) ?? "Run";
}

/** A line of a menu on a phone. */
const MENU_LINE = 40;

/** A choice in the two lines that a menu gives it: of a long one, the last part stands below the others. */
export function choiceLines(label: string, most: number): readonly [label: string, below?: string] {
  const at = label.length > MENU_LINE ? label.lastIndexOf(" · ", most) : -1;
  return at < 1 ? [label] : [label.slice(0, at), label.slice(at + 3)];
}
