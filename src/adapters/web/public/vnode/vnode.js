// @ts-check
// What is to be shown, as plain data: tags, attributes and text. It is made without a browser, so tests read it in node,
// and nothing in it is markup: text stays text whatever it contains.

/**
 * @typedef {{ readonly tag: Tag, readonly attrs: Readonly<Record<string, string>>, readonly children: readonly VNode[] }} VElement
 * @typedef {string | VElement} VNode
 * @typedef {typeof TAGS[number]} Tag
 */

/** Every element that a tree may have: nothing that runs, loads or submits. */
const TAGS = /** @type {const} */ ([
  "a",
  "article",
  "b",
  "blockquote",
  "br",
  "button",
  "caption",
  "code",
  "dd",
  "del",
  "details",
  "div",
  "dl",
  "dt",
  "em",
  "figcaption",
  "figure",
  "footer",
  "h2",
  "h3",
  "h4",
  "header",
  "hr",
  "i",
  "img",
  "li",
  "ol",
  "p",
  "pre",
  "s",
  "section",
  "small",
  "span",
  "strong",
  "summary",
  "table",
  "tbody",
  "td",
  "th",
  "thead",
  "time",
  "tr",
  "u",
  "ul",
  // A picture
  "circle",
  "defs",
  "g",
  "path",
  "pattern",
  "rect",
  "svg",
  "text",
]);

/** Every attribute, beside `aria-*` and `data-*`: none that holds a script or a style. */
const ATTRIBUTES = new Set([
  "alt",
  "class",
  "datetime",
  "dir",
  "download",
  "height",
  "hidden",
  "href",
  "id",
  "lang",
  "loading",
  "rel",
  "role",
  "scope",
  "src",
  "tabindex",
  "target",
  "title",
  "type",
  "width",
  // Of pictures
  "cx",
  "cy",
  "d",
  "fill",
  "font-family",
  "font-size",
  "opacity",
  "patternUnits",
  "r",
  "stroke",
  "stroke-dasharray",
  "stroke-linejoin",
  "stroke-width",
  "text-anchor",
  "viewBox",
  "x",
  "xmlns",
  "y",
]);

/**
 * One element. Attributes that are undefined or false are left out, true ones stand without a value, and children that
 * are undefined are dropped.
 *
 * @param {Tag} tag
 * @param {Readonly<Record<string, string | boolean | undefined>>} attrs
 * @param {...(VNode | undefined | readonly (VNode | undefined)[])} children
 * @returns {VElement}
 */
export function h(tag, attrs, ...children) {
  /** @type {Record<string, string>} */
  const kept = {};
  for (const [name, value] of Object.entries(attrs)) {
    if (value !== undefined && value !== false) kept[name] = value === true ? "" : value;
  }
  return { tag, attrs: kept, children: children.flat().filter(isShown) };
}

/**
 * @param {VNode | undefined} child
 * @returns {child is VNode}
 */
function isShown(child) {
  return child !== undefined && child !== "";
}

/**
 * Why an element may not be shown, or undefined when it may.
 *
 * @param {VElement} element
 * @returns {string | undefined}
 */
export function faultOf(element) {
  if (!TAGS.includes(element.tag)) return `the element ${element.tag}`;
  for (const [name, value] of Object.entries(element.attrs)) {
    if (!ATTRIBUTES.has(name) && !/^(?:aria|data)-[a-z-]+$/u.test(name)) return `the attribute ${name}`;
    if (name === "href" && !isSafeLink(value)) return "a link that is neither http nor a path of this server";
    if (name === "src" && !isOwnPath(value)) return "a picture from elsewhere";
    if (/url\((?!#)/iu.test(value) && (name === "fill" || name === "stroke")) return "a pattern from elsewhere";
    if (name === "target" && value !== "_blank") return "another target";
  }
  return undefined;
}

/**
 * The same tree, in which a sentence stands for every element that may not be shown, so that nothing vanishes.
 *
 * @param {VNode} node
 * @returns {VNode}
 */
export function safeTree(node) {
  if (typeof node === "string") return node;
  const fault = faultOf(node);
  return fault === undefined ? { ...node, children: node.children.map(safeTree) } : `(not shown: ${fault})`;
}

/**
 * Whether a link may be followed: http, https, or a path of this server.
 *
 * @param {string} url
 */
export function isSafeLink(url) {
  return isOwnPath(url) || (/^https?:\/\//iu.test(url) && URL.canParse(url));
}

/** @param {string} url */
function isOwnPath(url) {
  return /^\/(?![/\\])[\w./?=&%#-]*$/u.test(url);
}
