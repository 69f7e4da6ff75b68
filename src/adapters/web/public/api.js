// @ts-check
// The page's side of the HTTP interface.
/** @import { ReplyJson } from "../../../reply/document.ts" */
/** @import { ConsoleInfo } from "../console-info.ts" */
/** @import { FormJson } from "../invocations/form.ts" */
/** @import { ButtonQuestion, Question, Refusal } from "../invocations/question.ts" */
/** @import { Answer } from "../render.ts" */
/** @import { AlertJson } from "../alerts/alert-json.ts" */
/** @import { OneLook, PastLooks } from "../looks.ts" */
/** @import { WatchState } from "../alerts/watch.ts" */

/**
 * @typedef {object} Given An answer.
 * @property {Answer} reply
 * @property {Promise<Answer | undefined>} [whole] What it becomes a little later, where something is added to it.
 */

/**
 * @typedef {object} Asking
 * @property {AbortSignal} signal Ends the wait for the answer.
 * @property {boolean} previews
 * @property {(reply: ReplyJson) => void} progress
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
 * What was seen of a network.
 *
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @returns {Promise<PastLooks>} Rejects with AskError, or with the signal's reason.
 */
export function loadLooks(query, signal) {
  return get(`/api/looks?${query}`, signal);
}

/**
 * One look.
 *
 * @param {string} network
 * @param {number} at In Unix milliseconds.
 * @param {AbortSignal} signal
 * @returns {Promise<OneLook>} Rejects as `loadLooks` does.
 */
export function loadLook(network, at, signal) {
  return get(`/api/looks?${new URLSearchParams({ network, at: String(at) })}`, signal);
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
 * @param {Asking} how
 * @returns {Promise<Given>} Rejects with AskError, or with the signal's reason.
 */
export async function ask(question, how) {
  const given = await send(question, how);
  if ("faults" in given) throw new AskError(BROKEN);
  return given;
}

/**
 * Sends a form, filled in.
 *
 * @param {ButtonQuestion} question
 * @param {Asking} how
 * @returns {Promise<Refusal | Given>} What is wrong, or the answer. Rejects as `ask` does.
 */
export function sendForm(question, how) {
  return send({ ...question, form: true }, how);
}

/**
 * @param {Question} question
 * @param {Asking} how
 * @returns {Promise<Refusal | Given>}
 */
async function send(question, { signal, previews, progress }) {
  const path = `/api/invocations${previews ? "?previews=1" : ""}`;
  const response = await post(path, { ...question, zone: ownZone() }, { accept: "application/x-ndjson", signal });
  const lines = linesOf(response);
  const given = await nextGiven(lines, progress).catch((/** @type {unknown} */ thrown) => {
    signal.throwIfAborted();
    throw new AskError(BROKEN, { cause: thrown });
  });
  if (given === undefined) throw new AskError(BROKEN);
  if ("faults" in given) return given;
  // What breaks off now leaves the answer as it is.
  const whole = nextGiven(lines, progress).then(
    (more) => (more !== undefined && "reply" in more ? more.reply : undefined),
    () => undefined,
  );
  return { ...given, whole };
}

/**
 * @param {AsyncGenerator<string, void>} lines
 * @param {(reply: ReplyJson) => void} progress
 * @returns {Promise<Refusal | { reply: Answer } | undefined>}
 */
async function nextGiven(lines, progress) {
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    /** @type {{ progress: ReplyJson } | { reply: Answer } | Refusal} */
    const news = JSON.parse(line.value);
    if (!("progress" in news)) return news;
    progress(news.progress);
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

function ownZone() {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Whether a file is one that an export delivered.
 *
 * @param {File} file
 * @param {AbortSignal} signal
 * @returns {Promise<Given>} Rejects with AskError, or with the signal's reason.
 */
export async function verify(file, signal) {
  const path = `/api/verify?name=${encodeURIComponent(file.name)}`;
  const headers = { "Content-Type": "application/octet-stream", Accept: "application/json" };
  const response = await request(path, { method: "POST", headers, body: file, signal });
  return { reply: await response.json() };
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

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
async function get(path, signal) {
  const response = await request(path, { headers: { Accept: "application/json" }, signal: signal ?? null });
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
