import { formatLine } from "../../src/bot/grammar/grammar.ts";
import { asButtons, type ButtonAction } from "../../src/reply/fold.ts";
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

/** What can be pressed in a reply: its buttons, what can be chosen, and what its tables offer for each row. */
export function pressable({ actions, blocks }: Pick<Reply, "actions" | "blocks">): ButtonAction[] {
  const rows = blocks.flatMap((block) => (block.kind === "table" ? (block.rowAction ?? []) : []));
  return [
    ...asButtons(actions),
    ...rows.flatMap(({ label, invocations, effect }) =>
      invocations.map((invocation) => ({ label, invocation, effect })),
    ),
  ];
}

/** The line, or the address, behind each of these, whatever its label. */
export function linesOf(reply: Pick<Reply, "actions" | "blocks">): string[] {
  return pressable(reply).map((action) => ("url" in action ? action.url : formatLine(action.invocation)));
}

/** The cells of all tables of a reply, row by row. */
export function rowsOf({ blocks }: Pick<Reply, "blocks">): string[][] {
  return blocks.flatMap((block) => (block.kind === "table" ? block.rows.map((row) => row.map(plainText)) : []));
}
