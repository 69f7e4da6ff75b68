// @ts-check
// The page: wires the command line, the conversation and the rail together.
/** @import { CommandInfo, ConsoleInfo } from "../console-info.ts" */
/** @import { ButtonQuestion } from "../invocations/question.ts" */
/** @import { Surroundings } from "./exchange/exchange.js" */
import { ask, AskError, loadConsole } from "./api.js";
import { copyText } from "./reply/clipboard.js";
import { createAlerts } from "./alerts/alerts.js";
import { createComposer } from "./exchange/composer.js";
import { bringIntoView, createConversation } from "./exchange/conversation.js";
import { createFilePicker } from "./exchange/file-picker.js";
import { createForm } from "./exchange/form.js";
import { createKept } from "./exchange/kept.js";
import { createHistory, formatLine } from "./exchange/lines.js";
import { listCommands } from "./exchange/command-list.js";
import { createPalette } from "./exchange/palette.js";
import { createTried } from "./exchange/tried.js";
import { part } from "./part.js";
import { age } from "./reply/times.js";
import { createViews } from "./views.js";
import { makeElement } from "./vnode/make-dom.js";
import { h } from "./vnode/vnode.js";

const log = part("#log", HTMLOListElement);
const welcome = part("#welcome", HTMLElement);
const input = part("#line", HTMLInputElement);
const dialog = part("#confirm", HTMLDialogElement);
const announcer = part("#announcer", HTMLElement);

/** @type {ReturnType<typeof createAlerts>["seen"]} What was last seen of the networks. */
let seen = () => ({ networks: [], open: [] });
/** @type {ReturnType<typeof createViews>} */
let views = { show: () => undefined, showFirst: () => undefined };
const kept = createKept(storageOrNone(() => window.sessionStorage));
/** @type {ConsoleInfo} */
let info = {
  networks: [],
  simulated: false,
  previews: [],
  previewNames: {},
  signedIn: false,
  alerts: false,
  looks: false,
  incident: false,
  commands: [],
};

const conversation = createConversation({
  log,
  welcome,
  head: part("#conversation", HTMLElement),
  letGo: part("#let-go", HTMLElement),
  kept,
  around: surroundings,
  reveal: () => views.show(),
});

const files = createFilePicker({
  row: part("#file-row", HTMLElement),
  opener: part("#choose-file", HTMLElement),
  input: part("#file", HTMLInputElement),
  commands: () => info.commands,
  given: (file) => {
    const line = formatLine("ledger verify", { file: file.name });
    composer.clear();
    toAskView(() => void conversation.ask({ text: line }, line, { focus: false, file }));
  },
});

const tried = createTried(part("#tried", HTMLElement), countOf);
const openForm = createForm(part("#form", HTMLDialogElement), createTried(part("#form-tried", HTMLElement), countOf));

const lines = createHistory(
  storageOrNone(() => window.localStorage),
  "bellwether-lines",
);

const composer = createComposer({
  form: part("#composer", HTMLFormElement),
  input,
  list: part("#completions", HTMLElement),
  history: lines,
  send: (line) => void conversation.ask({ text: line }, line, { focus: false }),
  changed: (line) => {
    files.offer(line);
    tried.changed(line);
  },
  escape: () => conversation.cancelLast(),
});

/**
 * What a trial says; undefined where its line has a mistake.
 *
 * @param {string} line
 * @param {AbortSignal} signal
 */
async function countOf(line, signal) {
  const { reply } = await ask({ text: line }, { signal, previews: false, progress: () => undefined });
  return reply.failure === undefined ? reply.headline.replace(/^SIMULATED · /u, "") : undefined;
}

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

part("#clear", HTMLElement).addEventListener("click", () => {
  conversation.clear();
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
    askBelow: (question, line, how) => conversation.ask(question, line, how),
    fillIn: (question) => void fillIn(question),
    grown: (element) => {
      if (element === log.lastElementChild) bringIntoView(element);
    },
  };
}

/** @param {ButtonQuestion} question */
async function fillIn(question) {
  const opens = await openForm(question, (sent, answer, words) =>
    toAskView(() => void conversation.ask(sent, words, { focus: true, answer })),
  );
  // Without a form its line is to be changed.
  if (!opens) toAskView(() => composer.change(formatLine(question.command, question.options)));
}

/** Said once, where all networks are: answers have no mark of their own then. */
function showSimulated() {
  part("#simulated", HTMLElement).hidden = false;
  part("#unreal", HTMLElement).hidden = false;
  document.body.dataset["simulated"] = "";
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
  views.showFirst();
  then();
}

/**
 * Begins a command: what changes something by its form, where it has one, and the rest by its line.
 *
 * @param {string} command
 */
function begin(command) {
  if (info.commands.some(({ name, changes }) => changes && name === command)) void fillIn({ command, options: {} });
  else toAskView(() => composer.fill(`${command} `));
}

/** @param {readonly CommandInfo[]} commands */
function fillCommands(commands) {
  listCommands(part("#commands", HTMLElement), commands, ({ name }) => begin(name));
  createPalette({
    dialog: part("#palette", HTMLDialogElement),
    input: part("#find", HTMLInputElement),
    list: part("#found", HTMLElement),
    openers: [part("#open-palette", HTMLElement), part("#all-commands", HTMLElement)],
    commands,
    seen: () => seen(),
    choose: ({ name, line, question }) =>
      question === undefined ? begin(name) : void conversation.ask(question, line, { focus: true, heading: name }),
  });
}

/**
 * Questions as people ask them; a press asks.
 *
 * @param {readonly CommandInfo[]} commands
 */
function fillExamples(commands) {
  const asking = commands.find(({ name }) => name === "ask");
  const items = (asking?.examples ?? []).map((example) => {
    const question = example.slice("ask ".length);
    const words = `${question.slice(0, 1).toUpperCase()}${question.slice(1)}`;
    const button = makeElement(h("button", { type: "button" }, words));
    button.addEventListener("click", () => {
      void conversation.ask({ text: question }, question, { focus: false });
      input.focus({ preventScroll: true });
    });
    const item = makeElement(h("li", {}));
    item.append(button);
    return item;
  });
  part("#examples", HTMLUListElement).replaceChildren(...items);
}

/** @type {Promise<ReturnType<typeof import("./network/network.js").createNetwork>> | undefined} */
let network;

/** The view of a network is loaded when it is first shown. */
async function showNetwork() {
  const [view, link] = [part("#view-network", HTMLElement), part("#to-network", HTMLAnchorElement)];
  network ??= import("./network/network.js").then(({ createNetwork }) =>
    createNetwork(view, link, info, { ...surroundings(), grown: () => undefined }, countOf),
  );
  try {
    (await network).shown();
  } catch (thrown) {
    network = undefined;
    part("#network-says", HTMLElement).textContent = "This view could not be loaded. Reload the page.";
    reportError(thrown);
  }
}

function showAlerts() {
  part("#views", HTMLElement).hidden = false;
  part("#try-incident", HTMLElement).hidden = !info.incident;
  part("#earlier-zone", HTMLElement).textContent = `times in ${new Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  const view = part("#view-alerts", HTMLElement);
  const around = { ...surroundings(), grown: () => undefined };
  const alerts = createAlerts(view, part("#open-count", HTMLElement), info, around, (state) => {
    void network?.then((shown) => shown.seen(state));
    const isStalled = state.networks.some(({ incident }) => incident !== undefined);
    part("#incident-link", HTMLElement).textContent =
      `${isStalled ? "let" : "stall"} the simulated network${isStalled ? " recover" : ""}`;
  });
  seen = alerts.seen;
  const toNetwork = part("#to-network", HTMLElement);
  toNetwork.hidden = !info.looks;
  views = createViews({
    views: [
      { name: "ask", element: part("#view-ask", HTMLElement), link: part("#to-ask", HTMLElement) },
      { name: "alerts", element: view, link: part("#to-alerts", HTMLElement), shown: alerts.shown },
      ...(info.looks
        ? [
            {
              name: "network",
              element: part("#view-network", HTMLElement),
              link: toNetwork,
              shown: () => void showNetwork(),
            },
          ]
        : []),
    ],
  });
}

/** The back button, and a link to something else on this page. */
function followAddress() {
  views.show();
  conversation.followAddress();
}

try {
  info = await loadConsole();
  part("#networks", HTMLElement).textContent = info.networks.join(" · ");
  if (info.simulated) showSimulated();
  part("#sign-out", HTMLFormElement).hidden = !info.signedIn;
  fillCommands(info.commands);
  fillExamples(info.commands);
  if (info.alerts) showAlerts();
  conversation.restore();
  conversation.followAddress();
  // The place of an answer on the page is another one after a reload.
  history.scrollRestoration = "manual";
  for (const moved of ["popstate", "hashchange"]) addEventListener(moved, followAddress);
} catch (thrown) {
  part("#networks", HTMLElement).textContent =
    thrown instanceof AskError ? thrown.message : "This page failed to start.";
}
