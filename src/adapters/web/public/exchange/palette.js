// @ts-check
// Ctrl-K: commands, markets, nodes and open alerts in one list, by a part of their name.
/** @import { CommandInfo } from "../../console-info.ts" */
/** @import { Found } from "./found.js" */
import { complete } from "../api.js";
import { h } from "../vnode/vnode.js";
import { everything, marketsAmong, matching, plainQuestion } from "./found.js";
import { createList } from "./completion-list.js";

/** How many are listed at most, and how many of them are markets. */
const MAX_FOUND = 60;
const MAX_MARKETS = 8;
/** The delay between the last key and the request for markets; there is one request at a time. */
const PAUSE_MILLIS = 120;

/**
 * @param {{ dialog: HTMLDialogElement, input: HTMLInputElement, list: HTMLElement, openers: readonly HTMLElement[], commands: readonly CommandInfo[], seen: () => Omit<Parameters<typeof everything>[0], "commands">, choose: (found: Found) => void }} parts
 *   `seen`: the networks and open alerts as they stand now.
 */
export function createPalette({ dialog, input, list, openers, commands, seen, choose }) {
  /** @type {readonly Found[]} */
  let shown = [];
  /** @type {readonly Found[]} */
  let markets = [];
  /** @type {AbortController | undefined} */
  let asking;
  const options = createList({ input, list, accept: (index) => take(shown[index]) });

  function draw() {
    const matches = matching(everything({ commands, ...seen() }), input.value);
    const asked = input.value.trim() === "" ? [] : [plainQuestion(input.value.trim())];
    shown = [...matches.slice(0, MAX_FOUND - markets.length), ...markets, ...asked];
    options.show(
      shown.map(({ name, what }) => [h("span", {}, h("b", {}, name)), h("small", {}, what)]),
      input.value === "" ? -1 : 0,
    );
  }

  async function findMarkets() {
    asking?.abort();
    markets = [];
    const typed = input.value.trim();
    if (typed === "") return;
    const control = new AbortController();
    asking = control;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
    if (control.signal.aborted) return;
    const offers = await complete(`market show ${typed}`, control.signal).catch(() => []);
    if (control.signal.aborted) return;
    markets = marketsAmong(offers).slice(0, MAX_MARKETS);
    draw();
  }

  /** @param {Found | undefined} found */
  function take(found) {
    if (found === undefined) return;
    dialog.close();
    choose(found);
  }

  function open() {
    if (document.querySelector("dialog[open]") !== null) return;
    input.value = "";
    markets = [];
    dialog.showModal();
    draw();
  }

  for (const opener of openers) opener.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener("close", () => asking?.abort());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  input.addEventListener("input", () => {
    void findMarkets();
    draw();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: /** @type {const} */ (1), ArrowUp: /** @type {const} */ (-1) }[event.key];
    if (step !== undefined) options.move(step);
    else if (event.key === "Enter") take(shown[Math.max(0, options.active)]);
    else return;
    event.preventDefault();
  });
}
