// @ts-check
// The form of a button that is to be filled in. It stays open until its values are right.
/** @import { FormJson } from "../../invocations/form.ts" */
/** @import { ButtonQuestion } from "../../invocations/question.ts" */
/** @import { Given } from "../api.js" */
import { AskError, loadForm, sendForm } from "../api.js";
import { part } from "../part.js";
import { formatLine } from "./lines.js";
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/** @typedef {(sent: ButtonQuestion, answer: Given, words: string) => void} Done `words`: what was filled in, to be read. */

/**
 * @param {HTMLDialogElement} dialog
 * @param {{ changed: (line: string) => void }} tried Counts what is filled in, where it is an alert.
 * @returns {(question: ButtonQuestion, done: Done) => Promise<boolean>} Opens
 *   the form of a question; false where it has none.
 */
export function createForm(dialog, tried) {
  const at = (/** @type {string} */ id) => part(`#form-${id}`, HTMLElement, dialog);
  const send = part("#form-send", HTMLButtonElement, dialog);
  /** @type {{ question: ButtonQuestion, inputs: ReadonlyMap<string, Field>, done: Done, form: FormJson } | undefined} */
  let opened;
  let sending = new AbortController();

  at("cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    // What was answered goes on: more may be added to it.
    if (opened !== undefined) sending.abort();
    opened = undefined;
    tried.changed("");
  });
  dialog.addEventListener("input", count);
  part("form", HTMLFormElement, dialog).addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });

  /** @param {string} sentence */
  function sayFault(sentence) {
    at("fault").textContent = sentence;
    at("fault").hidden = sentence === "";
  }

  function count() {
    const { command, options } = opened === undefined ? NOTHING : filledIn(opened);
    tried.changed(formatLine(command, options));
  }

  async function submit() {
    if (opened === undefined || send.disabled) return;
    const { inputs, done, form } = opened;
    const { command, options } = filledIn(opened);
    const isSame = form.fields.every(({ name, before }) => before !== undefined && !(name in options));
    if (isSame) return sayFault("Nothing is changed yet.");
    const { signal } = (sending = new AbortController());
    send.disabled = true;
    try {
      const how = { signal, previews: true, progress: () => undefined };
      const sent = await sendForm({ command, options }, how);
      if ("faults" in sent) return showFaults(inputs, sent.faults);
      opened = undefined;
      dialog.close();
      done({ command, options }, sent, wordsOf(form, options));
    } catch (thrown) {
      if (!signal.aborted) sayFault(thrown instanceof AskError ? thrown.message : "The form could not be sent.");
    } finally {
      send.disabled = false;
    }
  }

  /**
   * @param {ReadonlyMap<string, Field>} inputs
   * @param {readonly { readonly option?: string | undefined, readonly sentence: string }[]} faults
   */
  function showFaults(inputs, faults) {
    for (const { say } of inputs.values()) say("");
    const others = faults.filter(({ option = "" }) => !inputs.has(option));
    for (const { option = "", sentence } of faults) inputs.get(option)?.say(sentence);
    sayFault(others.map(({ sentence }) => sentence).join(" "));
    [...inputs].find(([name]) => faults.some(({ option }) => option === name))?.[1].input.focus();
  }

  return async (question, done) => {
    const form = await loadForm(question).catch(() => null);
    if (form === null) return false;
    at("title").textContent = form.title;
    at("about").replaceChildren(
      ...form.about.flatMap(({ label, value }) => [makeElement(h("dt", {}, label)), makeElement(h("dd", {}, value))]),
    );
    const fields = form.fields.map(makeField);
    at("fields").replaceChildren(...fields.map(({ element }) => element));
    sayFault("");
    send.textContent = form.verb;
    opened = { question, done, form, inputs: new Map(fields.map((field) => [field.name, field])) };
    if (!dialog.open) dialog.showModal();
    count();
    const last = Object.keys(question.options).at(-1);
    const first = fields.find(({ name }) => name === last) ?? fields[0];
    first?.input.focus();
    if (first?.input instanceof HTMLInputElement) first.input.select();
    return true;
  };
}

/**
 * `Subscribe to alerts: BTC/USDT, Above 95000`.
 *
 * @param {FormJson} form
 * @param {ButtonQuestion["options"]} filled
 */
function wordsOf({ title, about, fields }, filled) {
  const subject = about.slice(-1).map(({ value }) => value);
  const values = fields.flatMap(({ name, label }) => (name in filled ? [`${label} ${filled[name]}`] : []));
  return `${title}: ${[...subject, ...values].join(", ")}`;
}

/** @typedef {ReturnType<typeof makeField>} Field */

/** @type {ButtonQuestion} */
const NOTHING = { command: "", options: {} };

/**
 * The question with what is typed in its fields; of a thing that is changed, with what is other than it has.
 *
 * @param {{ question: ButtonQuestion, inputs: ReadonlyMap<string, Field> }} form
 * @returns {ButtonQuestion}
 */
function filledIn({ question, inputs }) {
  const options = { ...question.options };
  for (const [name, { input, before, none }] of inputs) {
    delete options[name];
    const typed = input.value.trim();
    if (typed !== before) options[name] = typed === "" ? none : typed;
  }
  return { command: question.command, options };
}

/** @param {FormJson["fields"][number]} field */
function makeField({ name, label, hint, value, before = "", none = "", choices }) {
  const element = makeElement(h("div", { class: "field" }));
  const named = document.createElement("label");
  named.textContent = label;
  named.htmlFor = `form-field-${name}`;
  const input = document.createElement(choices === undefined ? "input" : "select");
  for (const one of choices ?? []) input.append(new Option(one.label, one.value));
  Object.assign(input, { id: named.htmlFor, value, autocomplete: "off", spellcheck: false });
  const about = makeElement(h("p", { id: `form-hint-${name}`, class: "hint" }, hint));
  const fault = makeElement(h("p", { id: `form-fault-${name}`, class: "fault", role: "alert", hidden: true }));
  input.setAttribute("aria-describedby", `${fault.id} ${about.id}`);
  element.append(named, input, fault, about);
  return {
    name,
    element,
    input,
    before,
    none,
    /** @param {string} sentence What is wrong with its value; empty where nothing is. */
    say: (sentence) => {
      fault.textContent = sentence;
      fault.hidden = sentence === "";
      input.setAttribute("aria-invalid", String(sentence !== ""));
    },
  };
}
