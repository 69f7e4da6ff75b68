// @ts-check
// The buttons and keys that move and zoom.
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/** @typedef {"earlier" | "later" | "in" | "out" | "now"} Step */

/** @type {readonly (readonly [sign: string, words: string, does: Step, ...keys: string[]])[]} */
const STEPS = [
  ["←", "Earlier", "earlier", "ArrowLeft"],
  ["→", "Later", "later", "ArrowRight"],
  ["+", "Zoom in", "in", "ArrowUp", "+"],
  ["−", "Zoom out", "out", "ArrowDown", "-"],
  ["", "Now", "now", "End"],
];

/**
 * @param {HTMLElement} buttons Where the buttons stand.
 * @param {HTMLElement} picture Where the keys count.
 * @param {(does: Step) => void} step
 */
export function createSteps(buttons, picture, step) {
  makeButtons(
    buttons,
    STEPS.map(([sign, words]) => /** @type {const} */ ([sign, words])),
    (index) => step(STEPS[index]?.[2] ?? "now"),
  );
  picture.addEventListener("keydown", (event) => {
    const does = STEPS.find(([, , , ...keys]) => keys.includes(event.key))?.[2];
    if (does === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step(does);
  });
}

/**
 * @param {HTMLElement} element
 * @param {readonly (string | readonly [sign: string, words: string])[]} labels The words of a sign may have no room.
 * @param {(index: number) => void} press
 */
export function makeButtons(element, labels, press) {
  const buttons = labels.map((label, index) => {
    const [sign, words] = typeof label === "string" ? ["", label] : label;
    const shown = sign === "" ? [words] : [sign, h("span", { class: "words" }, words)];
    const button = makeElement(h("button", { type: "button", class: "small", "aria-label": words }, ...shown));
    button.addEventListener("click", () => press(index));
    return button;
  });
  element.replaceChildren(...buttons);
}

/**
 * @param {HTMLElement} element
 * @param {number} pressed
 */
export function pressButton(element, pressed) {
  for (const [index, button] of [...element.children].entries()) {
    button.setAttribute("aria-pressed", String(index === pressed));
  }
}

/**
 * @param {HTMLElement} element
 * @param {(index: number) => boolean} isHidden
 */
export function hideButtons(element, isHidden) {
  for (const [index, button] of [...element.children].entries()) button.toggleAttribute("hidden", isHidden(index));
}
