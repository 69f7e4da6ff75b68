// @ts-check
import { complete } from "../api.js";
import { createCompletionList } from "./completion-list.js";
import { picked } from "./lines.js";

/** The delay between the last key and the request for completions. */
const PAUSE_MILLIS = 70;

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
  /** @type {AbortController | undefined} */
  let asking;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const completions = createCompletionList({ input, list, accept: (line) => fill(picked(line)) });

  function stopAsking() {
    clearTimeout(timer);
    asking?.abort();
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
    try {
      const lines = (await complete(typed, signal)).filter(({ line }) => line !== typed);
      if (!signal.aborted && document.activeElement === input) completions.show(lines, typed);
    } catch {
      // Completion is a courtesy: without it one types on, and sending will say what is wrong.
      if (!signal.aborted) completions.close();
    }
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
        const line = completions.chosen ?? completions.first;
        if (shift || line === undefined) return false;
        fill(picked(line));
        return true;
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
