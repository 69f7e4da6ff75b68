// @ts-check
// One alert of the list: an episode in its current state, or the last event of its kind.
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
/** @import { OpenAlert } from "../../alerts/watch.ts" */
/** @import { Surroundings } from "../exchange/exchange.js" */
import { replyOf, titleOf } from "./alert-title.js";
import { loadAlert } from "../api.js";
import { answersBelow } from "../exchange/answers-below.js";
import { keepFocus } from "../vnode/keep-focus.js";
import { makeElement } from "../vnode/make-dom.js";
import { drawPreview } from "../preview/preview.js";
import { drawReply } from "../reply/draw-reply.js";
import { pressable } from "../reply/render-actions.js";
import { beganWords, clockOf, isStateCard, wordOf } from "./standing.js";
import { createTabs } from "../tabs.js";
import { age, machineTime, toMillis } from "../reply/times.js";
import { h } from "../vnode/vnode.js";

let count = 0;

/** @typedef {ReturnType<typeof createAlertCard>} AlertCard */

/**
 * @param {AlertJson} first
 * @param {Surroundings} around
 */
export function createAlertCard(first, around) {
  count += 1;
  const summary = makeElement(h("summary", {}));
  const shownAs = makeElement(h("div", { class: "shown-as" }));
  const panel = makeElement(h("div", { id: `alert-${count}` }));
  const answers = makeElement(h("ol", { class: "log" }));
  const details = document.createElement("details");
  details.append(summary, shownAs, panel, answers);
  const controls = createControls(first.episode);
  const element = makeElement(h("li", { class: "alert" }));
  element.append(controls.chooser, controls.acknowledge, details);

  const { press } = answersBelow(answers, around);
  let alert = first;
  let times = 0;
  let view = "bellwether";
  /** @type {OpenAlert | undefined} */
  let open;

  /** @param {AlertJson} next */
  function show(next) {
    alert = next;
    times += 1;
    drawSummary();
    if (details.open) keepFocus(details, drawBody, summary);
  }

  function drawSummary() {
    const now = Date.now();
    // Of what is open, how long it has lasted, as the status says it.
    const at = toMillis(open?.began ?? alert.at);
    const [word, tone] = wordOf(alert, open);
    element.dataset["tone"] = tone;
    const title = titleOf(alert, now);
    if (controls.draw(open, title)) summary.focus({ preventScroll: true });
    const line = h(
      "div",
      { class: "alert-line" },
      h("span", { class: "badge word" }, word),
      h("span", { class: "alert-title" }, title),
      times > 1 && alert.state === "event"
        ? h("span", { class: "times", title: `${times} since this page was opened` }, `× ${times}`)
        : undefined,
      marksOf(open, title),
      open === undefined
        ? clockOf(alert.at)
        : h(
            "time",
            { class: "age", "data-age": String(at), datetime: machineTime(open.began), title: beganWords(open) },
            age(at, now),
          ),
    );
    summary.replaceChildren(makeElement(line));
  }

  /** Rendered when it is opened: most are not. */
  function drawBody() {
    const platforms = around.previews;
    const tabs = [{ id: "bellwether", name: "Bellwether" }, ...platforms];
    view = "bellwether";
    drawOwn();
    shownAs.replaceChildren(
      ...(platforms.length === 0 || isStateCard(alert)
        ? []
        : [createTabs({ label: "Shown as", panel, tabs, choose: (id) => void choose(id) })]),
    );
  }

  function drawOwn() {
    const drawn = drawReply({ ...replyOf(alert), actions: actions() });
    // Whoever has unfolded the alert wants to see all of it.
    for (const more of drawn.querySelectorAll("details")) more.open = true;
    panel.replaceChildren(drawn);
  }

  /** An episode acknowledged meanwhile needs no button. */
  function actions() {
    if (open?.acknowledged === undefined) return alert.reply.actions;
    return alert.reply.actions.filter(
      (action) => !("invocation" in action && action.invocation.command === "alerts ack"),
    );
  }

  /** @param {string} id */
  async function choose(id) {
    view = id;
    if (id === "bellwether") return drawOwn();
    const asked = alert;
    const drawn = await drawAlertPreview(asked.id, id, press);
    if (view === id && alert === asked) panel.replaceChildren(drawn);
  }

  details.addEventListener("toggle", () => {
    if (details.open) drawBody();
  });
  panel.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-action]") : null;
    if (!(button instanceof HTMLElement) || view !== "bellwether") return;
    const action = pressable({ ...alert.reply, actions: actions() })[Number(button.dataset["action"])];
    if (action !== undefined && "invocation" in action) press(action, button.textContent);
  });

  show(first);
  return {
    element,
    /** The last of it. */
    get alert() {
      return alert;
    },
    show,
    /** @param {OpenAlert | undefined} now How it stands, where it is not over. */
    stands(now) {
      if (JSON.stringify(now) === JSON.stringify(open)) return;
      const acknowledged = open?.acknowledged !== undefined;
      open = now;
      drawSummary();
      if (details.open && acknowledged !== (now?.acknowledged !== undefined)) {
        if (view === "bellwether") keepFocus(details, drawOwn, summary);
        else void choose(view);
      }
    },
    unfold() {
      details.open = true;
    },
  };
}

/**
 * @param {OpenAlert | undefined} open
 * @param {string} title It may say already who takes it.
 */
function marksOf(open, title) {
  const by = open?.acknowledged?.by;
  const marks = [
    ...(by === undefined || title.includes(`${by} takes it`) ? [] : [`${by} takes it`]),
    ...(open?.silenced === undefined ? [] : ["silenced"]),
  ];
  return marks.map((mark) => h("span", { class: "badge quiet" }, mark));
}

/**
 * What can be done in its row while it is open: choose and acknowledge it. `chosen.js` hears the presses.
 *
 * @param {string} [episode]
 */
function createControls(episode = "") {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.dataset["episode"] = episode;
  const chooser = document.createElement("label");
  chooser.className = "choose";
  chooser.append(box);
  const attrs = { type: "button", class: "small", "data-does": "ack", "data-episode": episode };
  const acknowledge = makeElement(h("button", attrs, "Acknowledge"));
  return {
    chooser,
    acknowledge,
    /**
     * @param {OpenAlert | undefined} open
     * @param {string} title
     * @returns {boolean} Whether the focus was on what is there no more.
     */
    draw(open, title) {
      const gone = open === undefined || open.acknowledged !== undefined;
      const hadFocus = gone && document.activeElement === acknowledge;
      chooser.hidden = open === undefined;
      box.setAttribute("aria-label", `Choose: ${title}`);
      acknowledge.hidden = gone;
      acknowledge.setAttribute("aria-label", `Acknowledge: ${title}`);
      return hadFocus;
    },
  };
}

/**
 * An alert as a platform shows it; loaded when its tab is opened.
 *
 * @param {string} id
 * @param {string} platform
 * @param {Parameters<typeof drawPreview>[3]} press
 */
export async function drawAlertPreview(id, platform, press) {
  const alert = await loadAlert(id).catch(() => undefined);
  const sent = alert === undefined ? Date.now() : toMillis(alert.at);
  return drawPreview(platform, alert?.previews?.[platform], sent, press);
}
