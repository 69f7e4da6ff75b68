// @ts-check
// A reply as Discord's app shows it, from the very message that would be sent and its markdown as Discord reads it.
/** @import { VElement, VNode } from "../vnode/vnode.js" */
import { drawFiles, drawLink, drawMessage, drawPress, drawTime } from "./drawn-message.js";
import { visible } from "../reply/render-text.js";
import { h } from "../vnode/vnode.js";

/**
 * @typedef {{ readonly type: string, readonly content?: string | readonly Markdown[], readonly target?: string, readonly id?: string,
 *   readonly timestamp?: string, readonly format?: string, readonly lang?: string }} Markdown
 * @typedef {{ readonly name: string, readonly alt?: string, readonly sizeBytes: number }} File
 * @typedef {{ readonly type: number, readonly style: number, readonly label?: string, readonly url?: string }} Button
 * @typedef {{ readonly color?: number, readonly url?: string, readonly image?: { readonly url: string } }} Embed
 * @typedef {{
 *   readonly message: { readonly content?: string, readonly embeds: readonly Embed[], readonly components: readonly { readonly components: readonly Button[] }[] },
 *   readonly embeds: readonly { readonly title: readonly Markdown[], readonly description: readonly Markdown[] }[],
 *   readonly files: readonly File[],
 *   readonly onlyAsker: boolean,
 * }} Payload
 */

const LINK_STYLE = 5;
const STYLES = ["", "primary", "secondary", "success", "danger", "link"];

/**
 * @param {unknown} given
 * @param {number} sent Unix milliseconds
 * @param {number} now The moment of reading, in Unix milliseconds.
 * @returns {VElement}
 */
export function draw(given, sent, now = Date.now()) {
  const { message, embeds, files, onlyAsker } = /** @type {Payload} */ (given);
  const pictures = new Set(message.embeds.map((embed) => embed.image?.url));
  const plain = files.filter((file) => !pictures.has(`attachment://${file.name}`));
  return drawMessage(sent, [
    ...message.embeds.map((embed, index) => drawEmbed(embed, embeds[index], files, now)),
    drawFiles(plain),
    ...message.components.map((row) => h("div", { class: "actions" }, ...row.components.map(drawButton))),
    onlyAsker ? h("p", { class: "only" }, "Only you can see this") : undefined,
  ]);
}

/**
 * @param {Embed} embed
 * @param {Payload["embeds"][number] | undefined} text
 * @param {readonly File[]} files
 * @param {number} now
 */
function drawEmbed(embed, text, files, now) {
  const title = drawInlines(text?.title ?? [], now);
  const picture = files.find((file) => `attachment://${file.name}` === embed.image?.url);
  return h(
    "section",
    { class: `embed color-${(embed.color ?? 0).toString(16).padStart(6, "0")}` },
    title.length === 0 ? undefined : h("h3", {}, ...(embed.url === undefined ? title : [drawLink(embed.url, title)])),
    h("div", { class: "description" }, ...drawLines(text?.description ?? [], now)),
    picture === undefined
      ? undefined
      : h("p", { class: "picture" }, h("b", {}, visible(picture.name)), visible(picture.alt ?? "")),
  );
}

/**
 * Markdown line by line, since lists and small print are lines.
 *
 * @param {readonly Markdown[]} nodes
 * @param {number} now
 * @returns {VNode[]}
 */
function drawLines(nodes, now) {
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
    if (node.type === "codeBlock") {
      endLine();
      drawn.push(h("pre", {}, h("code", {}, ...drawInlines(childrenOf(node), now))));
    } else if (node.type === "subtext") {
      endLine();
      drawn.push(h("div", { class: "subtext" }, ...drawInlines(childrenOf(node), now)));
    } else line.push(node);
  }
  endLine();
  return drawn;
}

/**
 * @param {readonly Markdown[]} nodes
 * @param {number} now
 * @returns {VNode[]}
 */
function drawInlines(nodes, now) {
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
  switch (node.type) {
    case "strong":
      return h("strong", {}, ...children);
    case "em":
      return h("em", {}, ...children);
    case "underline":
      return h("u", {}, ...children);
    case "strikethrough":
      return h("s", {}, ...children);
    case "inlineCode":
      return h("code", {}, ...children);
    case "link":
    case "url":
    case "autolink":
      return drawLink(node.target ?? "", children);
    case "user":
      return h("span", { class: "mention" }, `@${visible(node.id ?? "")}`);
    case "timestamp":
      return drawTime(node.timestamp ?? "0", node.format === "R", now);
    default:
      return h("span", {}, ...children);
  }
}

/**
 * @param {Markdown} node
 * @returns {readonly Markdown[]}
 */
function childrenOf({ content = [] }) {
  return typeof content === "string" ? [{ type: "plain", content }] : content;
}

/** @param {Button} button */
function drawButton({ label = "", style, url }) {
  return drawPress(visible(label), STYLES[style] ?? "secondary", style === LINK_STYLE ? url : undefined);
}
