// @ts-check
// The page's own words where there is no answer, and the job that goes on without the page.
/** @import { Question } from "../../invocations/question.ts" */
/** @import { Answer } from "../../render.ts" */
import { ask, AskError } from "../api.js";
import { pressable } from "../reply/render-actions.js";

/** The command that stops a job. */
const CANCEL = "ledger cancel";

/**
 * The code of the job that a progress report is of.
 *
 * @param {Answer} progress
 * @returns {string | undefined}
 */
function jobOf(progress) {
  for (const action of pressable(progress)) {
    if ("invocation" in action && action.invocation.command === CANCEL)
      return String(action.invocation.options["code"]);
  }
  return undefined;
}

/**
 * The job of the question that is being answered: it goes on where the page is left.
 *
 * @param {((question: Question, job: string) => void) | undefined} goesOn
 */
export function createJob(goesOn) {
  /** @type {string | undefined} */
  let job;
  return {
    forget() {
      job = undefined;
    },
    /**
     * @param {Question} question
     * @param {Answer} progress
     */
    note(question, progress) {
      const known = job;
      job = jobOf(progress);
      if (job !== undefined && job !== known) goesOn?.(question, job);
    },
    /**
     * A job goes on without its page: it is told to stop, and answers that it did.
     *
     * @param {AbortController} control
     */
    stop(control) {
      const options = job === undefined ? undefined : { code: job };
      job = undefined;
      if (options === undefined) return control.abort();
      const how = { signal: control.signal, previews: false, progress: () => undefined };
      ask({ command: CANCEL, options }, how).catch(() => control.abort());
    },
  };
}

/**
 * @param {string} code
 * @returns {Answer["actions"]}
 */
export function jobActions(code) {
  return [
    { label: "Show this export", invocation: { command: "ledger fetch", options: { code } }, effect: "replace" },
    { label: "List exports", invocation: { command: "ledger list", options: {} }, effect: "reply" },
  ];
}

/**
 * The page was loaded again before an answer came, or the answer was too long to be kept.
 *
 * @param {Answer["actions"]} actions
 * @returns {Answer}
 */
export function unansweredReply(actions) {
  const headline =
    actions.length === 0
      ? "The page was loaded again, and this answer was not kept"
      : "The page was loaded again; the export goes on by itself";
  return { tone: "neutral", title: [{ kind: "text", text: headline }], headline, blocks: [], attachments: [], actions };
}

/**
 * The page's own words for a missing answer.
 *
 * @param {unknown} thrown
 * @param {boolean} cancelled
 * @returns {Answer}
 */
export function localReply(thrown, cancelled) {
  if (!cancelled && !(thrown instanceof AskError)) reportError(thrown);
  const fault = thrown instanceof AskError ? thrown.message : "This page failed to show the answer.";
  const headline = cancelled ? "Cancelled" : fault;
  return {
    tone: cancelled ? "neutral" : "bad",
    title: [{ kind: "text", text: headline }],
    headline,
    ...(thrown instanceof AskError && !cancelled ? { failure: /** @type {const} */ ("network") } : {}),
    blocks: [],
    attachments: [],
    actions: [],
  };
}
