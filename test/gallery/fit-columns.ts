import { columnsToDrop, LONGEST_BELOW, NEEDED } from "../../src/adapters/web/public/reply/columns.js";
import { h, type VElement, type VNode } from "../../src/adapters/web/public/vnode/vnode.js";

/** Of a character in a cell and in a head, in CSS pixels: the mean of the console's face at their sizes. */
const CELL_PIXELS = 6.5;
const HEAD_PIXELS = 6.6;
/** Left and right of a cell together. */
const PADDING = 28;
/** Of a cell that turns its words, which a table without room makes as narrow as its sheet lets it. */
const TURNED_PIXELS = 213;
/** What the console keeps free beside a reply, on both sides together. */
const MARGIN = 26;

/**
 * A drawn reply as the console's page shows it at this width, in CSS pixels: without the columns that draw-reply.js leaves
 * out. There a browser measures each column; here its characters are counted.
 */
export function fitColumns(node: VNode, pixels: number): VNode {
  if (typeof node === "string") return node;
  if (!("data-table" in node.attrs)) return withChildren(node, (child) => fitColumns(child, pixels));
  const columns = columnsOf(node);
  const without = columnsToDrop(columns, pixels - MARGIN);
  if (without.size === 0) return node;
  const isShort = (index: number): boolean =>
    rowsIn(node).every(({ children }) => lettersIn(children[index] ?? "") <= LONGEST_BELOW);
  const below = [...without]
    .filter((index) => columns[index]?.priority === NEEDED && isShort(index))
    .toSorted((a, b) => a - b);
  const heads = rowsIn(node)[0]?.children ?? [];
  return leaveOut(node, { heads, without, below });
}

function withChildren(node: VElement, change: (child: VNode, index: number) => VNode): VElement {
  return { ...node, children: node.children.map(change) };
}

interface Measured {
  readonly width: number;
  readonly priority: number | undefined;
  readonly empty: boolean;
}

function columnsOf(section: VElement): Measured[] {
  const [head, ...rows] = rowsIn(section);
  return (head?.children ?? []).map((cell, index) => {
    const cells = rows.flatMap(({ children }) => children[index] ?? []);
    const width = Math.max(...[cell, ...cells].map(widthOf)) + PADDING;
    const priority = typeof cell === "string" ? undefined : cell.attrs["data-priority"];
    const empty = cells.every((one) => lettersIn(one) === 0);
    return { width, priority: priority === undefined ? undefined : Number(priority), empty };
  });
}

function rowsIn(node: VNode): VElement[] {
  if (typeof node === "string") return [];
  return node.tag === "tr" ? [node] : node.children.flatMap(rowsIn);
}

function widthOf(cell: VNode): number {
  if (typeof cell === "string") return 0;
  if (cell.tag === "th") return lettersIn(cell) * HEAD_PIXELS;
  const width = lettersIn(cell) * CELL_PIXELS;
  return "class" in cell.attrs ? width : Math.min(TURNED_PIXELS, width);
}

/** The characters that are seen: of an id its ends. */
function lettersIn(node: VNode): number {
  if (typeof node === "string") return node.length;
  if (node.attrs["class"] === "whole") return 0;
  return node.children.reduce((sum, child) => sum + lettersIn(child), 0);
}

function textIn(node: VNode): string {
  return typeof node === "string" ? node : node.children.map(textIn).join("");
}

/** What `fitColumns` and `hideCells` of draw-reply.js do with the elements of the page. */
function leaveOut(
  node: VNode,
  fit: {
    readonly heads: readonly VNode[];
    readonly without: ReadonlySet<number>;
    readonly below: readonly number[];
  },
): VNode {
  const { heads, without, below } = fit;
  if (typeof node === "string") return node;
  if ("data-columns" in node.attrs && without.size > below.length) {
    const { hidden: _shown, ...attrs } = node.attrs;
    return { ...node, attrs };
  }
  if (node.tag !== "tr") return withChildren(node, (child) => leaveOut(child, fit));
  const parts = below.flatMap((index) => {
    const cell = node.children[index];
    if (cell === undefined || typeof cell === "string" || lettersIn(cell) === 0) return [];
    if (cell.attrs["class"] !== "number") return [h("span", {}, cell.children)];
    return cell.tag === "th" ? [] : [h("span", {}, textIn(heads[index] ?? ""), " ", cell.children)];
  });
  return withChildren(node, (cell, index) => {
    if (typeof cell === "string") return cell;
    if (index === 0 && parts.length > 0) {
      return { ...cell, children: [...cell.children, h("span", { class: "below" }, ...parts)] };
    }
    return without.has(index) ? { ...cell, attrs: { ...cell.attrs, hidden: "" } } : cell;
  });
}
