// @ts-check
// The elements of a picture as plain data, and as text.

/**
 * @typedef {{ readonly tag: string, readonly attrs: Readonly<Record<string, string>>, readonly children: readonly (string | SvgElement)[] }} SvgElement
 */

/** No text is smaller, so that a phone shows it readably. */
export const SMALL = 14;
/** A state that lasts is at least so wide. */
export const LEAST_WIDTH = 4;

/**
 * @param {string} tag
 * @param {Readonly<Record<string, string | number | undefined>>} attrs
 * @param {...(string | SvgElement)} children
 * @returns {SvgElement}
 */
export function e(tag, attrs, ...children) {
  /** @type {Record<string, string>} */
  const said = {};
  for (const [name, value] of Object.entries(attrs)) {
    if (value !== undefined) said[name] = typeof value === "number" ? String(Math.round(value * 10) / 10) : value;
  }
  return { tag, attrs: said, children };
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} baseline
 * @param {string} fill
 * @param {"start" | "middle" | "end"} [anchor]
 * @param {number} [size]
 */
export function words(text, at, baseline, fill, anchor = "start", size) {
  const shown = { x: at, y: baseline, fill, "font-size": size };
  return e("text", anchor === "start" ? shown : { ...shown, "text-anchor": anchor }, text);
}

/** @param {number} value */
export function round(value) {
  return Math.round(value * 10) / 10;
}

/**
 * A tree as text.
 *
 * @param {SvgElement} element
 * @returns {string}
 */
export function svgText({ tag, attrs, children }) {
  const said = Object.entries(attrs).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  const inner = children.map((child) => (typeof child === "string" ? escapeXml(child) : svgText(child))).join("");
  return inner === "" ? `<${tag}${said.join("")}/>` : `<${tag}${said.join("")}>${inner}</${tag}>`;
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
