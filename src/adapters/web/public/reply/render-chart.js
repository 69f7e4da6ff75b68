// @ts-check
// A picture as the bot draws it, in the colours of the page.
/** @import { Block, ReplyJson } from "../../../../reply/document.ts" */
/** @import { SvgElement } from "../../../../chart/draw/svg.js" */
/** @import { VElement } from "../vnode/vnode.js" */
import { BY_STYLE, drawScene, FRAME, TALL } from "../../../../chart/draw/draw.js";
import { visible } from "./render-text.js";
import { h } from "../vnode/vnode.js";

/** A narrower picture is made smaller. */
const LEAST_WIDTH = 280;

/**
 * @param {Pick<Extract<Block, { kind: "chart" }>, "scene" | "alt">} block
 * @param {string} id Tells its patterns from those of other pictures.
 * @param {{ readonly width: number, readonly height: number }} [frame] Left out: as chats get it.
 * @returns {VElement}
 */
export function drawChart({ scene, alt }, id, frame) {
  const { tag, attrs, children } = nodeOf(drawScene(scene, BY_STYLE, id, frame));
  return h(
    "figure",
    { class: "chart", "data-chart": id },
    { tag, attrs: { ...attrs, role: "img", "aria-label": visible(alt) }, children },
  );
}

/**
 * A reply whose pictures do not say its own title again.
 *
 * @param {ReplyJson} reply
 * @returns {ReplyJson}
 */
export function titledOnce(reply) {
  const title = reply.title.map((one) => ("text" in one ? one.text : "")).join("");
  const blocks = reply.blocks.map((block) =>
    block.kind === "chart" && title.endsWith(block.scene.title)
      ? { ...block, scene: { ...block.scene, title: "" } }
      : block,
  );
  return { ...reply, blocks };
}

/**
 * Pictures of a page with the same time have the same patterns.
 *
 * @param {Extract<Block, { kind: "chart" }>} block
 */
export function chartId({ scene }) {
  return `chart-${scene.from}-${scene.to}`;
}

/**
 * The frame in which letters are as large as they are drawn.
 *
 * @param {number} width In pixels.
 */
export function frameOf(width) {
  const wide = Math.max(LEAST_WIDTH, Math.floor(width));
  return {
    width: wide,
    height: Math.round(Math.min(420, Math.max(wide < FRAME.width ? TALL : FRAME.height, wide / 2))),
  };
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
