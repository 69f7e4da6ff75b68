import { tableAttachment } from "../../reply/csv.ts";
import { fullTextAttachment } from "../../reply/full-text.ts";
import { messageFile, type MessageFile, type nameFiles, ownCsv } from "../../reply/message-files.ts";
import type { Reply } from "../../reply/reply.ts";

const ACTION_LINES_LENGTH = 700;

/** The actions without a button, one a line, as far as 700 characters hold them, each after `bullet`. */
export function actionLines(
  lines: readonly string[],
  bullet: string,
  head = "",
): { readonly text: string; readonly whole: boolean } {
  if (lines.length === 0) return { text: "", whole: true };
  let text = `${head}${lines.length} more, without a button:`;
  let whole = true;
  for (const line of lines) {
    const next = `${text}\n${bullet}${line}`;
    if (next.length <= ACTION_LINES_LENGTH) text = next;
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

/**
 * The files of a reply, then a CSV for each table at one of the places `csv`, then the whole reply as text where that
 * file has a name; the text is of `told`, its commands behind `prefix`.
 */
export function filesOf(
  reply: Reply,
  { given, csvNames }: Pick<ReturnType<typeof nameFiles>, "given" | "csvNames">,
  csv: ReadonlySet<number>,
  { name, told, prefix }: { readonly name: string | undefined; readonly told: Reply; readonly prefix?: string },
): readonly MessageFile[] {
  const tables = reply.blocks.flatMap((block, index) =>
    csv.has(index) && block.kind === "table" && ownCsv(reply, block) === undefined
      ? [messageFile(csvNames[index] ?? "", tableAttachment(block))]
      : [],
  );
  const whole = name === undefined ? [] : [messageFile(name, fullTextAttachment(told, name, prefix))];
  return [...given, ...tables, ...whole];
}
