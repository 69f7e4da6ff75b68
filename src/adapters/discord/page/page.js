// @ts-check
// A reply as Discord's app shows it, from the very message that would be sent and its markdown as Discord reads it.
/** @import { PreviewPress } from "../../web/render.ts" */
/** @import { VElement, VNode } from "../../web/public/vnode/vnode.js" */
/** @import { Markdown } from "./markdown.js" */
import { drawInlines, drawLines } from "./markdown.js";
import {
  drawFile,
  drawFiles,
  drawLink,
  drawMenu,
  drawMessage,
  drawPress,
  drawUnknown,
} from "../../web/public/preview/drawn-message.js";
import { visible } from "../../web/public/reply/render-text.js";
import { h } from "../../web/public/vnode/vnode.js";

/**
 * @typedef {{ readonly name: string, readonly alt?: string, readonly sizeBytes: number }} File
 * @typedef {{ readonly url: string }} Media
 * @typedef {{ readonly name?: string | null }} Emoji
 * @typedef {{ readonly label: string, readonly value?: string, readonly default?: boolean }} SelectOption
 * @typedef {{ readonly type: number, readonly style?: number, readonly label?: string, readonly url?: string, readonly emoji?: Emoji, readonly custom_id?: string,
 *   readonly content?: string, readonly placeholder?: string, readonly options?: readonly SelectOption[],
 *   readonly components?: readonly Component[], readonly accessory?: Component, readonly accent_color?: number | null,
 *   readonly divider?: boolean, readonly spacing?: number, readonly media?: Media, readonly file?: Media,
 *   readonly items?: readonly { readonly media: Media, readonly description?: string | null }[], readonly description?: string | null }} Component
 * @typedef {{ readonly color?: number, readonly url?: string, readonly image?: Media }} Embed
 * @typedef {{
 *   readonly message: { readonly content?: string, readonly embeds?: readonly Embed[], readonly components?: readonly Component[] },
 *   readonly embeds: readonly { readonly title: readonly Markdown[], readonly description: readonly Markdown[] }[],
 *   readonly texts: Readonly<Record<string, readonly Markdown[]>>,
 *   readonly files: readonly File[],
 *   readonly presses?: Readonly<Record<string, PreviewPress>>,
 *   readonly onlyAsker: boolean,
 * }} Payload
 * @typedef {Pick<Payload, "texts" | "files"> & { readonly now: number }} Around
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
  const { message, embeds, texts, files, presses = {}, onlyAsker } = /** @type {Payload} */ (given);
  const around = { texts, files, now };
  const { content = "", embeds: shown = [], components = [] } = message;
  // A file that a part of the message shows does not stand beside it as well.
  const named = JSON.stringify(message);
  const parts = [
    content === "" ? undefined : h("div", { class: "content" }, ...drawContent(content, around)),
    ...shown.map((embed, index) => drawEmbed(embed, embeds[index], around)),
    drawFiles(files.filter(({ name }) => !named.includes(JSON.stringify(`attachment://${name}`)))),
    ...components.map((component) => drawComponent(component, around)),
    onlyAsker ? h("p", { class: "only" }, "Only you can see this") : undefined,
  ];
  return drawMessage(sent, parts, presses);
}

/**
 * @param {string} content
 * @param {Around} around
 * @returns {VNode[]}
 */
function drawContent(content, { texts, now }) {
  const parsed = texts[content];
  return parsed === undefined ? [visible(content)] : drawLines(parsed, now);
}

/**
 * @param {Embed} embed
 * @param {Payload["embeds"][number] | undefined} text
 * @param {Around} around
 */
function drawEmbed(embed, text, { files, now }) {
  const title = drawInlines(text?.title ?? [], now);
  return h(
    "section",
    { class: `embed ${colorClass(embed.color)}` },
    title.length === 0 ? undefined : h("h3", {}, ...(embed.url === undefined ? title : [drawLink(embed.url, title)])),
    h("div", { class: "description" }, ...drawLines(text?.description ?? [], now)),
    embed.image === undefined ? undefined : drawPicture(embed.image, files),
  );
}

/** @param {number | null | undefined} color */
function colorClass(color) {
  return `color-${(color ?? 0).toString(16).padStart(6, "0")}`;
}

/**
 * A component by its type (https://discord.com/developers/docs/components/reference).
 *
 * @param {Component} component
 * @param {Around} around
 * @returns {VElement}
 */
function drawComponent(component, around) {
  return (COMPONENTS[component.type] ?? drawUnknown)(component, around);
}

/**
 * @param {Component} component
 * @param {Around} around
 */
function drawChildren({ components = [] }, around) {
  return components.map((child) => drawComponent(child, around));
}

/** @type {DrawComponent} */
function drawSelect({ options = [], custom_id: id = "", placeholder }) {
  const chosen = options.find((option) => option.default === true)?.label;
  const choices = options.map(({ label, value = "" }) =>
    drawPress(visible(label), "choice", { press: `${id} ${value}` }),
  );
  return drawMenu(visible(chosen ?? placeholder ?? "Make a selection"), choices);
}

/** @typedef {(component: Component, around: Around) => VElement} DrawComponent */

/** @type {Readonly<Record<number, DrawComponent>>} */
const COMPONENTS = {
  1: (row, around) => h("div", { class: "actions" }, ...drawChildren(row, around)),
  2: drawButton,
  3: drawSelect,
  5: drawSelect,
  6: drawSelect,
  7: drawSelect,
  8: drawSelect,
  9: (section, around) =>
    h(
      "div",
      { class: "beside" },
      h("div", {}, ...drawChildren(section, around)),
      section.accessory === undefined ? undefined : drawComponent(section.accessory, around),
    ),
  10: ({ content = "" }, around) => h("div", { class: "description" }, ...drawContent(content, around)),
  11: ({ media }, { files }) => drawPicture(media, files, "thumbnail"),
  12: ({ items = [] }, { files }) =>
    h("div", { class: "pictures" }, ...items.map(({ media }) => drawPicture(media, files))),
  13: (component, { files }) => {
    const file = files.find(({ name }) => `attachment://${name}` === component.file?.url);
    return file === undefined ? drawUnknown(component) : h("div", { class: "files" }, drawFile(file, "div"));
  },
  14: ({ divider, spacing }) =>
    h("hr", { class: `separator${divider === false ? " blank" : ""}${spacing === 2 ? " large" : ""}` }),
  17: (container, around) => {
    const { accent_color: accent } = container;
    const color = typeof accent === "number" ? colorClass(accent) : "plain";
    return h("section", { class: `embed container ${color}` }, ...drawChildren(container, around));
  },
};

/**
 * A picture of the message's own is described: the page loads none.
 *
 * @param {Media | undefined} media
 * @param {readonly File[]} files
 * @param {string} [kind]
 */
function drawPicture(media, files, kind = "") {
  const file = files.find(({ name }) => `attachment://${name}` === media?.url);
  const name = file?.name ?? media?.url ?? "";
  return h("p", { class: `picture ${kind}` }, h("b", {}, visible(name)), visible(file?.alt ?? ""));
}

/** @param {Component} button */
function drawButton({ label = "", style = 2, url, emoji, custom_id: id }) {
  const words = [emoji?.name ?? "", label].filter((word) => word !== "").join(" ");
  const does = style === LINK_STYLE ? { url } : { press: id };
  return drawPress(visible(words), STYLES[style] ?? "secondary", does);
}
