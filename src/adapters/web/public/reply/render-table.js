// @ts-check
/** @import { Table } from "../../../../reply/document.ts" */
/** @import { Reader } from "./render-text.js" */
/** @import { VElement } from "../vnode/vnode.js" */
import { hiddenRows } from "./columns.js";
import { labelOf } from "./render-actions.js";
import { plainOf, renderText, visible } from "./render-text.js";
import { h } from "../vnode/vnode.js";

/** A cell up to this length stays on one line. */
const NARROW_LENGTH = 28;
/** Or up to this, where it is a moment with its age: `at least 2026-11-21 13:01:13 GMT-5 (3 min 26 s ago)`. */
const MOMENT_LENGTH = 60;

/** A wide page has room for so many rows at once, whatever a phone folds. */
const FEW_ROWS = 30;

/**
 * A table at its full height and width. What follows the first rows of a long one stands behind a button; columns that
 * the page is too narrow for are left out by draw-reply.js, which offers them.
 *
 * @param {Table} table
 * @param {Reader} reader
 * @param {{ readonly index: number, readonly firstAction: number }} place Its index among the blocks, and the number of
 *   its first row's button.
 * @returns {VElement}
 */
export function renderTable(table, reader, { index, firstAction }) {
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
  const hidden = hiddenRows(table);
  const rows = table.rows.map((_, row) => renderRow(table, row, reader, firstAction));
  const first = rows.length - hidden;
  return h(
    "section",
    {
      class: "block",
      "data-table": String(index),
      "data-few": hidden > 0 && rows.length <= FEW_ROWS ? true : undefined,
    },
    heading,
    h(
      "div",
      {
        class: "scroll",
        tabindex: "0",
        role: "region",
        "aria-label": `${label}, ${countOf(table, rows.length) ?? rowsOf(rows.length)}`,
      },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...table.columns.map(renderHead), renderActionHead(table))),
        h("tbody", {}, ...rows.slice(0, first)),
        hidden === 0 ? undefined : h("tbody", { class: "rest", hidden: true }, ...rows.slice(first)),
      ),
    ),
    renderFoot(table, hidden),
  );
}

/**
 * How much of the table is shown, and the buttons that show or copy the rest.
 *
 * @param {Table} table
 * @param {number} hidden
 */
function renderFoot(table, hidden) {
  const rows = table.rows.length;
  return h(
    "div",
    { class: "table-foot" },
    h("p", { class: "count" }, h("span", { class: "rows" }, countOf(table, rows - hidden))),
    hidden === 0
      ? undefined
      : h(
          "button",
          { type: "button", class: "quiet-button", "data-rows": true },
          `Show ${hidden.toLocaleString("en")} more rows`,
        ),
    h("button", { type: "button", class: "quiet-button", "data-columns": true, hidden: true }, "Show all columns"),
    rows > 1 ? h("button", { type: "button", class: "quiet-button", "data-csv": true }, "Copy as CSV") : undefined,
  );
}

/** @param {Table["columns"][number]} column */
function renderHead({ title, align, priority }) {
  const attrs = {
    scope: "col",
    class: align === "right" ? "number" : undefined,
    "data-priority": String(priority ?? 1),
  };
  return h("th", attrs, visible(title));
}

/** @param {Table} table */
function renderActionHead({ rowAction }) {
  return rowAction === undefined ? undefined : h("td", { class: "row-action" });
}

/**
 * A row that is too short is filled up; one that is too long keeps what it has.
 *
 * @param {Table} table
 * @param {number} number
 * @param {Reader} reader
 * @param {number} firstAction
 * @returns {VElement}
 */
function renderRow({ rows, columns, rowAction }, number, reader, firstAction) {
  const row = rows[number] ?? [];
  const cells = Array.from({ length: Math.max(row.length, columns.length) }, (_, index) => {
    const content = row[index] ?? [];
    const most = content.some(({ kind }) => kind === "time") ? MOMENT_LENGTH : NARROW_LENGTH;
    const narrow = plainOf(content, reader).length <= most ? "narrow" : undefined;
    const attrs = { class: columns[index]?.align === "right" ? "number" : narrow };
    return h("td", attrs, renderText(content, { ...reader, inLine: true, zone: undefined }));
  });
  if (rowAction === undefined) return h("tr", {}, ...cells);
  if (rowAction.invocations[number] === undefined) return h("tr", {}, ...cells, h("td", { class: "row-action" }));
  const label = labelOf(rowAction.label);
  const named = `${label} ${plainOf(row[0] ?? [], reader)}`.trim();
  const attrs = { type: "button", class: "small", "data-action": String(firstAction + number), "aria-label": named };
  return h("tr", {}, ...cells, h("td", { class: "row-action" }, h("button", attrs, label)));
}

/**
 * `20 of 84 rows`; nothing where one sees it at a glance.
 *
 * @param {Table} table
 * @param {number} shown
 * @returns {string | undefined}
 */
export function countOf({ rows, total = 0 }, shown) {
  const all = Math.max(rows.length, total);
  if (all > shown) return `${shown.toLocaleString("en")} of ${rowsOf(all)}`;
  return shown > 10 ? rowsOf(shown) : undefined;
}

/** @param {number} count */
function rowsOf(count) {
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
}
