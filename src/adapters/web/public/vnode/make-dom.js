// @ts-check
/** @import { VElement } from "./vnode.js" */
import { safeTree } from "./vnode.js";

/**
 * Turns a tree into elements, by createElement, setAttribute and text nodes alone.
 *
 * @param {VElement} tree
 * @param {Document} document
 * @returns {HTMLElement}
 */
export function makeElement(tree, document) {
  const safe = safeTree(tree);
  return make(typeof safe === "string" ? { tag: "p", attrs: {}, children: [safe] } : safe, document);
}

/**
 * @param {VElement} element
 * @param {Document} document
 * @returns {HTMLElement}
 */
function make({ tag, attrs, children }, document) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) made.setAttribute(name, value);
  made.append(...children.map((child) => (typeof child === "string" ? child : make(child, document))));
  return made;
}
