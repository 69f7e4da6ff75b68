// @ts-check
// One question with its answer.
/** @import { ButtonAction } from "../../../../reply/fold.ts" */
/** @import { ButtonQuestion, Question } from "../../invocations/question.ts" */
/** @import { Answer } from "../../render.ts" */
/** @import { Given } from "../api.js" */
import { ask, verify } from "../api.js";
import { confirmFirst } from "./confirm.js";
import { formatLine, isFilled, withoutKeys, withShortIds } from "./lines.js";
import { createJob, jobActions, localReply, unansweredReply } from "./without-answer.js";
import { keepFocus } from "../vnode/keep-focus.js";
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";
import { drawPreview } from "../preview/preview.js";
import { drawReply } from "../reply/draw-reply.js";
import { pressable } from "../reply/render-actions.js";
import { announcement } from "../reply/reply.js";
import { previewTabs } from "../tabs.js";
import { localTime, span } from "../reply/times.js";

/**
 * @typedef {object} Surroundings What an exchange needs of the page around it.
 * @property {HTMLDialogElement} dialog
 * @property {readonly { readonly id: string, readonly name: string }[]} previews The platforms whose previews come with answers.
 * @property {(text: string) => void} announce
 * @property {(question: Question, line: string, options: { focus: boolean, heading: string, shownAs?: string }) => Promise<void>} askBelow
 *   Resolves once it is answered.
 * @property {(question: ButtonQuestion) => void} fillIn Opens the form of a button that is to be filled in.
 * @property {(exchange: HTMLElement) => void} grown Called when an answer has come.
 * @property {(question: Question, answer: Answer, heading: string) => void} [answered] Called with every answer of
 *   the bot that stays, and what stands above it.
 * @property {Pick<ReturnType<typeof import("./file-picker.js").createFilePicker>, "takesFile" | "choose">} files
 * @property {(question: Question) => void} [replacing] Called when a press asks what takes the place of the answer.
 * @property {(question: Question, job: string) => void} [goesOn] Called with the code of a job that goes on by itself
 *   where the page is left.
 */

/**
 * @typedef {object} Start How a question is begun.
 * @property {File | undefined} [file] What the question is about, where one was dropped.
 * @property {string | undefined} [shownAs] The platform in whose preview it was asked.
 * @property {Given | undefined} [answer] Its answer, where a form has it.
 */

/** A quicker answer needs no word about waiting, which would only flicker. */
const QUIET_MILLIS = 350;

let count = 0;
/** The tab that was chosen last: what is asked next is shown in it, too. */
let preferred = "bellwether";

/**
 * @param {string} line
 * @param {Surroundings} around
 * @param {string} [heading] What was filled in or chosen, where that reads better than its line.
 */
export function createExchange(line, around, heading) {
  const { element, asked, code, status, panel } = makeParts(line, heading);

  /** @type {Answer | undefined} */
  let answer;
  /** @type {AbortController | undefined} */
  let running;
  /** @type {Question} */
  let asking = { text: line };
  const job = createJob(around.goesOn);
  /** @type {File | undefined} */
  let given;
  let shown = "bellwether";
  let shownAt = 0;
  let took = 0;

  /**
   * Asks and shows progress and answer. With `inPlace`, the former answer stays until the new one is there.
   *
   * @param {Question} question
   * @param {{ inPlace: boolean, focusLabel?: string, line?: string | undefined } & Start} how `line`: what is asked now in the place of
   *   the line above it.
   */
  async function run(question, how) {
    running?.abort();
    asking = question;
    given = how.file;
    job.forget();
    const control = new AbortController();
    running = control;
    const started = performance.now();
    // What was pressed in a preview is answered in it.
    const shownAs = how.shownAs ?? (how.inPlace ? shown : preferred);
    const parts = { element, panel, status };
    const waiting = showWaiting(parts, { started, inPlace: how.inPlace, cancel: () => job.stop(control) });
    const stopWaiting = () => waiting.end(running === control);
    try {
      const progress = (/** @type {Answer} */ latest) => {
        job.note(question, latest);
        show(latest, { final: false, millis: 0 });
      };
      const previews = around.previews.length > 0;
      const { reply, whole } = await answerTo(question, how, { signal: control.signal, previews, progress });
      stopWaiting();
      entitle(code, how.line);
      const millis = how.answer === undefined ? performance.now() - started : 0;
      show(reply, { final: true, millis, shownAs });
      if (Object.hasOwn(reply.previews ?? {}, shownAs)) await choose(reply, shownAs);
      around.answered?.(question, reply, code.textContent ?? "");
      void whole?.then((amended) => (amended === undefined ? undefined : showWhole(question, amended, reply)));
    } catch (thrown) {
      stopWaiting();
      // Another question has taken this one's place.
      if (running !== control) return;
      const { aborted } = control.signal;
      if (aborted && how.inPlace && answer !== undefined) return show(answer, { final: true, millis: 0 });
      show(localReply(thrown, aborted), { final: true, millis: performance.now() - started });
    } finally {
      if (running === control) running = undefined;
    }
    if (how.focusLabel !== undefined) focusButton(element, how.focusLabel);
  }

  /**
   * An answer with what is added to it, where nothing else took its place.
   *
   * @param {Question} question
   * @param {Answer} whole
   * @param {Answer} before
   */
  function showWhole(question, whole, before) {
    if (answer !== before) return;
    const how = { final: true, millis: took, keptAt: shownAt, shownAs: shown };
    keepFocus(element, () => show(whole, how), panel);
    if (how.shownAs !== "bellwether") void choose(whole, how.shownAs);
    around.announce(announcement({ ...whole, title: whole.added ?? whole.title }, { now: Date.now() }));
    around.answered?.(question, whole, code.textContent ?? "");
  }

  /**
   * @param {Answer} reply
   * @param {{ final: boolean, millis: number, keptAt?: number, unanswered?: boolean, shownAs?: string }} how `keptAt`: it
   *   was answered before the page was reloaded, in Unix milliseconds. `shownAs`: the platform whose preview of it is shown.
   */
  function show(reply, how) {
    answer = reply;
    shownAt = how.keptAt ?? Date.now();
    panel.classList.remove("stale");
    shown = "bellwether";
    panel.replaceChildren(drawOwn(reply, line, around.files));
    if (!how.final) return;
    took = how.millis;
    const now = `${BigInt(shownAt)}000000`;
    const lasted = took === 0 ? undefined : h("span", { class: "took" }, ` · ${span(took)}`);
    status.replaceChildren(makeElement(h("span", { class: "status-text" }, clock(now), lasted)));
    // What failed on the way can be asked once more.
    const again = () => void run(asking, { inPlace: true, focusLabel: "Ask again", file: given });
    if (reply.failure === "network" || how.unanswered === true) status.append(makeButton("Ask again", "small", again));
    const choosing = (/** @type {string} */ id) => void choose(reply, (preferred = id));
    const tabs = previewTabs(reply, around.previews, { panel, chosen: how.shownAs ?? "bellwether", choose: choosing });
    asked.replaceChildren(code, status, ...tabs);
    if (how.keptAt !== undefined) return;
    around.announce(announcement(reply, { now: Date.now() }));
    around.grown(element);
  }

  /**
   * @param {Answer} reply
   * @param {string} id
   */
  async function choose(reply, id) {
    shown = id;
    const view = await (id === "bellwether"
      ? drawOwn(reply, line, around.files)
      : drawPreview(id, reply.previews?.[id], shownAt, (...pressed) => void press(...pressed)));
    // While it was being loaded, another tab may have been chosen, or another answer have come.
    if (shown === id && answer === reply) panel.replaceChildren(view);
  }

  panel.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-action]") : null;
    if (!(button instanceof HTMLElement) || shown !== "bellwether") return;
    const action = answer === undefined ? undefined : pressable(answer)[Number(button.dataset["action"])];
    if (action === undefined || !("invocation" in action)) return;
    void press(action, button.textContent);
  });

  /**
   * @param {Omit<Extract<ButtonAction, { invocation: unknown }>, "label">} action
   * @param {string} label
   */
  async function press(action, label) {
    if (action.confirm !== undefined && !(await confirmFirst(around.dialog, action.confirm, label))) return;
    const { effect, form, invalidates, invocation: question } = action;
    const { command, options } = question;
    if (isFilled(label, form)) return around.files.takesFile(command) ? around.files.choose() : around.fillIn(question);
    const inPlace = effect === "replace" || invalidates === true;
    if (inPlace) around.replacing?.(question);
    // What is only asked again keeps the words in which it was asked.
    const anew = effect === "replace" && label !== "Refresh" ? formatLine(command, options) : undefined;
    if (inPlace) return run(question, { inPlace, focusLabel: label, line: anew });
    // What was chosen, without the amounts behind it: the answer says the rest.
    const how = { focus: true, heading: label.replace(/ · .*/u, ""), shownAs: shown };
    await around.askBelow(question, formatLine(command, options), how);
    if (typeof invalidates === "object") await run(invalidates, { inPlace: true });
  }

  return {
    element,
    /**
     * @param {Question} question
     * @param {Start} [how]
     */
    start: (question, how) => run(question, { inPlace: false, ...how }),
    /**
     * Shows what was answered before the page was reloaded.
     *
     * @param {{ question: Question, answer?: Answer, job?: string, at: number, heading?: string | undefined }} kept
     */
    restore(kept) {
      const { answer: reply, heading: before, job: left, at: keptAt } = kept;
      asking = kept.question;
      entitle(code, before);
      if (reply !== undefined) show(reply, { final: true, millis: 0, keptAt });
      else if (left === undefined) show(unansweredReply([]), { final: true, millis: 0, keptAt, unanswered: true });
      else show(unansweredReply(jobActions(left)), { final: true, millis: 0, keptAt });
    },
    /** Cancels the question; false when none is being answered. */
    cancel() {
      if (running === undefined) return false;
      job.stop(running);
      return true;
    },
  };
}

/**
 * The answer that a form has already, that to a file, or that to the question.
 *
 * @param {Question} question
 * @param {Start} how
 * @param {Parameters<typeof ask>[1]} asking
 */
async function answerTo(question, { file, answer }, asking) {
  if (answer !== undefined) return answer;
  return file === undefined ? ask(question, asking) : verify(file, asking.signal);
}

/**
 * Shows that an answer is awaited, after a moment. `end` shows no longer that it is, and leaves the exchange alone where
 * another question has taken this one's place.
 *
 * @param {Record<"element" | "panel" | "status", HTMLElement>} parts
 * @param {{ started: number, inPlace: boolean, cancel: () => void }} how
 * @returns {{ end: (isCurrent: boolean) => void }}
 */
function showWaiting({ element, panel, status }, { started, inPlace, cancel }) {
  element.setAttribute("aria-busy", "true");
  if (inPlace) panel.classList.add("stale");
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;
  const timer = setTimeout(() => {
    const text = makeElement(h("span", { class: "status-text" }));
    const tick = () => {
      text.textContent = `Asking, ${span(Math.max(1000, Math.trunc((performance.now() - started) / 1000) * 1000))}`;
    };
    tick();
    ticking = setInterval(tick, 1000);
    element.classList.add("busy");
    status.replaceChildren(text, makeButton("Cancel", "small", cancel));
  }, QUIET_MILLIS);
  return {
    end(isCurrent) {
      clearTimeout(timer);
      clearInterval(ticking);
      if (!isCurrent) return;
      element.removeAttribute("aria-busy");
      element.classList.remove("busy");
      panel.classList.remove("stale");
    },
  };
}

/**
 * The reply, with what proves most first where it is about a file: to give the file.
 *
 * @param {Answer} reply
 * @param {string} line
 * @param {Surroundings["files"]} files
 */
function drawOwn(reply, line, files) {
  const drawn = drawReply(reply);
  if (!files.takesFile(line)) return drawn;
  for (const other of drawn.querySelectorAll("button.run")) other.className = "button";
  const actions = makeElement(h("div", { class: "actions" }));
  actions.append(makeButton("Choose file…", reply.tone === "good" ? "button" : "run", () => files.choose()));
  drawn.insertBefore(actions, drawn.querySelector(":scope > :is(.folds, .actions, .choice)"));
  return drawn;
}

/**
 * @param {string} label
 * @param {"small" | "button" | "run"} size
 * @param {() => void} press
 */
function makeButton(label, size, press) {
  const button = makeElement(h("button", { type: "button", class: size }, label));
  button.addEventListener("click", press);
  return button;
}

/**
 * @param {HTMLElement} element
 * @param {string} label
 */
function focusButton(element, label) {
  const same = [...element.querySelectorAll("button")].find((button) => button.textContent === label);
  (same ?? element).focus();
}

/**
 * @param {HTMLElement} code
 * @param {string} [line] Left out where its words stay.
 */
function entitle(code, line) {
  if (line === undefined || line === code.textContent) return;
  code.textContent = withShortIds(withoutKeys(line));
  code.title = line;
}

/**
 * @param {string} line
 * @param {string} [heading]
 */
function makeParts(line, heading = withShortIds(withoutKeys(line))) {
  count += 1;
  const code = makeElement(h("code", { id: `asked-${count}`, title: line }, heading));
  const status = makeElement(h("span", { class: "status" }));
  const asked = makeElement(h("div", { class: "asked" }));
  asked.append(code, status);
  const panel = makeElement(h("div", { id: `answer-${count}` }));
  const element = makeElement(h("li", { class: "exchange", tabindex: "-1", "aria-labelledby": code.id }));
  element.append(asked, panel);
  return { element, asked, code, status, panel };
}

/** @param {string} at Nanoseconds. */
function clock(at) {
  return localTime(at, undefined).slice(11, 19);
}
