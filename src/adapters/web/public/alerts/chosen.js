// @ts-check
// What is done with open alerts by a press on their rows: with one, or with all that are chosen.
/** @import { OpenAlert } from "../../alerts/watch.ts" */
/** @import { Question } from "../../invocations/question.ts" */
import { ask, AskError } from "../api.js";
import { part } from "../part.js";

/** One question is asked for each alert, and one after the other. */
const WITHIN_MILLIS = 30_000;

/**
 * @typedef {object} Deed
 * @property {string} done What was done, before how many.
 * @property {(episode: string) => Extract<Question, { command: string }>} of The question that does it.
 */

/** @type {Readonly<Record<string, Deed>>} */
const DEEDS = {
  ack: { done: "Acknowledged", of: (episode) => ({ command: "alerts ack", options: { episode } }) },
  silence: {
    done: "Silenced for 1 h:",
    of: (episode) => ({ command: "alerts silence", options: { what: episode, for: "1h" } }),
  },
};

/**
 * Asks, and gives what cannot be shown as done: the sentence about it.
 *
 * @param {Extract<Question, { command: string }>} question
 * @returns {Promise<string | undefined>}
 */
export async function faultOfDoing(question) {
  const signal = AbortSignal.timeout(WITHIN_MILLIS);
  try {
    const { reply } = await ask(question, { signal, previews: false, progress: () => undefined });
    return reply.failure === undefined ? undefined : reply.headline;
  } catch (thrown) {
    return thrown instanceof AskError ? thrown.message : "That did not work.";
  }
}

/**
 * The boxes and buttons of the open alerts.
 *
 * @param {HTMLElement} section
 * @param {() => void} changed Called when something was done.
 */
export function createChosen(section, changed) {
  const bar = part("#chosen", HTMLFormElement, section);
  const all = part("#choose-all", HTMLInputElement, section);
  const count = part("#chosen-count", HTMLElement, section);
  const settled = part("#settled", HTMLElement, section);
  /** @type {Set<string>} */
  const chosen = new Set();
  /** @type {readonly string[]} */
  let open = [];
  let busy = false;

  // What was done is said where it was done, not in the next view.
  addEventListener("hashchange", () => (settled.textContent = ""));
  section.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const episodes = target === all ? open : [target.dataset["episode"] ?? ""];
    for (const episode of episodes) {
      if (target.checked) chosen.add(episode);
      else chosen.delete(episode);
    }
    draw();
  });
  section.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-does]") : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const { does = "", episode } = button.dataset;
    const deed = DEEDS[does];
    if (deed !== undefined && !busy) void doAll(deed, episode === undefined ? [...chosen] : [episode]);
  });

  /**
   * @param {Deed} deed
   * @param {readonly string[]} episodes
   */
  async function doAll({ done, of }, episodes) {
    busy = true;
    draw();
    const faults = [];
    for (const [index, episode] of episodes.entries()) {
      if (episodes.length > 1) settled.textContent = `${index + 1} of ${episodes.length} …`;
      const fault = await faultOfDoing(of(episode));
      if (fault === undefined) chosen.delete(episode);
      else faults.push(fault);
    }
    busy = false;
    settled.textContent = [summary(done, episodes.length - faults.length), ...new Set(faults)].join(" ").trim();
    settled.dataset["tone"] = faults.length === 0 ? "good" : "bad";
    draw();
    changed();
  }

  function draw() {
    bar.hidden = open.length < 2;
    all.checked = chosen.size > 0 && chosen.size === open.length;
    all.indeterminate = chosen.size > 0 && !all.checked;
    count.textContent = chosen.size === 0 ? "All" : `${chosen.size} of ${open.length}`;
    for (const box of section.querySelectorAll("input[data-episode]")) {
      if (box instanceof HTMLInputElement) box.checked = chosen.has(box.dataset["episode"] ?? "");
    }
    for (const button of section.querySelectorAll("[data-does]")) {
      const own = button instanceof HTMLElement && button.dataset["episode"] !== undefined;
      button.toggleAttribute("disabled", !own && (busy || chosen.size === 0));
    }
  }

  return {
    /** @param {readonly OpenAlert[]} now Those that are listed. */
    show(now) {
      open = now.map(({ episode }) => episode);
      for (const episode of chosen) if (!open.includes(episode)) chosen.delete(episode);
      draw();
    },
  };
}

/**
 * @param {string} done
 * @param {number} count
 */
function summary(done, count) {
  return count === 0 ? "" : `${done} ${count} ${count === 1 ? "alert" : "alerts"}.`;
}
