// @ts-check
/** @import { Table } from "../../../../reply/document.ts" */
/** @import { Reader } from "./render-text.js" */
/** @import { VElement } from "../vnode/vnode.js" */
import { plainOf, renderText, visible } from "./render-text.js";
import { h } from "../vnode/vnode.js";

/** A cell up to this length stays on one line. */
const NARROW_LENGTH = 28;
/** Or up to this, where it is a moment with its age: `at least 2026-11-21 13:01:13 GMT-5 (3 min 26 s ago)`. */
const MOMENT_LENGTH = 60;

/**
 * A table with all its rows and columns; where it is wider or longer than its place it scrolls by itself, also by
 * keyboard, and says how much there is.
 *
 * @param {Table} table
 * @param {Reader} reader
 * @returns {VElement}
 */
export function renderTable(table, reader) {
  const title = renderText(table.title ?? [], reader);
  const heading = title.length === 0 ? undefined : h("h3", {}, title);
  if (table.rows.length === 0) {
    const empty = renderText(table.empty ?? [], reader);
    return h(
      "section",
      { class: "block" },
      heading,
      h("p", { class: "empty" }, empty.length === 0 ? ["None."] : empty),
    );
  }
  const plain = plainOf(table.title ?? [], reader).trim();
  const label = plain === "" ? "Table" : plain;
  const count = countOf(table);
  return h(
    "section",
    { class: "block" },
    heading,
    h(
      "div",
      {
        class: "scroll",
        tabindex: "0",
        role: "region",
        "aria-label": `${label}, ${count ?? rowsOf(table.rows.length)}`,
      },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...table.columns.map((column) => renderHead(column)))),
        h("tbody", {}, ...table.rows.map((row) => renderRow(row, table.columns, reader))),
      ),
    ),
    count === undefined ? undefined : h("p", { class: "count" }, count),
  );
}

/**
 * @param {Table["columns"][number]} column
 * @returns {VElement}
 */
function renderHead(column) {
  return h("th", { scope: "col", class: column.align === "right" ? "number" : undefined }, visible(column.title));
}

/**
 * A row that is too short is filled up; one that is too long keeps what it has.
 *
 * @param {Table["rows"][number]} row
 * @param {Table["columns"]} columns
 * @param {Reader} reader
 * @returns {VElement}
 */
function renderRow(row, columns, reader) {
  const cells = Array.from({ length: Math.max(row.length, columns.length) }, (_, index) => {
    const content = row[index] ?? [];
    const most = content.some(({ kind }) => kind === "time") ? MOMENT_LENGTH : NARROW_LENGTH;
    const narrow = plainOf(content, reader).length <= most ? "narrow" : undefined;
    return h("td", { class: columns[index]?.align === "right" ? "number" : narrow }, renderText(content, reader));
  });
  return h("tr", {}, ...cells);
}

/**
 * How much of how much, where it is more than one sees at a glance.
 *
 * @param {Table} table
 * @returns {string | undefined}
 */
function countOf(table) {
  const shown = table.rows.length;
  if (table.total !== undefined && table.total > shown) {
    return `${shown.toLocaleString("en")} of ${table.total.toLocaleString("en")} rows`;
  }
  return shown > 10 ? rowsOf(shown) : undefined;
}

/** @param {number} count */
function rowsOf(count) {
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
}
