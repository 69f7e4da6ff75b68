// @ts-check
// A reply as Slack shows it, from the very blocks that would be sent.
/** @import { PreviewPress } from "../../web/render.ts" */
/** @import { VElement, VNode } from "../../web/public/vnode/vnode.js" */
/** @import { RichText, TextObject } from "./markup.js" */
import {
  drawFiles,
  drawMenu,
  drawMessage,
  drawOpening,
  drawPress,
  drawUnknown,
} from "../../web/public/preview/drawn-message.js";
import { drawPlain, drawRichText, drawText } from "./markup.js";
import { visible } from "../../web/public/reply/render-text.js";
import { h } from "../../web/public/vnode/vnode.js";

/**
 * @typedef {{ readonly text: TextObject, readonly description?: TextObject, readonly value?: string, readonly url?: string }} Choice
 * @typedef {{ readonly type: string, readonly text?: TextObject, readonly style?: string, readonly url?: string, readonly value?: string,
 *   readonly placeholder?: TextObject, readonly options?: readonly Choice[], readonly initial_option?: Choice,
 *   readonly initial_options?: readonly Choice[], readonly initial_value?: string, readonly initial_date?: string,
 *   readonly initial_time?: string, readonly initial_date_time?: number, readonly alt_text?: string }} Element
 * @typedef {{ readonly type: string, readonly text?: string | number, readonly value?: number, readonly elements?: readonly RichText[] }} Cell
 * @typedef {{ readonly type: string, readonly text?: TextObject,
 *   readonly elements?: readonly (Element | TextObject | RichText)[], readonly accessory?: Element, readonly rows?: readonly (readonly Cell[])[],
 *   readonly column_settings?: readonly { readonly align?: string }[], readonly label?: TextObject, readonly hint?: TextObject,
 *   readonly element?: Element, readonly alt_text?: string, readonly title?: TextObject, readonly caption?: string,
 *   readonly page_size?: number }} Block
 * @typedef {{ readonly name: string, readonly alt?: string, readonly sizeBytes: number }} File
 * @typedef {{ readonly text?: string, readonly blocks?: readonly Block[],
 *   readonly attachments?: readonly { readonly blocks?: readonly Block[] }[] }} Message
 * @typedef {{ readonly message: Message, readonly files: readonly File[], readonly filesLater: boolean,
 *   readonly presses?: Readonly<Record<string, PreviewPress>>, readonly onlyAsker: boolean }} Payload
 */

/**
 * @param {unknown} given
 * @param {number} sent Unix milliseconds
 * @param {number} now The moment of reading, in Unix milliseconds.
 * @returns {VElement}
 */
export function draw(given, sent, now = Date.now()) {
  const { message, files, filesLater, presses, onlyAsker } = /** @type {Payload} */ (given);
  const { text = "", blocks = [], attachments = [] } = message;
  const parts = [
    onlyAsker ? h("p", { class: "only" }, "Only visible to you") : undefined,
    // Slack shows the text only where there is nothing else; it is also what a notification says.
    ...(blocks.length === 0 && attachments.length === 0 ? drawText({ type: "mrkdwn", text }, now) : []),
    ...blocks.map((block) => drawBlock(block, now)),
    ...attachments.map((attachment) =>
      h("div", { class: "attachment" }, ...(attachment.blocks ?? []).map((block) => drawBlock(block, now))),
    ),
    filesLater ? undefined : drawFiles(files),
  ];
  return drawMessage(sent, parts, presses);
}

/**
 * A block by its type (https://docs.slack.dev/reference/block-kit/blocks).
 *
 * @param {Block} block
 * @param {number} now
 * @returns {VNode}
 */
function drawBlock(block, now) {
  const elements = /** @type {readonly Element[]} */ (block.elements ?? []);
  switch (block.type) {
    case "header":
      return h("h3", {}, ...drawPlain(block.text));
    case "section":
      return drawSection(block, now);
    case "context":
      return h(
        "small",
        { class: "context" },
        ...elements.flatMap((part) =>
          part.type === "image"
            ? drawAlt(part.alt_text)
            : drawText({ type: part.type, text: typeof part.text === "string" ? part.text : "" }, now),
        ),
      );
    case "actions":
      return h("div", { class: "actions" }, ...elements.map((element) => drawElement(element, now)));
    case "divider":
      return h("hr", {});
    case "image":
      return h("div", { class: "picture" }, ...drawPlain(block.title), drawAlt(block.alt_text));
    case "rich_text":
      return h(
        "div",
        { class: "section" },
        ...drawRichText(/** @type {readonly RichText[]} */ (block.elements ?? []), now),
      );
    case "table":
    case "data_table":
      return drawTable(block, now);
    case "input":
      return h(
        "div",
        { class: "field" },
        h("strong", {}, ...drawPlain(block.label)),
        block.element === undefined ? undefined : drawElement(block.element, now),
        block.hint === undefined ? undefined : h("small", { class: "context" }, ...drawPlain(block.hint)),
      );
    default:
      return drawUnknown(block);
  }
}

/**
 * @param {Block} block
 * @param {number} now
 */
function drawSection({ text, accessory }, now) {
  const words = text === undefined ? undefined : h("div", {}, ...drawText(text, now));
  return accessory === undefined
    ? h("div", { class: "section" }, words)
    : h("div", { class: "section beside" }, words, drawElement(accessory, now));
}

/**
 * An element by its type (https://docs.slack.dev/reference/block-kit/block-elements).
 *
 * @param {Element} element
 * @param {number} now
 * @returns {VNode}
 */
function drawElement(element, now) {
  const { type, text, style = "", url, placeholder, options = [] } = element;
  if (type === "button" || type === "workflow_button")
    return drawPress(drawPlain(text).join(""), style, { url, press: element.value });
  if (type === "overflow") return drawOpening("more", { "aria-label": "More actions" }, ["⋯"], options.map(drawChoice));
  if (type === "checkboxes" || type === "radio_buttons") return drawBoxes(element, now);
  if (/^(?:date|time|datetime)picker$/u.test(type)) return drawPicker(element);
  if (type === "image") return drawAlt(element.alt_text);
  if (type.endsWith("_select")) {
    const chosen = chosenOf(element);
    const shown = chosen.length > 0 ? chosen : [{ text: placeholder }];
    const choices = type === "static_select" ? options.map(drawChoice) : [];
    return drawMenu(shown.flatMap((one) => drawPlain(one.text)).join(", "), choices);
  }
  if (type.endsWith("_input"))
    return h("span", { class: "typed" }, visible(element.initial_value ?? drawPlain(placeholder).join("")));
  return drawUnknown(element);
}

/** @param {Element} element */
function chosenOf({ initial_options: several = [], initial_option: one }) {
  return one === undefined ? several : [...several, one];
}

/**
 * @param {Element} element
 * @param {number} now
 */
function drawBoxes(element, now) {
  const chosen = chosenOf(element);
  const items = (element.options ?? []).map(({ value, text }) => {
    const isChosen = chosen.some((one) => one.value === value);
    return h("li", {}, isChosen ? "☑ " : "☐ ", ...drawText(text, now));
  });
  return h("ul", { class: "bullets" }, ...items);
}

/** @param {Element} element */
function drawPicker({ initial_date: day, initial_time: time, initial_date_time: at, placeholder }) {
  const moment = at === undefined ? undefined : formatUtc(at);
  const shown = moment ?? day ?? time ?? drawPlain(placeholder).join("");
  return drawMenu(shown === "" ? "Choose" : visible(shown));
}

/** @param {Choice} choice */
function drawChoice({ text, description, value, url }) {
  const lines = [text, description].filter((line) => line !== undefined);
  return drawPress(lines.flatMap(drawPlain).join(" · "), "choice", { url, press: value });
}

/**
 * @param {number} seconds Unix time
 */
function formatUtc(seconds) {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().slice(0, 16).replace("T", " ");
}

/**
 * A picture, described: the page loads none.
 *
 * @param {string} [alt]
 */
function drawAlt(alt = "") {
  return h("span", { class: "picture" }, visible(alt));
}

/**
 * @param {Block} block
 * @param {number} now
 * @returns {VElement}
 */
function drawTable({ rows = [], column_settings: columns = [], caption, page_size: size = rows.length }, now) {
  const [head = [], ...rest] = rows;
  const pages = Math.ceil(rest.length / Math.max(1, size));
  /**
   * @param {"th" | "td"} tag
   * @param {readonly Cell[]} cells
   */
  const row = (tag, cells) =>
    h(
      "tr",
      {},
      ...cells.map((cell, index) =>
        h(tag, { class: columns[index]?.align === "right" ? "right" : undefined }, ...drawCell(cell, now)),
      ),
    );
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      caption === undefined ? undefined : h("caption", {}, visible(caption)),
      h("thead", {}, row("th", head)),
      h("tbody", {}, ...rest.slice(0, size).map((cells) => row("td", cells))),
    ),
    pages < 2 ? undefined : h("p", { class: "only" }, `Page 1 of ${pages}`),
  );
}

/**
 * @param {Cell} cell
 * @param {number} now
 * @returns {VNode[]}
 */
function drawCell(cell, now) {
  switch (cell.type) {
    case "raw_text":
      return drawPlain({ type: "plain_text", text: String(cell.text ?? "") });
    case "raw_number":
      return [visible(String(cell.text ?? cell.value ?? ""))];
    case "rich_text":
      return drawRichText(cell.elements ?? [], now);
    default:
      return [drawUnknown(cell)];
  }
}
