// @ts-check
/** @import { VElement } from "./vnode.js" */
import { safeTree } from "./vnode.js";

/**
 * Turns a tree into elements, by createElement, setAttribute and text nodes alone.
 *
 * @param {VElement} tree
 * @returns {HTMLElement}
 */
export function makeElement(tree) {
  const safe = safeTree(tree);
  const made = make(typeof safe === "string" ? { tag: "p", attrs: {}, children: [safe] } : safe);
  if (!(made instanceof HTMLElement)) throw new TypeError("a picture stands in an element of the page");
  return made;
}

/**
 * @param {VElement} element
 * @param {string} [around] The namespace of what it stands in.
 * @returns {Element}
 */
function make({ tag, attrs, children }, around) {
  const { xmlns = around } = attrs;
  const made = xmlns === undefined ? document.createElement(tag) : document.createElementNS(xmlns, tag);
  for (const [name, value] of Object.entries(attrs)) made.setAttribute(name, value);
  made.append(...children.map((child) => (typeof child === "string" ? child : make(child, xmlns))));
  return made;
}
