// @ts-check
// The picture on the page: as wide as there is room, redrawn where that changes, with a line at the chosen moment.
/** @import { Scene } from "../../../../reply/chart.ts" */
import { layoutOf } from "../../../../chart/draw/draw.js";
import { makeElement } from "../vnode/make-dom.js";
import { drawChart, frameOf } from "../reply/render-chart.js";

/** So far beside the first and the last moment they are still meant. */
const BESIDE = 6;

/**
 * @typedef {object} Follower
 * @property {(at: number) => void} over
 * @property {(at: number, reach: number) => void} pressed `reach`: so many milliseconds are a finger's width.
 * @property {(place: { readonly left: number, readonly right: number, readonly width: number }) => void} drawn Between
 *   these pixels of its width is the time.
 */

/** @param {HTMLElement} element */
export function createPicture(element) {
  /** @type {Follower} */
  let on = { over: () => undefined, pressed: () => undefined, drawn: () => undefined };
  /** @type {{ readonly scene: Scene, readonly alt: string, readonly frame: { width: number, height: number }, readonly layout: ReturnType<typeof layoutOf> } | undefined} */
  let drawn;
  /** @type {number | undefined} */
  let chosen;

  /**
   * @param {Scene} scene
   * @param {string} alt
   */
  function show(scene, alt) {
    const frame = frameOf(element.clientWidth);
    element.replaceChildren(makeElement(drawChart({ scene, alt }, "network", frame)));
    drawn = { scene, alt, frame, layout: layoutOf(scene, frame) };
    const scale = element.clientWidth / frame.width;
    on.drawn({ left: drawn.layout.left * scale, right: drawn.layout.right * scale, width: element.clientWidth });
    point(chosen);
  }

  /** @param {number | undefined} at */
  function point(at) {
    chosen = at;
    const svg = element.querySelector("svg");
    svg?.querySelector(".cursor")?.remove();
    if (svg === null || drawn === undefined || at === undefined || at < drawn.scene.from || at > drawn.scene.to) return;
    const { x, top, plotFloor } = drawn.layout;
    const line = document.createElementNS(svg.namespaceURI, "path");
    line.setAttribute("class", "cursor");
    line.setAttribute("d", `M${x(at)} ${top - 4}V${plotFloor}`);
    svg.append(line);
  }

  /**
   * @param {MouseEvent} event
   * @returns {{ at: number, perUnit: number } | undefined}
   */
  function momentOf(event) {
    const box = element.querySelector("svg")?.getBoundingClientRect();
    if (drawn === undefined || box === undefined || box.width === 0) return undefined;
    const { scene, frame, layout } = drawn;
    const unit = ((event.clientX - box.left) * frame.width) / box.width;
    if (unit < layout.left - BESIDE || unit > layout.right + BESIDE) return undefined;
    const perUnit = (scene.to - scene.from) / (layout.right - layout.left);
    const at = scene.from + (unit - layout.left) * perUnit;
    return { at: Math.min(scene.to, Math.max(scene.from, at)), perUnit };
  }

  element.addEventListener("pointermove", (event) => {
    const moment = momentOf(event);
    if (moment !== undefined) on.over(moment.at);
  });
  element.addEventListener("click", (event) => {
    const moment = momentOf(event);
    if (moment !== undefined) on.pressed(moment.at, moment.perUnit * BESIDE);
  });
  new ResizeObserver(() => {
    if (drawn !== undefined && element.clientWidth > 0 && frameOf(element.clientWidth).width !== drawn.frame.width)
      show(drawn.scene, drawn.alt);
  }).observe(element);

  return {
    show,
    point,
    /** @param {Follower} follower */
    follow: (follower) => void (on = follower),
  };
}
