import type { History } from "../../api/histories.ts";
import type { Page } from "../../api/model/page.ts";
import { decoded } from "../../units/redact.ts";

/**
 * The position at an end of a page. A cursor is valid only at the node that issued it, so buttons also carry that node
 * and the block of the row: another node can then find the same position.
 */
export interface PageCursor {
  readonly cursor: string;
  readonly node?: string;
  readonly block?: bigint;
}

/** `<cursor>@<node>@<block>`, as a button carries it. */
export function formatCursor({ cursor, node, block }: PageCursor): string {
  return node === undefined ? cursor : `${cursor}@${encodeURIComponent(node)}@${block ?? ""}`;
}

/** Parses the form above, and a node's bare cursor. */
export function parseCursor(typed: string): PageCursor {
  const match = /^(.+)@([^@]+)@(\d*)$/su.exec(typed);
  const [, cursor, node, block] = match ?? [];
  if (cursor === undefined || node === undefined) return { cursor: typed };
  return { cursor, node: decoded(node), ...(block === undefined || block === "" ? {} : { block: BigInt(block) }) };
}

/** The cursor at one end of a page, with its node and block; undefined where the node gave none. */
export function cursorAt<T>(
  page: Page<T>,
  end: "start" | "end",
  node: string,
  list: Pick<History<T>, "blockOf">,
): string | undefined {
  const row = end === "start" ? page.rows.at(0) : page.rows.at(-1);
  const cursor = (end === "start" ? page.startCursor : page.endCursor) ?? row?.cursor;
  if (cursor === undefined) return undefined;
  const block = row === undefined ? undefined : list.blockOf(row.node);
  return formatCursor({ cursor, node, ...(block === undefined || block < 0n ? {} : { block }) });
}
