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
  return make(typeof safe === "string" ? { tag: "p", attrs: {}, children: [safe] } : safe);
}

/**
 * @param {VElement} element
 * @returns {HTMLElement}
 */
function make({ tag, attrs, children }) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) made.setAttribute(name, value);
  made.append(...children.map((child) => (typeof child === "string" ? child : make(child))));
  return made;
}
