// @ts-check
// What can be pressed in a reply: its actions, and what its tables offer for each row.
/** @import { Block, ReplyJson } from "../../../../reply/document.ts" */
/** @import { ButtonAction } from "../../../../reply/fold.ts" */
/** @import { VElement } from "../vnode/vnode.js" */
import { renderLink, visible } from "./render-text.js";
import { h } from "../vnode/vnode.js";

/**
 * All that can be pressed, in the order of the numbers that the buttons carry: the actions, a choice as one for each of
 * what can be chosen, then the rows of the tables.
 *
 * @param {Pick<ReplyJson, "actions" | "blocks">} reply
 * @returns {readonly ButtonAction[]}
 */
export function pressable({ actions, blocks }) {
  return [...asButtons(actions), ...blocks.flatMap(ofRows)];
}

/**
 * @param {Block} block
 * @returns {readonly ButtonAction[]}
 */
export function ofRows(block) {
  if (block.kind !== "table" || block.rowAction === undefined) return [];
  const { invocations, ...how } = block.rowAction;
  return invocations.slice(0, block.rows.length).map((invocation) => ({ ...how, invocation }));
}

/**
 * @param {ReplyJson["actions"]} actions
 * @returns {readonly ButtonAction[]}
 */
export function asButtons(actions) {
  return actions.flatMap(
    /** @returns {readonly ButtonAction[]} */
    (action) => {
      if (!("choices" in action)) return [action];
      const { choices, label: _, ...how } = action;
      return choices.map((one) => ({ ...one, ...how }));
    },
  );
}

/** Of a long choice so many buttons are shown, and the rest when asked to; behind another choice, none. */
const FIRST_CHOICES = 5;

/**
 * In their order: neighbouring buttons and links side by side, and each choice with what it asks for.
 *
 * @param {ReplyJson["actions"]} actions
 * @param {boolean} isOffer The only one is surely meant.
 * @returns {readonly VElement[]}
 */
export function renderActions(actions, isOffer = false) {
  let number = 0;
  /**
   * @param {string} label
   * @param {boolean} [isMain]
   */
  const numbered = (label, isMain = false) => {
    number += 1;
    return h(
      "button",
      { type: "button", class: isMain ? "run" : "button", "data-action": String(number - 1) },
      labelOf(label),
    );
  };
  /** @type {VElement[]} */
  const rows = [];
  /** @type {(VElement | string)[]} */
  let buttons = [];
  let isFurther = false;
  const closeRow = () => {
    if (buttons.length > 0) rows.push(h("div", { class: "actions" }, ...buttons));
    buttons = [];
  };
  for (const action of actions) {
    if ("choices" in action) {
      closeRow();
      const label = labelOf(action.label);
      const chosen = action.choices.map((one) => numbered(one.label));
      const first = chosen.length <= FIRST_CHOICES ? chosen.length : isFurther ? 0 : FIRST_CHOICES;
      isFurther = true;
      rows.push(
        h(
          "div",
          { class: "choice", role: "group", "aria-label": label },
          h("p", { "aria-hidden": "true" }, label),
          ...chosen.slice(0, first),
          chosen.length === first
            ? undefined
            : h(
                "details",
                { class: "more" },
                h("summary", {}, first === 0 ? `Choose from ${chosen.length}` : `${chosen.length - first} more`),
                ...chosen.slice(first),
              ),
        ),
      );
    } else if ("url" in action) {
      // It has a number as well, so that the numbers are those of `pressable`.
      number += 1;
      const link = renderLink(labelOf(action.label), action.url);
      buttons.push(typeof link === "string" ? link : { ...link, attrs: { ...link.attrs, class: "button" } });
    } else {
      buttons.push(numbered(action.label, isOffer));
    }
  }
  closeRow();
  return rows;
}

/** @param {string} label */
export function labelOf(label) {
  return visible(label).trim() === "" ? "(no label)" : visible(label);
}
