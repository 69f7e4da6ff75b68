import type { VElement, VNode } from "../../src/adapters/web/public/vnode/vnode.js";

/** What stands on lines of its own; all else runs on within a line. */
const BLOCKS: ReadonlySet<string> = new Set(
  "article blockquote dd details div dl dt figcaption figure footer h2 h3 h4 header li ol p pre section small summary ul".split(
    " ",
  ),
);
/** Between two cells of a table, and beside a button. */
const GAP = 2;

/**
 * What a person reads of a drawn reply, line by line, on a screen of so many characters: without the frame of the app,
 * without what is folded or hidden, a button beside the text that it belongs to. A table keeps what the screen shows of
 * it before anybody scrolls to the right.
 */
export function linesRead(node: VNode, width: number): string[] {
  if (typeof node === "string") return wrapped(node, width);
  if (isUnread(node)) return [];
  const inner = node.tag === "details" ? node.children.filter((child) => isTag(child, "summary")) : node.children;
  if (node.tag === "table") return tableLines(node, width);
  if (classesOf(node).has("beside")) return besideLines(inner, width);
  const lines: string[] = [];
  let running = "";
  const end = (): void => {
    if (running.trim() !== "") lines.push(...wrapped(running, width));
    running = "";
  };
  for (const child of inner) {
    if (isBlock(child)) {
      end();
      lines.push(...linesRead(child, width));
    } else {
      // Buttons of a row keep their distance.
      running += `${isPress(child) && running !== "" ? " " : ""}${textRead(child)}`;
    }
  }
  end();
  return lines;
}

function isTag(node: VNode, tag: string): node is VElement {
  return typeof node !== "string" && node.tag === tag;
}

function isPress(node: VNode): boolean {
  return isTag(node, "button") && !classesOf(node).has("copy");
}

function isBlock(node: VNode): boolean {
  return typeof node !== "string" && (BLOCKS.has(node.tag) || node.tag === "table");
}

function classesOf({ attrs }: VElement): ReadonlySet<string> {
  return new Set((attrs["class"] ?? "").split(" "));
}

/** The name and clock of the app above a message, and the whole of an id whose ends are shown. */
function isUnread(node: VElement): boolean {
  const { tag, attrs, children } = node;
  const classes = classesOf(node);
  const isFrame =
    tag === "header" && children.some((child) => typeof child !== "string" && classesOf(child).has("app"));
  return isFrame || "hidden" in attrs || attrs["aria-hidden"] === "true" || classes.has("whole") || classes.has("only");
}

function textRead(node: VNode): string {
  if (typeof node === "string") return node;
  return isUnread(node) || isBelow(node) ? "" : node.children.map(textRead).join("");
}

/** A text, and what stands to the right of it. */
function besideLines([text, beside]: readonly VNode[], width: number): string[] {
  const right = beside === undefined ? "" : textRead(beside);
  const lines = text === undefined ? [] : linesRead(text, Math.max(10, width - right.length - GAP));
  return [`${lines[0] ?? ""}${" ".repeat(GAP)}${right}`.trim(), ...lines.slice(1)];
}

/** Each row on one line, as far as the screen goes, and on the next what stands below its first cell. */
function tableLines(table: VElement, width: number): string[] {
  const rows = rowsIn(table).map((row) => {
    const read = row.children.filter((cell) => typeof cell !== "string" && !isUnread(cell));
    const below = read
      .flatMap(belowIn)
      .map(textRead)
      .filter((one) => one !== "");
    return { cells: read.map((cell) => textRead(cell).trim()), below: below.join(" · ") };
  });
  const widths = (rows[0]?.cells ?? []).map((_, index) =>
    Math.max(...rows.map(({ cells }) => cells[index]?.length ?? 0)),
  );
  return rows.flatMap(({ cells, below }) => {
    const line = cells.map((cell, index) => cell.padEnd((widths[index] ?? 0) + GAP)).join("");
    return [line.slice(0, width).trimEnd(), ...(below === "" ? [] : wrapped(below, width))];
  });
}

function isBelow(node: VNode): boolean {
  return typeof node !== "string" && classesOf(node).has("below");
}

function belowIn(cell: VNode): readonly VNode[] {
  if (typeof cell === "string") return [];
  return cell.children.flatMap((child) => (typeof child !== "string" && isBelow(child) ? child.children : []));
}

function rowsIn(node: VNode): VElement[] {
  if (typeof node === "string" || isUnread(node)) return [];
  return node.tag === "tr" ? [node] : node.children.flatMap(rowsIn);
}

/** Broken between words; a word wider than a line goes on below. */
function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const rows = [""];
    for (const word of line.split(/\s+/u)) {
      const row = rows.at(-1) ?? "";
      if (row === "") rows[rows.length - 1] = word;
      else if (row.length + 1 + word.length <= width) rows[rows.length - 1] = `${row} ${word}`;
      else rows.push(word);
    }
    return rows.flatMap((row) => row.match(new RegExp(`.{1,${width}}`, "gu")) ?? [""]);
  });
}
