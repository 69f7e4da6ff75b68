// @ts-check

/**
 * A part of the page, which is always there.
 *
 * @template {HTMLElement} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} within
 * @returns {T}
 */
export function part(selector, type, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`);
  return found;
}
