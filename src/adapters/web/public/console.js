// @ts-check
// The page: wires the command line, the conversation and the rail together.
/** @import { CommandInfo, ConsoleInfo } from "../console-info.ts" */
/** @import { Question } from "../invocations/question.ts" */
/** @import { Answer } from "../render.ts" */
/** @import { Surroundings } from "./exchange/exchange.js" */
import { AskError, loadConsole } from "./api.js";
import { copyText } from "./reply/clipboard.js";
import { createAlerts } from "./alerts/alerts.js";
import { createComposer } from "./exchange/composer.js";
import { createExchange } from "./exchange/exchange.js";
import { createFilePicker } from "./exchange/file-picker.js";
import { createKept } from "./exchange/kept.js";
import { createHistory, formatLine } from "./exchange/lines.js";
import { createMenu, listCommands } from "./exchange/menu.js";
import { part } from "./part.js";
import { age } from "./reply/times.js";
import { createViews } from "./views.js";
import { makeElement } from "./vnode/make-dom.js";
import { h } from "./vnode/vnode.js";

/** The number of exchanges; older ones are removed, and counted. */
const MAX_EXCHANGES = 200;
const MAX_EXAMPLES = 9;

const log = part("#log", HTMLOListElement);
const welcome = part("#welcome", HTMLElement);
const input = part("#line", HTMLInputElement);
const dialog = part("#confirm", HTMLDialogElement);
const announcer = part("#announcer", HTMLElement);

/** @type {ReturnType<typeof createExchange>[]} */
let exchanges = [];
let letGo = 0;
let asked = 0;
const kept = createKept(storageOrNone(() => window.sessionStorage));
/** @type {ConsoleInfo} */
let info = {
  networks: [],
  simulated: false,
  previews: [],
  previewNames: {},
  signedIn: false,
  alerts: false,
  incident: false,
  commands: [],
};

const files = createFilePicker({
  row: part("#file-row", HTMLElement),
  opener: part("#choose-file", HTMLElement),
  input: part("#file", HTMLInputElement),
  commands: () => info.commands,
  given: (file) => {
    const line = formatLine("ledger verify", { file: file.name });
    composer.clear();
    toAskView(() => void askBelow({ text: line }, line, { focus: false, file }));
  },
});

const lines = createHistory(
  storageOrNone(() => window.localStorage),
  "bellwether-lines",
);

const composer = createComposer({
  form: part("#composer", HTMLFormElement),
  input,
  list: part("#completions", HTMLElement),
  history: lines,
  send: (line) => void askBelow({ text: line }, line, { focus: false }),
  changed: files.offer,
  escape: () => exchanges.findLast((exchange) => exchange.cancel()),
});

/**
 * Some browsers forbid storage altogether, by an exception.
 *
 * @param {() => Storage} storage
 * @returns {Pick<Storage, "getItem" | "setItem" | "removeItem">}
 */
function storageOrNone(storage) {
  try {
    return storage();
  } catch {
    return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  }
}

/**
 * @param {Question} question
 * @param {string} line
 * @param {{ focus: boolean, file?: File, shownAs?: string }} options
 */
async function askBelow(question, line, { focus, file, shownAs }) {
  const { exchange, keep } = addExchange(line);
  keep({ question });
  bringIntoView(exchange.element);
  await exchange.start(question, { file, shownAs });
  if (focus) exchange.element.focus({ preventScroll: true });
}

/** @param {string} line */
function addExchange(line) {
  asked += 1;
  const number = asked;
  /** @param {{ question: Question, answer?: Answer, job?: string, at?: number }} what */
  const keep = (what) => kept.put(number, { line, at: Date.now(), ...what });
  const exchange = createExchange(line, {
    ...surroundings(),
    answered: (question, answer) => keep({ question, answer }),
    goesOn: (question, job) => keep({ question, job }),
  });
  exchanges.push(exchange);
  log.append(exchange.element);
  welcome.hidden = true;
  part("#conversation", HTMLElement).hidden = false;
  forgetOldest();
  return { exchange, keep };
}

/** The conversation from before a reload. */
function restore() {
  for (const { line, ...what } of kept.load()) {
    const { exchange, keep } = addExchange(line);
    keep(what);
    exchange.restore(what);
  }
  const last = exchanges.at(-1);
  if (last !== undefined) bringIntoView(last.element);
}

part("#clear", HTMLElement).addEventListener("click", () => {
  for (const exchange of exchanges) exchange.cancel();
  exchanges = [];
  letGo = 0;
  kept.clear();
  log.replaceChildren();
  welcome.hidden = false;
  part("#let-go", HTMLElement).textContent = "";
  part("#conversation", HTMLElement).hidden = true;
  input.focus();
});
part("#sign-out", HTMLFormElement).addEventListener("submit", () => {
  kept.clear();
  lines.clear();
  input.value = "";
});

/** @returns {Surroundings} */
function surroundings() {
  return {
    dialog,
    previews: info.previews.map((id) => ({ id, name: info.previewNames[id] ?? id })),
    announce: (text) => (announcer.textContent = text),
    files,
    simulated: showSimulated,
    askBelow,
    fill,
    grown: (element) => {
      if (element === log.lastElementChild) bringIntoView(element);
    },
  };
}

/** Cancels a running question whose exchange is removed. */
function forgetOldest() {
  while (exchanges.length > MAX_EXCHANGES) {
    const oldest = exchanges.shift();
    oldest?.cancel();
    oldest?.element.remove();
    letGo += 1;
    part("#let-go", HTMLElement).textContent =
      `${letGo} older ${letGo === 1 ? "answer is" : "answers are"} no longer shown.`;
  }
}

/**
 * The whole exchange where it fits, else its beginning.
 *
 * @param {HTMLElement} element
 */
function bringIntoView(element) {
  const room = window.innerHeight - 200;
  element.scrollIntoView({ block: element.offsetHeight > room ? "start" : "end" });
}

function showSimulated() {
  part("#simulated", HTMLElement).hidden = false;
  part("#banner", HTMLElement).hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy], [data-fill]") : null;
  if (!(button instanceof HTMLElement)) return;
  const { copy, fill } = button.dataset;
  if (fill !== undefined) composer.fill(fill);
  else if (copy !== undefined) void copyFrom(button, copy);
});

/**
 * @param {HTMLElement} button
 * @param {string} value
 */
async function copyFrom(button, value) {
  // A selection by hand copies only its own text.
  if (getSelection()?.isCollapsed === false && button.contains(getSelection()?.anchorNode ?? null)) return;
  const copied = await copyText(value);
  button.toggleAttribute("data-open");
  announcer.textContent = copied ? "Copied" : "The browser does not allow copying: select it and copy by hand.";
  if (!copied) return;
  button.dataset["copied"] = "";
  setTimeout(() => delete button.dataset["copied"], 1500);
}

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement || document.querySelector("dialog[open]") !== null;
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  toAskView(() => input.focus());
});

setInterval(() => {
  const now = Date.now();
  for (const element of document.querySelectorAll("[data-age]")) {
    if (element instanceof HTMLElement) element.textContent = age(Number(element.dataset["age"]), now);
  }
}, 5000);

/**
 * Does something where the command line is.
 *
 * @param {() => void} then
 */
function toAskView(then) {
  if (!part("#view-ask", HTMLElement).hidden) return then();
  // The view is shown once the hash has been processed.
  addEventListener("hashchange", () => then(), { once: true });
  location.hash = "ask";
}

/** @param {string} line */
function fill(line) {
  toAskView(() => composer.fill(line));
}

/** @param {readonly CommandInfo[]} commands */
function fillCommands(commands) {
  listCommands(part("#commands", HTMLElement), commands, ({ name }) => fill(`${name} `));
  createMenu({
    dialog: part("#menu", HTMLDialogElement),
    list: part("#menu-commands", HTMLElement),
    opener: part("#open-menu", HTMLElement),
    commands,
    fill,
  });
}

/**
 * What needs no value is asked at once; what does is begun, and completion offers what there is.
 *
 * @param {readonly CommandInfo[]} commands
 */
function fillExamples(commands) {
  const items = commands.slice(0, MAX_EXAMPLES).map((command) => {
    const [example = command.name] = command.examples;
    const begun = command.needs.length > 0;
    const line = h("b", {}, begun ? `${command.name} …` : example);
    const button = makeElement(h("button", { type: "button" }, line, h("span", {}, command.summary)));
    button.addEventListener("click", () => {
      if (begun) {
        composer.fill(`${command.name} `);
      } else {
        void askBelow({ text: example }, example, { focus: false });
        input.focus({ preventScroll: true });
      }
    });
    const item = makeElement(h("li", {}));
    item.append(button);
    return item;
  });
  part("#examples", HTMLUListElement).replaceChildren(...items);
}

function showAlerts() {
  part("#views", HTMLElement).hidden = false;
  part("#try-incident", HTMLElement).hidden = !info.incident;
  const view = part("#view-alerts", HTMLElement);
  const alerts = createAlerts(view, part("#open-count", HTMLElement), info, {
    ...surroundings(),
    askBelow: (question, line, how) => {
      location.hash = "ask";
      return askBelow(question, line, how);
    },
    grown: () => undefined,
  });
  createViews({
    views: [
      { name: "ask", element: part("#view-ask", HTMLElement), link: part("#to-ask", HTMLElement) },
      { name: "alerts", element: view, link: part("#to-alerts", HTMLElement), shown: alerts.shown },
    ],
  });
}

/** A message about an alert that is over leads here. No other command is run because of an address. */
function showEpisode() {
  const [, given] = /^#episode=(.+)$/u.exec(location.hash) ?? [];
  const episode = given === undefined ? undefined : decoded(given);
  if (episode === undefined) return;
  history.replaceState(null, "", "#ask");
  const options = { episode };
  void askBelow({ command: "alerts why", options }, formatLine("alerts why", options), { focus: true });
}

/** @param {string} given */
function decoded(given) {
  try {
    return decodeURIComponent(given);
  } catch {
    return undefined;
  }
}

try {
  info = await loadConsole();
  part("#networks", HTMLElement).textContent = info.networks.join(" · ");
  if (info.simulated) showSimulated();
  part("#sign-out", HTMLFormElement).hidden = !info.signedIn;
  fillCommands(info.commands);
  fillExamples(info.commands);
  if (info.alerts) showAlerts();
  restore();
  showEpisode();
  addEventListener("hashchange", showEpisode);
} catch (thrown) {
  part("#networks", HTMLElement).textContent =
    thrown instanceof AskError ? thrown.message : "This page failed to start.";
}
