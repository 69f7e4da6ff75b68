// @ts-check
// A picture as the bot draws it, in the colours of the page.
/** @import { Block } from "../../../../reply/document.ts" */
/** @import { SvgElement } from "../../../../chart/draw/svg.js" */
/** @import { VElement } from "../vnode/vnode.js" */
import { BY_STYLE, drawScene } from "../../../../chart/draw/draw.js";
import { visible } from "./render-text.js";
import { h } from "../vnode/vnode.js";

/**
 * @param {Extract<Block, { kind: "chart" }>} block
 * @param {number} index Its place in the reply.
 * @returns {VElement}
 */
export function renderChart({ scene, alt }, index) {
  const drawn = nodeOf(drawScene(scene, BY_STYLE, `chart-${scene.from}-${index}`));
  const { tag, attrs, children } = drawn;
  return h(
    "figure",
    { class: "chart" },
    { tag, attrs: { ...attrs, role: "img", "aria-label": visible(alt) }, children },
  );
}

/**
 * Every tag of a picture is one that the page knows; a test looks.
 *
 * @param {SvgElement} element
 * @returns {VElement}
 */
function nodeOf({ tag, attrs, children }) {
  return {
    tag: /** @type {VElement["tag"]} */ (tag),
    attrs,
    children: children.map((child) => (typeof child === "string" ? child : nodeOf(child))),
  };
}
