// @ts-check
// The guided incident: a simulated network stalls, and the page shows the alert step by step.
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
/** @import { OpenAlert, WatchedNetwork, WatchState } from "../../alerts/watch.ts" */
/** @import { PreviewPress } from "../../render.ts" */
/** @import { Surroundings } from "../exchange/exchange.js" */
/** @import { Stage, Step } from "./incident-step.js" */
/** @typedef {Extract<PreviewPress, { invocation: unknown }>} Pressed */
import { AskError, setIncident } from "../api.js";
import { part } from "../part.js";
import { drawAlertPreview } from "./alert-card.js";
import { answersBelow } from "../exchange/answers-below.js";
import { awayWords, countdownWords, seconds, STAGES, stepOf } from "./incident-step.js";
import { keepFocus } from "../vnode/keep-focus.js";
import { makeElement } from "../vnode/make-dom.js";
import { localTime } from "../reply/times.js";
import { h } from "../vnode/vnode.js";

/**
 * Over an alert of the incident, by its state.
 *
 * @type {Readonly<Record<string, string>>}
 */
const HEADINGS = { escalated: "Now critical", resolved: "The end of it" };

/**
 * The stage on the track: before the alert is pending, nothing is wrong by it.
 *
 * @param {Stage} stage
 */
function trackIndex(stage) {
  return STAGES.findIndex(([known]) => known === (stage === "still" ? "calm" : stage));
}

/**
 * @param {HTMLElement} element
 * @param {Surroundings} around
 * @param {string} network The one that is made to stand still.
 */
export function createIncident(element, around, network) {
  const track = part('[data-part="track"]', HTMLElement, element);
  const says = part('[data-part="says"]', HTMLElement, element);
  const clock = part('[data-part="clock"]', HTMLElement, element);
  const nodes = part('[data-part="nodes"]', HTMLElement, element);
  const shown = part('[data-part="shown"]', HTMLElement, element);
  const log = part('[data-part="story"]', HTMLElement, element);
  const below = answersBelow(log, around);
  const button = part('[data-part="switch"]', HTMLButtonElement, element);
  for (const name of element.querySelectorAll("[data-network]")) name.textContent = network;

  /** @type {string | undefined} */
  let episode;
  /** @type {Stage | undefined} */
  let stage;
  /** @type {Step["countdown"]} */
  let countdown;
  let countedAt = 0;
  let pressing = false;
  let gone = false;
  /** @type {Set<string>} The ids of the episode's alerts so far; the last of them is shown. */
  const seen = new Set();
  /** @type {(() => Promise<void>) | undefined} Draws the shown alert again. */
  let drawAgain;
  /** @type {string | undefined} Whether its episode is open, acknowledged or over. */
  let stands;

  button.addEventListener("click", () => void press(button.dataset["does"] === "stall"));

  /** @param {boolean} stall */
  async function press(stall) {
    pressing = true;
    allow();
    if (stall) begin();
    try {
      await setIncident(network, stall);
    } catch (thrown) {
      says.textContent = thrown instanceof AskError ? thrown.message : "That did not work.";
    }
    pressing = false;
    allow();
    button.focus();
  }

  function allow() {
    button.disabled = pressing || gone;
  }

  /** Removes the remains of another incident. */
  function begin() {
    episode = undefined;
    stands = undefined;
    seen.clear();
    drawAgain = undefined;
    shown.replaceChildren();
    log.replaceChildren();
  }

  /** @param {WatchState} state */
  function update(state) {
    const watched = state.networks.find((one) => one.network === network);
    if (watched === undefined) return;
    const step = stepOf(watched, state.timing, episode, state.open);
    if (step.episode !== undefined && step.episode !== episode) {
      if (episode !== undefined) begin();
      episode = step.episode;
    }
    followUp(state.open.find((one) => one.episode === episode));
    gone = false;
    allow();
    element.dataset["stage"] = step.stage;
    drawSwitch(button, watched.incident !== undefined, step.stage);
    countdown = step.countdown;
    countedAt = performance.now();
    tick();
    if (step.stage !== stage) {
      stage = step.stage;
      track.replaceChildren(...drawTrack(step));
      if (step.stage !== "calm") around.announce(`${labelOf(step.stage)}. ${step.says}`);
      if (step.stage === "resolved") tellStory();
    }
    const note = step.stage === "calm" ? calmWords(state.timing) : step.says;
    if (says.textContent !== note) says.textContent = note;
    nodes.replaceChildren(...(["calm", "resolved"].includes(step.stage) ? [] : [makeElement(witnesses(watched))]));
  }

  /** Between two requests to the server the page counts by itself. */
  function tick() {
    clock.hidden = countdown === undefined;
    if (countdown !== undefined) drawClock(clock, countdown, performance.now() - countedAt);
  }

  /**
   * An alert of this incident, as channels get it: in the place of the one before, whose message says the same once the
   * platforms have edited it.
   *
   * @param {AlertJson} alert
   */
  async function told(alert) {
    if (alert.episode === undefined || alert.episode !== episode || seen.has(alert.id)) return;
    seen.add(alert.id);
    const heading = () => drawHeading(stands === "over" ? "resolved" : alert.state);
    const group = makeElement(h("div", { class: "told" }));
    group.append(heading());
    shown.replaceChildren(group);
    drawAgain = async () => {
      const drawn = await Promise.all(around.previews.map((platform) => drawFigure(alert, platform, below.press)));
      keepFocus(group, () => group.replaceChildren(heading(), ...drawn));
    };
    await drawAgain();
  }

  /**
   * The platforms edit a message once its alert is acknowledged or over, and so do their previews.
   *
   * @param {OpenAlert | undefined} open
   */
  function followUp(open) {
    const now = open === undefined ? "over" : open.acknowledged === undefined ? "open" : "acknowledged";
    if (now === stands) return;
    stands = now;
    void drawAgain?.();
  }

  function tellStory() {
    if (episode === undefined) return;
    log.replaceChildren();
    void below.ask({ command: "alerts why", options: { episode } }, "What happened");
  }

  setInterval(tick, 250);
  return {
    update,
    told,
    /** The server does not answer. */
    away() {
      gone = true;
      allow();
      says.textContent = awayWords(navigator.onLine);
      countdown = undefined;
      tick();
    },
  };
}

/** @param {WatchState["timing"]} timing */
function calmWords({ firesMillis, everyMillis, keepMillis }) {
  return `From the standstill to the alert it takes about ${seconds(firesMillis + everyMillis)}, from the recovery to the end about ${seconds(keepMillis + everyMillis)}.`;
}

/** @param {Stage} stage */
function labelOf(stage) {
  return STAGES[trackIndex(stage)]?.[1] ?? "";
}

/**
 * A node answers well though the network is stalled: the verdict decides.
 *
 * @param {WatchedNetwork["nodes"][number]["state"]} state
 */
function stateWord(state) {
  return state === "ok" ? "answers" : state;
}

/**
 * The answer of each node, and the verdict on them.
 *
 * @param {WatchedNetwork} watched
 */
function witnesses({ nodes, verdict, network }) {
  const row = (/** @type {WatchedNetwork["nodes"][number]} */ { node, state, vote, time, height, why }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, node),
      h("td", { "data-state": state }, [stateWord(state), why].filter((part) => part !== undefined).join(": ")),
      h("td", {}, vote),
      h("td", {}, time === undefined ? "–" : localTime(time, undefined).slice(11, 19)),
      h("td", {}, height === undefined ? "–" : BigInt(height).toLocaleString("en")),
    );
  return h(
    "div",
    { class: "witnesses" },
    h(
      "table",
      {},
      h("caption", {}, `The nodes of ${network}`),
      h(
        "thead",
        {},
        h("tr", {}, ...["Node", "State", "Vote", "Its time", "Block"].map((title) => h("th", { scope: "col" }, title))),
      ),
      h("tbody", {}, ...nodes.map(row)),
    ),
    h(
      "p",
      { class: "verdict", "data-verdict": verdict?.state },
      h("b", {}, `Verdict: ${verdict?.state ?? "none yet"}`),
      verdict === undefined ? "" : ` – ${verdict.why}`,
    ),
  );
}

/** @param {Step} step */
function drawTrack(step) {
  const at = trackIndex(step.stage);
  return STAGES.map(([, name], index) => {
    const attrs = { class: index < at ? "done" : undefined, "aria-current": index === at ? "step" : undefined };
    return makeElement(h("li", attrs, name));
  });
}

/**
 * @param {HTMLElement} clock
 * @param {NonNullable<Step["countdown"]>} countdown
 * @param {number} elapsed In milliseconds.
 */
function drawClock(clock, { until, millis, of }, elapsed) {
  const left = Math.max(0, millis - elapsed);
  const bar = clock.querySelector("progress");
  const text = clock.querySelector("span");
  if (bar !== null) {
    bar.max = of;
    bar.value = Math.min(of, of - left);
  }
  if (text !== null) text.textContent = countdownWords(until, left);
}

/**
 * @param {HTMLButtonElement} button
 * @param {boolean} stalled
 * @param {Stage} stage
 */
function drawSwitch(button, stalled, stage) {
  button.textContent = stalled ? "Recover the network" : "Stall the network";
  button.dataset["does"] = stalled ? "recover" : "stall";
  button.className = !stalled || stage === "firing" ? "run" : "button";
}

/**
 * The alert as a platform shows it.
 *
 * @param {AlertJson} alert
 * @param {Surroundings["previews"][number]} platform
 * @param {(pressed: Pressed, label: string) => void} press
 */
async function drawFigure(alert, { id, name }, press) {
  const figure = makeElement(h("figure", {}, h("figcaption", {}, `On ${name}`)));
  figure.append(await drawAlertPreview(alert.id, id, press));
  return figure;
}

/** @param {string} state */
function drawHeading(state) {
  return makeElement(h("h3", {}, HEADINGS[state] ?? "The alert"));
}
