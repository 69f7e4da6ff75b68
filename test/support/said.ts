import { formatLine } from "../../src/bot/grammar/grammar.ts";
import { asButtons } from "../../src/reply/fold.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";

// What a reply says, however it is worded: the wording itself is asserted in the gallery alone.

/**
 * Matches what says all of these in this order, whatever words stand between them: figures, ids, names, states, command
 * lines. Each is a whole word: `saying(5)` does not match 50.
 */
export function saying(...said: readonly (string | number | bigint | RegExp)[]): RegExp {
  const parts = said.map((one) => (one instanceof RegExp ? one.source : RegExp.escape(String(one))));
  return new RegExp(
    String.raw`(?<![\p{L}\d])${parts.join(String.raw`(?![\p{L}\d])[^]*?(?<![\p{L}\d])`)}(?![\p{L}\d])`,
    "u",
  );
}

/** The line, or the address, behind each button of a reply, whatever its label. */
export function linesOf({ actions }: Pick<Reply, "actions">): string[] {
  return asButtons(actions).map((action) => ("url" in action ? action.url : formatLine(action.invocation)));
}

/** The cells of all tables of a reply, row by row. */
export function rowsOf({ blocks }: Pick<Reply, "blocks">): string[][] {
  return blocks.flatMap((block) => (block.kind === "table" ? block.rows.map((row) => row.map(plainText)) : []));
}
