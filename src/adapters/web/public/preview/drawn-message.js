// @ts-check
// Shared by the previews of Discord and Slack: a message of the app, its links, times, buttons and files. Their style
// sheets set the appearance.
/** @import { PreviewPress } from "../../render.ts" */
/** @import { VElement, VNode } from "../vnode/vnode.js" */
import { formatBytes } from "../reply/render-files.js";
import { visible } from "../reply/render-text.js";
import { age, exactUtc, localTime, machineTime, toMillis } from "../reply/times.js";
import { h, isSafeLink } from "../vnode/vnode.js";

/**
 * A message of the app's. What can be pressed in it and does nothing here is seen to do nothing.
 *
 * @param {number} sent When the app sent it, in Unix milliseconds.
 * @param {readonly (VNode | undefined)[]} content
 * @param {Readonly<Record<string, PreviewPress>>} [presses]
 * @returns {VElement}
 */
export function drawMessage(sent, content, presses = {}) {
  return h(
    "article",
    { class: "message" },
    h("div", { class: "avatar", "aria-hidden": "true" }, "B"),
    h(
      "div",
      { class: "body" },
      h("header", {}, h("b", {}, "Bellwether"), h("span", { class: "app" }, "APP"), h("small", {}, drawClock(sent))),
      ...content.map((part) => (part === undefined ? undefined : withPresses(part, presses))),
    ),
  );
}

/** What needs the platform itself: a channel to post to, a form, a file. */
const INERT = { tabindex: "-1", "aria-disabled": "true", title: "This does nothing in a preview." };

/**
 * @param {VNode} node
 * @param {Readonly<Record<string, PreviewPress>>} presses
 * @returns {VNode}
 */
function withPresses(node, presses) {
  if (typeof node === "string") return node;
  const { "data-press": press, ...attrs } = node.attrs;
  const isInert = press !== undefined && !Object.hasOwn(presses, press);
  const children = node.children.map((child) => withPresses(child, presses));
  return { ...node, attrs: isInert ? { ...attrs, ...INERT } : node.attrs, children };
}

/**
 * The time of day in the reader's zone, which stays true while the message is looked at.
 *
 * @param {number} sent
 */
function drawClock(sent) {
  const at = `${BigInt(Math.trunc(sent))}000000`;
  return h("time", { datetime: machineTime(at), title: exactUtc(at) }, localTime(at, undefined).slice(11, 16));
}

/**
 * The files beside a message; undefined where there are none.
 *
 * @param {readonly { readonly name: string, readonly sizeBytes: number }[]} files
 */
export function drawFiles(files) {
  return files.length === 0 ? undefined : h("ul", { class: "files" }, ...files.map((file) => drawFile(file, "li")));
}

/**
 * @param {{ readonly name: string, readonly sizeBytes: number }} file
 * @param {"div" | "li"} tag
 */
export function drawFile({ name, sizeBytes }, tag) {
  return h(tag, { class: "file" }, h("b", {}, visible(name)), h("small", {}, formatBytes(sizeBytes)));
}

/**
 * A menu to choose from; without choices it does not open here.
 *
 * @param {string} label What is chosen, or what to choose.
 * @param {readonly VNode[]} [choices] What can be pressed in it.
 */
export function drawMenu(label, choices = []) {
  const shown = [h("span", {}, label), h("span", { "aria-hidden": "true" }, "⌄")];
  if (choices.length === 0) return h("button", { type: "button", class: "press menu", ...INERT }, ...shown);
  return drawOpening("menu", {}, shown, choices);
}

/**
 * Something that opens a list of what can be pressed.
 *
 * @param {string} kind
 * @param {Readonly<Record<string, string>>} attrs
 * @param {readonly (VNode | undefined)[]} label
 * @param {readonly VNode[]} choices
 */
export function drawOpening(kind, attrs, label, choices) {
  return h(
    "details",
    { class: "opens" },
    h("summary", { class: `press ${kind}`, ...attrs }, ...label),
    h("div", { class: "choices" }, ...choices),
  );
}

/**
 * A part that this page does not know, as it is sent: nothing is left out.
 *
 * @param {unknown} part
 */
export function drawUnknown(part) {
  return h("pre", { class: "unknown" }, h("code", {}, visible(JSON.stringify(part, undefined, 1))));
}

/**
 * A link; what leads nowhere safe is shown as text, under the given class.
 *
 * @param {string} url
 * @param {readonly VNode[]} children
 * @param {string} [unsafe]
 */
export function drawLink(url, children, unsafe) {
  return isSafeLink(url)
    ? h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, ...children)
    : h("span", { class: unsafe }, ...children);
}

/**
 * A time as the reader's app writes it: its age, or the moment in the reader's zone.
 *
 * @param {string} seconds Unix seconds in decimal
 * @param {boolean} isRelative
 * @param {number} now Unix milliseconds
 * @param {(moment: string) => string} shown What it shows of `2026-01-15 12:00:05 UTC`.
 */
export function drawTime(seconds, isRelative, now, shown) {
  const at = `${seconds}000000000`;
  const attrs = { datetime: machineTime(at), title: exactUtc(at), class: "timestamp" };
  if (!isRelative) return h("time", attrs, shown(localTime(at, undefined)));
  // The page keeps it true, as both apps do.
  const millis = toMillis(at);
  return h("time", { ...attrs, "data-age": String(millis) }, age(millis, now));
}

/**
 * A button; one with a safe address is a link that looks like a button.
 *
 * @param {string} label
 * @param {string} kind The platform's name for how it looks; empty for the usual.
 * @param {{ readonly url?: string | undefined, readonly press?: string | undefined }} [does] `press`: its name among
 *   the presses of the message.
 */
export function drawPress(label, kind, { url, press } = {}) {
  if (url !== undefined && isSafeLink(url)) {
    const attrs = { class: "press link", href: url, target: "_blank", rel: "noopener noreferrer" };
    return h("a", attrs, `${label} ↗`);
  }
  return h("button", { type: "button", class: `press ${kind}`.trim(), "data-press": press ?? "" }, label);
}
