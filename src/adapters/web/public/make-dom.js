// @ts-check
/** @import { VNode } from "./vnode.js" */
import { faultOf } from "./vnode.js";

/**
 * Turns a tree into elements, by createElement, setAttribute and text nodes alone. An element that may not be shown is
 * replaced by a sentence, so that nothing vanishes.
 *
 * @param {VNode} node
 * @param {Document} document
 * @returns {Node}
 */
export function makeDom(node, document) {
  if (typeof node === "string") return document.createTextNode(node);
  const fault = faultOf(node);
  if (fault !== undefined) return document.createTextNode(`(not shown: ${fault})`);
  const element = document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attrs)) element.setAttribute(name, value);
  for (const child of node.children) element.append(makeDom(child, document));
  return element;
}

/**
 * The same, for a tree whose top is an element.
 *
 * @param {import("./vnode.js").VElement} node
 * @param {Document} document
 * @returns {HTMLElement}
 */
export function makeElement(node, document) {
  const made = makeDom(node, document);
  if (made instanceof HTMLElement) return made;
  const shell = document.createElement("div");
  shell.append(made);
  return shell;
}
