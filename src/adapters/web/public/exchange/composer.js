// @ts-check
import { complete } from "../api.js";
import { createCompletionList } from "./completion-list.js";
import { picked } from "./lines.js";
import { part } from "../part.js";

/** The delay between the last key and the request for completions. */
const PAUSE_MILLIS = 70;
/** Completions that take longer are offered no more: a key waits for them. */
const WAIT_MILLIS = 2500;

/**
 * The command line: typing with completion, history, sending.
 *
 * @param {object} parts
 * @param {HTMLFormElement} parts.form
 * @param {HTMLInputElement} parts.input
 * @param {HTMLElement} parts.list
 * @param {ReturnType<typeof import("./lines.js").createHistory>} parts.history
 * @param {(line: string) => void} parts.send
 * @param {(line: string) => void} parts.changed Called with what stands in the input, as often as that changes.
 * @param {() => void} parts.escape Called for Escape when there is nothing here to close.
 */
export function createComposer({ form, input, list, history, send, changed, escape }) {
  /** @type {AbortController | undefined} While completions are awaited. */
  let asking;
  /** Tab was pressed meanwhile. */
  let tabbed = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const completions = createCompletionList({ input, list, accept: (line) => fill(picked(line)) });

  function stopAsking() {
    clearTimeout(timer);
    asking?.abort();
    asking = undefined;
    tabbed = false;
  }

  /** @param {number} pause */
  function askSoon(pause) {
    stopAsking();
    const control = new AbortController();
    asking = control;
    timer = setTimeout(() => void offer(control.signal), pause);
  }

  /** @param {AbortSignal} signal */
  async function offer(signal) {
    const typed = input.value;
    // Completion is a courtesy: without it one types on, and sending will say what is wrong.
    const offers = await complete(typed, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MILLIS)])).catch(() => []);
    if (signal.aborted || document.activeElement !== input) return;
    const wished = tabbed;
    stopAsking();
    completions.show(
      offers.filter(({ line }) => line !== typed),
      typed,
    );
    // Where nothing completes it, the key goes where it would have gone.
    if (wished && !press("Tab", false)) part("[type=submit]", HTMLButtonElement, form).focus();
  }

  /**
   * Puts a line into the input, and offers what may follow.
   *
   * @param {string} line
   */
  function fill(line) {
    set(line);
    input.focus();
    askSoon(0);
  }

  /**
   * Puts a line into the input whose last value is to be changed: what is typed takes its place. Of a command without any,
   * the first is to be typed.
   *
   * @param {string} line
   */
  function change(line) {
    if (!line.includes(":")) return fill(`${line} `);
    fill(line);
    input.setSelectionRange(line.lastIndexOf(":") + 1, line.length);
  }

  /** @param {string} line */
  function set(line) {
    stopAsking();
    completions.close();
    input.value = line;
    input.setSelectionRange(line.length, line.length);
    input.scrollLeft = input.scrollWidth;
    changed(line);
  }

  input.addEventListener("input", () => {
    history.leave();
    changed(input.value);
    if (input.value.trim() === "") {
      stopAsking();
      completions.close();
    } else {
      askSoon(PAUSE_MILLIS);
    }
  });

  input.addEventListener("blur", () => {
    stopAsking();
    completions.close();
  });

  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (press(event.key, event.shiftKey)) event.preventDefault();
  });

  /**
   * Whether the key meant something here.
   *
   * @param {string} key
   * @param {boolean} shift
   * @returns {boolean}
   */
  function press(key, shift) {
    switch (key) {
      case "ArrowDown":
        if (completions.isOpen) {
          completions.move(1);
          return true;
        }
        return show(history.forth(), () => askSoon(0));
      case "ArrowUp":
        // Up belongs to the past, unless one is inside the list.
        if (completions.chosen !== undefined) {
          completions.move(-1);
          return true;
        }
        return show(history.back(input.value), () => undefined);
      case "Tab": {
        if (shift) return false;
        // What is listed while others are awaited completes what stood there before.
        const line = completions.chosen ?? (asking === undefined ? completions.first : undefined);
        tabbed = asking !== undefined;
        if (line !== undefined) fill(picked(line));
        return tabbed || line !== undefined;
      }
      case "Enter":
        if (completions.chosen === undefined) return false;
        fill(picked(completions.chosen));
        return true;
      case "Escape":
        if (completions.isOpen) completions.close();
        else escape();
        stopAsking();
        return true;
      default:
        return false;
    }
  }

  /**
   * @param {string | undefined} line
   * @param {() => void} otherwise
   */
  function show(line, otherwise) {
    if (line === undefined) otherwise();
    else set(line);
    return true;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const line = input.value.trim();
    if (line === "") return;
    history.add(line);
    set("");
    send(line);
  });

  return { fill, change, clear: () => set("") };
}
