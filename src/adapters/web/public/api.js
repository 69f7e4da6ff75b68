// @ts-check
// The page's side of the HTTP interface.
/** @import { ReplyJson } from "../../../reply/document.ts" */
/** @import { ConsoleInfo } from "../console-info.ts" */
/** @import { FormJson, SentForm } from "../invocations/form.ts" */
/** @import { ButtonQuestion, Question } from "../invocations/question.ts" */
/** @import { Answer } from "../render.ts" */
/** @import { AlertJson } from "../alerts/alert-json.ts" */
/** @import { WatchState } from "../alerts/watch.ts" */

/**
 * @typedef {object} SentAnswer The answer to a form that was sent.
 * @property {Answer} reply
 * @property {Promise<Answer | undefined>} whole What it becomes a little later, where something is added to it.
 */

/** Why there is no answer, in one sentence for people. */
export class AskError extends Error {}

const BROKEN = "The answer broke off. Ask again.";

/**
 * Why nothing answers: the browser may know that it is offline itself.
 *
 * @param {boolean} online
 */
export function silenceWords(online) {
  return online
    ? "Bellwether does not answer. Is it still running?"
    : "This browser is offline. Bellwether may run on; connect again to see it.";
}

/** @returns {Promise<ConsoleInfo>} */
export function loadConsole() {
  return get("/api/console");
}

/** @returns {Promise<WatchState>} */
export function loadWatch() {
  return get("/api/watch");
}

/**
 * One alert, with what other platforms are sent for it.
 *
 * @param {string} id
 * @returns {Promise<AlertJson & { readonly previews?: Readonly<Record<string, unknown>> }>}
 */
export function loadAlert(id) {
  return get(`/api/alerts/${encodeURIComponent(id)}`);
}

/**
 * Stalls a simulated network, or resumes it.
 *
 * @param {string} network
 * @param {boolean} stalled
 */
export async function setIncident(network, stalled) {
  await post("/api/incident", { network, stalled }, {});
}

/**
 * Asks, shows progress as it comes, and gives the answer.
 *
 * @param {Question} question
 * @param {{ signal: AbortSignal, previews: boolean, progress: (reply: ReplyJson) => void, amended?: (whole: Answer, before: Answer) => void }} how
 *   `amended`: called with what the answer becomes a little later, where something is added to it.
 * @returns {Promise<Answer>} Rejects with AskError, or with the signal's reason.
 */
export async function ask(question, { signal, previews, progress, amended = () => undefined }) {
  const path = `/api/invocations${previews ? "?previews=1" : ""}`;
  const response = await post(path, { ...question, zone: ownZone() }, { accept: "application/x-ndjson", signal });
  const lines = linesOf(response);
  /** @type {Answer | undefined} */
  let answer;
  try {
    answer = await nextReply(lines, progress);
  } catch (thrown) {
    signal.throwIfAborted();
    throw new AskError(BROKEN, { cause: thrown });
  }
  if (answer === undefined) throw new AskError(BROKEN);
  const before = answer;
  // What breaks off now leaves the answer as it is.
  nextReply(lines, progress).then(
    (whole) => (whole === undefined ? undefined : amended(whole, before)),
    () => undefined,
  );
  return answer;
}

/**
 * @param {AsyncGenerator<string, void>} lines
 * @param {(reply: ReplyJson) => void} progress
 * @returns {Promise<Answer | undefined>}
 */
async function nextReply(lines, progress) {
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    /** @type {{ progress?: ReplyJson, reply?: Answer }} */
    const news = JSON.parse(line.value);
    if (news.reply !== undefined) return news.reply;
    if (news.progress !== undefined) progress(news.progress);
  }
  return undefined;
}

/**
 * The fields of a button that is to be filled in.
 *
 * @param {ButtonQuestion} question
 * @returns {Promise<FormJson | null>}
 */
export async function loadForm(question) {
  const response = await post("/api/form", question, {});
  return response.json();
}

/**
 * Sends what was filled in.
 *
 * @param {ButtonQuestion} question
 * @param {AbortSignal} signal Ends the wait for the answer.
 * @returns {Promise<Extract<SentForm, { faults: unknown }> | SentAnswer>} What is wrong, or the answer.
 */
export async function sendForm(question, signal) {
  const response = await post("/api/form/sent", { ...question, zone: ownZone() }, { signal });
  const lines = linesOf(response);
  const first = await lines.next();
  /** @type {SentForm} */
  const sent = JSON.parse(first.done === true ? '{"faults":[]}' : first.value);
  if (!("reply" in sent)) return sent;
  // What breaks off now leaves the answer as it is.
  const whole = nextReply(lines, () => undefined).catch(() => undefined);
  return { reply: sent.reply, whole };
}

function ownZone() {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Whether a file is one that an export delivered.
 *
 * @param {File} file
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>} Rejects with AskError, or with the signal's reason.
 */
async function verify(file, signal) {
  const path = `/api/verify?name=${encodeURIComponent(file.name)}`;
  const headers = { "Content-Type": "application/octet-stream", Accept: "application/json" };
  const response = await request(path, { method: "POST", headers, body: file, signal });
  return response.json();
}

/**
 * The answer that a form has already, that to a file, or that to the question.
 *
 * @param {Question} question
 * @param {{ file?: File | undefined, answer?: SentAnswer | undefined }} given
 * @param {Parameters<typeof ask>[1]} asking
 * @returns {Promise<Answer>}
 */
export async function answerTo(question, { file, answer }, asking) {
  if (answer !== undefined) {
    const { reply, whole } = answer;
    void whole.then((amended) => (amended === undefined ? undefined : asking.amended?.(amended, reply)));
    return reply;
  }
  return file === undefined ? ask(question, asking) : verify(file, asking.signal);
}

/**
 * Whole lines that the text so far can become, and what each stands for.
 *
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<readonly { readonly line: string, readonly label?: string | null | undefined }[]>}
 */
export async function complete(text, signal) {
  const response = await post("/api/completions", { text }, { signal });
  /** @type {{ lines: readonly string[], labels?: readonly (string | null)[] }} */
  const { lines, labels = [] } = await response.json();
  return lines.map((line, index) => ({ line, label: labels[index] }));
}

/** @param {string} path */
async function get(path) {
  const response = await request(path, { headers: { Accept: "application/json" } });
  return response.json();
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {{ accept?: string, signal?: AbortSignal }} how
 */
function post(path, body, { accept = "*/*", signal }) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  return request(path, { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null });
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @returns {Promise<Response>}
 */
async function request(path, init) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin", redirect: "error" });
  } catch (thrown) {
    init.signal?.throwIfAborted();
    throw new AskError(silenceWords(navigator.onLine), { cause: thrown });
  }
  if (response.ok) return response;
  if (response.status === 401) {
    location.assign(`/login${location.search}${location.hash}`);
    throw new AskError("The session has ended: sign in again.");
  }
  throw new AskError(await sentenceOf(response));
}

/** @param {Response} response */
async function sentenceOf(response) {
  try {
    /** @type {{ error?: unknown }} */
    const { error } = await response.json();
    if (typeof error === "string") return error;
  } catch {
    // Not the console's own answer; the status has to do.
  }
  return `The console answered with HTTP status ${response.status}.`;
}

/**
 * @param {Response} response
 * @returns {AsyncGenerator<string, void>}
 */
async function* linesOf(response) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let read = await reader.read();
  while (!read.done) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
    read = await reader.read();
  }
  if (rest !== "") yield rest;
}
