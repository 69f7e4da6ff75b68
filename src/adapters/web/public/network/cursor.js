// @ts-check
// The moment that is chosen in the picture, and the exact values of the look at it.
/** @import { Scene } from "../../../../reply/chart.ts" */
import { AskError, loadLook } from "../api.js";
import { part } from "../part.js";
import { drawReply } from "../reply/draw-reply.js";
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";
import { ageAt, lookReply, lookWords, momentsOf, nearestOf } from "./look.js";

/** Nobody chooses another look for so long: its values are fetched. */
const REST_MILLIS = 150;
/** Half of the width of what is moved on the line of looks: its middle stands below the moment. */
const THUMB = 8;

/**
 * @param {(id: string) => HTMLElement} at
 * @param {{ network: () => string, pointed: (moment: number | undefined) => void }} parts
 */
export function createCursor(at, { network, pointed }) {
  const slider = part("#network-look", HTMLInputElement);
  /** @type {Scene | undefined} */
  let scene;
  /** @type {readonly number[]} */
  let moments = [];
  /** @type {number | undefined} */
  let chosen;
  let looking = new AbortController();

  slider.addEventListener("input", () => choose(moments[Number(slider.value)]));

  /** @param {number | undefined} moment */
  function choose(moment) {
    if (moment === undefined || moment === chosen) return;
    chosen = moment;
    draw();
    looking.abort();
    const { signal } = (looking = new AbortController());
    setTimeout(() => void fetchLook(moment, signal), REST_MILLIS);
  }

  function draw() {
    const moment = chosen ?? moments.at(-1);
    if (scene === undefined || moment === undefined) return;
    const words = lookWords(moment, ageAt(scene, moment));
    slider.value = String(nearestOf(moments, moment));
    slider.setAttribute("aria-valuetext", words);
    at("at").textContent =
      chosen === undefined ? "Choose a moment in the picture, or move this, for the exact values." : words;
    pointed(chosen);
  }

  /**
   * @param {number} moment
   * @param {AbortSignal} signal
   */
  async function fetchLook(moment, signal) {
    if (signal.aborted) return;
    try {
      const look = await loadLook(network(), moment, signal);
      at("exact").replaceChildren(drawReply(lookReply(look)));
    } catch (thrown) {
      if (signal.aborted) return;
      const words = thrown instanceof AskError ? thrown.message : "The values could not be shown.";
      at("exact").replaceChildren(makeElement(h("p", { class: "none" }, words)));
    }
  }

  return {
    /** @param {Scene} now What is drawn now. */
    show(now) {
      scene = now;
      moments = momentsOf(now);
      slider.disabled = moments.length === 0;
      slider.max = String(Math.max(0, moments.length - 1));
      draw();
    },
    /** @param {number} moment */
    chooseNear: (moment) => choose(moments[nearestOf(moments, moment)]),
    /** Another network is shown. */
    forget() {
      looking.abort();
      chosen = undefined;
      at("exact").replaceChildren();
    },
    /** The chosen moment, where it is in what is drawn. */
    chosen: () =>
      scene !== undefined && chosen !== undefined && chosen >= scene.from && chosen <= scene.to ? chosen : undefined,
    /** @param {{ readonly left: number, readonly right: number, readonly width: number }} place Where the time is. */
    align({ left, right, width }) {
      const start = Math.max(0, left - THUMB);
      slider.style.marginInlineStart = `${start}px`;
      slider.style.width = `${Math.min(right + THUMB, width) - start}px`;
    },
  };
}
