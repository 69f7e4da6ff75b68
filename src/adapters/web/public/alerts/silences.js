// @ts-check
// The banner of the silences that hold, on every view: nobody may take silence for calm.
/** @import { HoldingSilence } from "../../alerts/watch.ts" */
/** @import { Surroundings } from "../exchange/exchange.js" */
import { faultOfDoing } from "./chosen.js";
import { silenceLines } from "./silence-lines.js";
import { keepFocus } from "../vnode/keep-focus.js";
import { makeElement } from "../vnode/make-dom.js";

/**
 * @param {HTMLElement} banner
 * @param {Surroundings} around
 * @param {() => void} changed Called when one was ended.
 */
export function createSilences(banner, around, changed) {
  let shown = "";

  banner.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-silence]") : null;
    if (button instanceof HTMLButtonElement) void end(button);
  });

  /** @param {HTMLButtonElement} button */
  async function end(button) {
    button.disabled = true;
    const question = { command: "alerts unsilence", options: { id: button.dataset["silence"] ?? "" } };
    around.announce((await faultOfDoing(question)) ?? "The silence has ended.");
    // The next state shows what became of it.
    shown = "";
    changed();
  }

  return {
    /** @param {readonly HoldingSilence[]} silences */
    show(silences) {
      const lines = silenceLines(silences);
      const key = JSON.stringify(lines);
      if (key === shown) return;
      shown = key;
      banner.hidden = silences.length === 0;
      keepFocus(banner, () => banner.replaceChildren(makeElement(lines)));
    },
  };
}
