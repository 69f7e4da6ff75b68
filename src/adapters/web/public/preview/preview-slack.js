// @ts-check
// A reply as Slack shows it, from the very blocks that would be sent. Slack's markup is read here as Slack reads it, so
// that a slip in escaping is seen.
/** @import { VElement, VNode } from "../vnode/vnode.js" */
import { drawFiles, drawLink, drawMessage, drawPress, drawTime } from "./drawn-message.js";
import { visible } from "../reply/render-text.js";
import { h } from "../vnode/vnode.js";

/**
 * @typedef {{ readonly type: string, readonly text: string }} TextObject
 * @typedef {{ readonly type: string, readonly text?: TextObject, readonly style?: string, readonly url?: string }} Element
 * @typedef {{ readonly type: string, readonly text?: TextObject, readonly fields?: readonly TextObject[],
 *   readonly elements?: readonly (Element | TextObject)[], readonly rows?: readonly (readonly { readonly text: string }[])[],
 *   readonly column_settings?: readonly { readonly align?: string }[] }} Block
 * @typedef {{ readonly name: string, readonly alt?: string, readonly sizeBytes: number }} File
 * @typedef {{ readonly message: { readonly blocks: readonly Block[] }, readonly files: readonly File[],
 *   readonly filesLater: boolean, readonly onlyAsker: boolean }} Payload
 */

/**
 * @param {unknown} given
 * @param {number} sent Unix milliseconds
 * @param {number} now The moment of reading, in Unix milliseconds.
 * @returns {VElement}
 */
export function draw(given, sent, now = Date.now()) {
  const { message, files, filesLater, onlyAsker } = /** @type {Payload} */ (given);
  return drawMessage(sent, [
    onlyAsker ? h("p", { class: "only" }, "Only visible to you") : undefined,
    ...message.blocks.map((block) => drawBlock(block, now)),
    filesLater ? undefined : drawFiles(files),
  ]);
}

/**
 * @param {Block} block
 * @param {number} now
 * @returns {VNode}
 */
function drawBlock(block, now) {
  switch (block.type) {
    case "header":
      return h("h3", {}, ...drawPlain(block.text));
    case "section":
      return h(
        "div",
        { class: "section" },
        block.text === undefined ? undefined : h("div", {}, ...drawText(block.text, now)),
        block.fields === undefined
          ? undefined
          : h("div", { class: "fields" }, ...block.fields.map((field) => h("div", {}, ...drawText(field, now)))),
      );
    case "context":
      return h("small", { class: "context" }, ...textsOf(block).flatMap((text) => drawText(text, now)));
    case "actions":
      return h(
        "div",
        { class: "actions" },
        ...elementsOf(block).map(({ text, style = "", url }) => drawPress(drawPlain(text).join(""), style, url)),
      );
    case "table":
      return drawTable(block);
    default:
      return h("p", {}, `(a block of the kind ${block.type})`);
  }
}

/** @param {Block} block */
function textsOf({ elements = [] }) {
  return /** @type {readonly TextObject[]} */ (elements);
}

/** @param {Block} block */
function elementsOf({ elements = [] }) {
  return /** @type {readonly Element[]} */ (elements);
}

/**
 * @param {Block} block
 * @returns {VElement}
 */
function drawTable({ rows = [], column_settings: columns = [] }) {
  const [head = [], ...rest] = rows;
  /**
   * @param {"th" | "td"} tag
   * @param {readonly { readonly text: string }[]} cells
   */
  const row = (tag, cells) =>
    h(
      "tr",
      {},
      ...cells.map(({ text }, index) =>
        h(tag, { class: columns[index]?.align === "right" ? "right" : undefined }, visible(plain(text))),
      ),
    );
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", {}, h("thead", {}, row("th", head)), h("tbody", {}, ...rest.map((cells) => row("td", cells)))),
  );
}

/**
 * @param {TextObject | undefined} text
 * @returns {string[]}
 */
function drawPlain(text) {
  return text === undefined ? [] : [visible(plain(text.text))];
}

/** @param {string} text */
function plain(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/**
 * @param {TextObject} text
 * @param {number} now
 * @returns {VNode[]}
 */
function drawText(text, now) {
  if (text.type !== "mrkdwn") return drawPlain(text);
  return text.text.split(/(```[^]*?```)/u).flatMap((part) => {
    if (part.startsWith("```") && part.endsWith("```") && part.length > 6) {
      return [h("pre", {}, h("code", {}, visible(plain(part.slice(3, -3).replace(/^\n|\n$/gu, "")))))];
    }
    const lines = part.split("\n");
    const [only = ""] = lines;
    return lines.length === 1
      ? drawLine(only, now)
      : lines.filter((line) => line !== "").map((line) => h("div", { class: "line" }, ...drawLine(line, now)));
  });
}

/**
 * One line: code first, then what stands between angle brackets, then bold, as Slack does.
 *
 * @param {string} line
 * @param {number} now
 * @returns {VNode[]}
 */
function drawLine(line, now) {
  return line.split(/(`[^`]+`)/u).flatMap((part) => {
    if (/^`[^`]+`$/u.test(part))
      return [h("code", { "data-copy": plain(part.slice(1, -1)) }, visible(plain(part.slice(1, -1))))];
    return part
      .split(/(?<![\p{L}\p{N}*])(\*[^*\s](?:[^*]*[^*\s])?\*)(?![\p{L}\p{N}*])/u)
      .flatMap((piece, index) =>
        index % 2 === 1 ? [h("strong", {}, ...drawControls(piece.slice(1, -1), now))] : drawControls(piece, now),
      );
  });
}

/**
 * Links, times and plain text.
 *
 * @param {string} text
 * @param {number} now
 * @returns {VNode[]}
 */
function drawControls(text, now) {
  return text.split(/(<[^<>]*>)/u).map((part) => {
    if (!part.startsWith("<")) return visible(plain(part).replaceAll("\u200B", ""));
    const inside = part.slice(1, -1);
    const bar = inside.indexOf("|");
    const [target, label] = bar === -1 ? [inside, inside] : [inside.slice(0, bar), inside.slice(bar + 1)];
    if (target.startsWith("!date^")) return drawDate(target, label, now);
    const url = plain(target);
    const shown = visible(plain(label).replaceAll("\u200B", ""));
    return drawLink(url, [shown], "mention");
  });
}

/**
 * @param {string} target
 * @param {string} fallback
 * @param {number} now
 * @returns {VNode}
 */
function drawDate(target, fallback, now) {
  const [, seconds = "0", format = ""] = target.split("^");
  if (!/\{(?:date|time|ago)/u.test(format)) return visible(plain(fallback));
  return drawTime(seconds, format.includes("{ago}"), now);
}
