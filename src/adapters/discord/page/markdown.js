// @ts-check
// Discord's markdown as its app shows it, from what its own rules make of it.
/** @import { VElement, VNode } from "../../web/public/vnode/vnode.js" */
import { drawLink, drawTime } from "../../web/public/preview/drawn-message.js";
import { visible } from "../../web/public/reply/render-text.js";
import { h } from "../../web/public/vnode/vnode.js";

/**
 * @typedef {{ readonly type: string, readonly content?: string | readonly Markdown[], readonly target?: string, readonly id?: string,
 *   readonly timestamp?: string, readonly format?: string, readonly lang?: string, readonly level?: number,
 *   readonly name?: string, readonly fullName?: string }} Markdown
 */

/**
 * Markdown line by line, since lists and small print are lines.
 *
 * @param {readonly Markdown[]} nodes
 * @param {number} now Unix milliseconds
 * @returns {VNode[]}
 */
export function drawLines(nodes, now) {
  /** @type {VNode[]} */
  const drawn = [];
  /** @type {Markdown[]} */
  let line = [];
  const endLine = () => {
    const [first] = line;
    const start = first?.type === "text" && typeof first.content === "string" ? first.content : "";
    const isItem = start.startsWith("- ");
    const shown = isItem ? [{ type: "text", content: start.slice(2) }, ...line.slice(1)] : line;
    if (shown.length > 0) drawn.push(h("div", { class: isItem ? "item" : "line" }, ...drawInlines(shown, now)));
    line = [];
  };
  let breaks = 0;
  for (const node of nodes) {
    if (node.type === "br" || node.type === "newline") {
      endLine();
      breaks += 1;
      if (breaks === 2) drawn.push(h("div", { class: "gap" }));
      continue;
    }
    breaks = 0;
    const block = drawBlock(node, now);
    if (block === undefined) line.push(node);
    else {
      endLine();
      drawn.push(block);
    }
  }
  endLine();
  return drawn;
}

/**
 * What takes lines of its own; undefined for the rest.
 *
 * @param {Markdown} node
 * @param {number} now
 * @returns {VElement | undefined}
 */
function drawBlock(node, now) {
  switch (node.type) {
    case "codeBlock":
      return h("pre", {}, h("code", {}, ...drawInlines(childrenOf(node), now)));
    case "subtext":
      return h("div", { class: "subtext" }, ...drawInlines(childrenOf(node), now));
    case "blockQuote":
      return h("blockquote", {}, ...drawLines(childrenOf(node), now));
    case "heading":
      return h("h3", { class: `level-${node.level ?? 1}` }, ...drawInlines(childrenOf(node), now));
    default:
      return undefined;
  }
}

/**
 * @param {readonly Markdown[]} nodes
 * @param {number} now Unix milliseconds
 * @returns {VNode[]}
 */
export function drawInlines(nodes, now) {
  return nodes.map((node) => drawInline(node, now));
}

/**
 * @param {Markdown} node
 * @param {number} now
 * @returns {VNode}
 */
function drawInline(node, now) {
  if (typeof node.content === "string" && (node.type === "text" || node.type === "plain")) return visible(node.content);
  const children = drawInlines(childrenOf(node), now);
  const tag = TAGS[node.type];
  if (tag !== undefined) return h(tag, {}, ...children);
  const draw = INLINES[node.type];
  if (draw !== undefined) return draw(node, children, now);
  // What this page does not know is shown as it came.
  return h("span", {}, ...(children.length === 0 ? [visible(JSON.stringify(node))] : children));
}

/** @type {Readonly<Record<string, "strong" | "em" | "u" | "s" | "code">>} */
const TAGS = { strong: "strong", em: "em", underline: "u", strikethrough: "s", inlineCode: "code" };

/** @typedef {(node: Markdown, children: readonly VNode[], now: number) => VNode} DrawInline */

/** @type {DrawInline} */
const link = ({ target = "" }, children) => drawLink(target, children);
/** @param {string} sign @returns {DrawInline} */
const mention =
  (sign) =>
  ({ id = "" }) =>
    drawMention(`${sign}${id}`);
/** @type {DrawInline} */
const everybody = ({ type }) => drawMention(`@${type}`);

/** @type {Readonly<Record<string, DrawInline>>} */
const INLINES = {
  link,
  url: link,
  autolink: link,
  user: mention("@"),
  role: mention("@"),
  channel: mention("#"),
  slashCommand: ({ fullName = "" }) => drawMention(`/${fullName}`),
  everyone: everybody,
  here: everybody,
  twemoji: ({ name = "" }) => visible(name),
  emoji: ({ name = "" }) => `:${visible(name)}:`,
  timestamp: ({ timestamp = "0", format = "f" }, _children, now) =>
    drawTime(timestamp, format === "R", now, (moment) => moment.slice(...(TIME_PARTS[format] ?? []))),
  br: () => "\n",
  newline: () => "\n",
};

/**
 * What each format shows of a moment (https://docs.discord.com/developers/reference#message-formatting).
 *
 * @type {Readonly<Record<string, readonly [from: number, to: number]>>}
 */
const TIME_PARTS = { d: [0, 10], D: [0, 10], t: [11, 16], T: [11, 19], f: [0, 16], F: [0, 16] };

/** @param {string} name */
function drawMention(name) {
  return h("span", { class: "mention" }, visible(name));
}

/**
 * @param {Markdown} node
 * @returns {readonly Markdown[]}
 */
function childrenOf({ content = [] }) {
  return typeof content === "string" ? [{ type: "plain", content }] : content;
}
