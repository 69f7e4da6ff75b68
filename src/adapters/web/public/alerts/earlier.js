// @ts-check
// The list of the earlier alerts: by day, the newest first, many alike in one fold.
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
/** @import { AlertCard } from "./alert-card.js" */
import { EPISODE_WORDS, RESOLVED_TONE } from "../../../../reply/states.js";
import { part } from "../part.js";
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";
import { byDay, clockOf } from "./standing.js";

/**
 * @param {HTMLElement} list
 * @param {ReadonlyMap<string, AlertCard>} cards
 */
export function placeEarlier(list, cards) {
  const listed = [...cards.values()].filter(({ element }) => list.contains(element)).toReversed();
  const known = new Map([...list.querySelectorAll("[data-row]")].map((row) => [row.getAttribute("data-row"), row]));
  /** @type {Element[]} */
  const shown = [];
  for (const { day, rows } of byDay(listed)) {
    shown.push(known.get(day) ?? makeElement(h("li", { class: "day", "data-row": day }, h("h3", {}, day))));
    for (const alike of rows) {
      const key = `${day} ${alike[0]?.alert.kind}`;
      if (alike.length > 1) shown.push(fill(known.get(key) ?? makeFold(key), alike));
      else shown.push(...alike.map(({ element }) => element));
    }
  }
  place(list, shown);
}

/** @param {string} key */
function makeFold(key) {
  const details = h("details", {}, h("summary", {}), h("ol", { class: "alert-list" }));
  return makeElement(h("li", { class: "alert fold", "data-row": key, "data-tone": RESOLVED_TONE }, details));
}

/**
 * @param {Element} fold
 * @param {readonly AlertCard[]} cards
 */
function fill(fold, cards) {
  const line = makeElement(foldLine(cards.map(({ alert }) => alert)));
  const summary = part("summary", HTMLElement, fold);
  if (summary.textContent !== line.textContent) summary.replaceChildren(line);
  const elements = cards.map(({ element }) => element);
  place(part(".alert-list", HTMLElement, fold), elements);
  return fold;
}

/**
 * `6 auctions ended on mainnet`, with the time of the last one.
 *
 * @param {readonly Pick<AlertJson, "noun" | "network" | "at">[]} alerts The newest first.
 */
function foldLine(alerts) {
  const [last] = alerts;
  const networks = [...new Set(alerts.map(({ network }) => network))].join(" and ");
  return h(
    "div",
    { class: "alert-line" },
    h("span", { class: "badge word" }, EPISODE_WORDS.resolved.toUpperCase()),
    h("span", { class: "alert-title" }, `${alerts.length} ${last?.noun} ended on ${networks}`),
    last === undefined ? undefined : clockOf(last.at),
  );
}

/**
 * Gives a list these children; only what is in a wrong place is moved.
 *
 * @param {Element} list
 * @param {readonly Element[]} rows
 */
function place(list, rows) {
  for (const [index, row] of rows.entries()) {
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  }
  while (list.children.length > rows.length) list.lastElementChild?.remove();
}
