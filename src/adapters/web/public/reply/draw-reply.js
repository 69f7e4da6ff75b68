// @ts-check
// A reply on the page: its elements, and what its tables do there.
/** @import { Block, ReplyJson, Table } from "../../../../reply/document.ts" */
import { columnsToDrop, LONGEST_BELOW, NEEDED } from "./columns.js";
import { tableToCsv } from "./csv.js";
import { countOf } from "./render-table.js";
import { chartId, drawChart, frameOf, titledOnce } from "./render-chart.js";
import { renderReply } from "./reply.js";
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/** @type {WeakMap<Element, Extract<Block, { kind: "chart" }>>} */
const charts = new WeakMap();
/** Fits each table and each picture to the page as often as its width changes. */
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const chart = charts.get(target);
    if (chart === undefined) fitColumns(target);
    else fitChart(target, chart);
  }
});

/**
 * @param {ReplyJson} given
 * @returns {HTMLElement}
 */
export function drawReply(given) {
  const reply = titledOnce(given);
  const element = makeElement(renderReply(reply, { now: Date.now() }));
  for (const scroll of element.querySelectorAll("[data-table] > .scroll")) widths.observe(scroll);
  for (const block of reply.blocks) {
    const figure = block.kind === "chart" ? element.querySelector(`[data-chart="${chartId(block)}"]`) : null;
    if (figure === null || block.kind !== "chart") continue;
    charts.set(figure, block);
    widths.observe(figure);
  }
  element.addEventListener("click", (event) => {
    const button =
      event.target instanceof Element ? event.target.closest("[data-rows], [data-columns], [data-csv]") : null;
    const section = button?.closest("[data-table]");
    if (!(button instanceof HTMLElement) || !(section instanceof HTMLElement)) return;
    const table = reply.blocks[Number(section.dataset["table"])];
    if (table?.kind === "table") press(button, section, table);
  });
  return element;
}

/**
 * @param {HTMLElement} button
 * @param {HTMLElement} section
 * @param {Table} table
 */
function press(button, section, table) {
  if ("csv" in button.dataset) {
    // The page's own listener copies it.
    button.dataset["copy"] = tableToCsv(table);
    return;
  }
  if ("rows" in button.dataset) {
    section.querySelector(".rest")?.removeAttribute("hidden");
    const count = section.querySelector(".rows");
    if (count !== null) count.textContent = countOf(table, table.rows.length) ?? "";
  } else {
    section.dataset["allColumns"] = "";
    const scroll = section.querySelector(".scroll");
    if (scroll !== null) fitColumns(scroll);
  }
  const scroll = section.querySelector(".scroll");
  button.hidden = true;
  if (scroll instanceof HTMLElement) scroll.focus({ preventScroll: true });
}

/**
 * Draws a picture as wide as it is shown, so that its letters keep their size.
 *
 * @param {Element} figure
 * @param {Extract<Block, { kind: "chart" }>} block
 */
function fitChart(figure, block) {
  const frame = frameOf(figure.clientWidth);
  const viewBox = `0 0 ${frame.width} ${frame.height}`;
  if (figure.clientWidth === 0 || figure.querySelector("svg")?.getAttribute("viewBox") === viewBox) return;
  figure.replaceChildren(...makeElement(drawChart(block, chartId(block), frame)).children);
}

/**
 * Leaves out the columns that the width cannot hold, and offers them; those that each row needs move below its first cell.
 * All are shown where one has asked for them.
 *
 * @param {Element} scroll
 */
function fitColumns(scroll) {
  const section = scroll.closest("[data-table]");
  const table = scroll.querySelector("table");
  // A hidden view has no width.
  if (!(section instanceof HTMLElement) || table === null || scroll.clientWidth === 0) return;
  const asked = "allColumns" in section.dataset;
  // For the same width the outcome is the same; leaving columns out changes the height alone.
  const measured = `${scroll.clientWidth} ${asked}`;
  if (section.dataset["fitted"] === measured) return;
  section.dataset["fitted"] = measured;
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  hideCells(table, new Set(), []);
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const columns = heads.map((head, index) => ({
    width: head.offsetWidth,
    empty: rows.every(({ cells }) => ["", "–"].includes(cells[index]?.textContent ?? "")),
    priority: head.dataset["priority"] === undefined ? undefined : Number(head.dataset["priority"]),
  }));
  const [first] = columns;
  const whole = wholeWidth(section, heads[0]);
  // Words of three lines and more get the whole width, where all that each row needs can stand below them.
  const isTight = first !== undefined && whole > 2 * first.width && scroll.clientWidth < PHONE;
  const wide = isTight ? [{ ...first, width: scroll.clientWidth }, ...columns.slice(1)] : columns;
  const without = asked ? new Set([]) : columnsToDrop(wide, scroll.clientWidth);
  const below = [...without].filter((index) => columns[index]?.priority === NEEDED && isShort(table, index));
  below.sort((a, b) => a - b);
  hideCells(table, without, below);
  const button = section.querySelector("[data-columns]");
  if (button instanceof HTMLElement) button.hidden = without.size === below.length;
}

/** A reply of this width, in pixels, is read on a phone. */
const PHONE = 480;

/**
 * How wide a column is whose words do not turn.
 *
 * @param {HTMLElement} section
 * @param {HTMLElement | undefined} head Of the column.
 */
function wholeWidth(section, head) {
  section.dataset["whole"] = "";
  const width = head?.offsetWidth ?? 0;
  delete section.dataset["whole"];
  return width;
}

/**
 * Whether a line has room for each cell of a column.
 *
 * @param {HTMLTableElement} table
 * @param {number} index
 */
function isShort(table, index) {
  return [...table.rows].every(({ cells }) => (cells[index]?.textContent ?? "").length <= LONGEST_BELOW);
}

/**
 * @param {HTMLTableElement} table
 * @param {ReadonlySet<number>} hidden
 * @param {readonly number[]} below Of the hidden columns those whose content stands below the row's first cell. A number
 *   takes the name of its column along, which the head then leaves out: words tell by themselves what they are.
 */
function hideCells(table, hidden, below) {
  const heads = table.tHead?.rows[0]?.cells;
  for (const row of table.rows) {
    for (const [index, cell] of [...row.cells].entries()) cell.hidden = hidden.has(index);
    const [first] = row.cells;
    first?.querySelector(":scope > .below")?.remove();
    const isHead = row.parentElement === table.tHead;
    const filled = below
      .flatMap((index) => row.cells[index] ?? [])
      .filter((cell) => !["", "–"].includes(cell.textContent) && !(isHead && cell.classList.contains("number")));
    if (first === undefined || filled.length === 0) continue;
    const line = makeElement(h("span", {}));
    for (const cell of filled) {
      const isNumber = cell.classList.contains("number") && /\d/u.test(cell.textContent);
      const name = isNumber ? `${heads?.[cell.cellIndex]?.textContent ?? ""} ` : "";
      const part = makeElement(h("span", {}, name));
      part.append(...[...cell.childNodes].map((node) => node.cloneNode(true)));
      line.append(part);
    }
    const place = makeElement(h("span", { class: "below" }));
    place.append(line);
    first.append(place);
  }
}
