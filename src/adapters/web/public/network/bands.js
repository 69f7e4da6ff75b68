// @ts-check
// The alerts of the time that is shown: their list, their bands in the picture, and the story of one beside it.
/** @import { Scene } from "../../../../reply/chart.ts" */
/** @import { PastAlert, PastLooks } from "../../looks.ts" */
/** @import { Surroundings } from "../exchange/exchange.js" */
import { SEVERITY } from "../../../../reply/states.js";
import { answersBelow } from "../exchange/answers-below.js";
import { localTime, machineTime, span } from "../reply/times.js";
import { keepFocus } from "../vnode/keep-focus.js";
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/**
 * @param {(id: string) => HTMLElement} at
 * @param {Surroundings} around
 */
export function createStory(at, around) {
  const { ask } = answersBelow(at("told"), around);

  /** @param {string} episode */
  function open(episode) {
    at("told").replaceChildren();
    at("story").hidden = false;
    void tell(episode);
  }

  /** @param {string} episode */
  async function tell(episode) {
    const story = await ask({ command: "alerts why", options: { episode } }, "What happened");
    story?.focus({ preventScroll: true });
    at("story").scrollIntoView({ block: "nearest" });
  }

  at("alerts").addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-episode]") : null;
    if (button instanceof HTMLElement) open(button.dataset["episode"] ?? "");
  });
  at("close-story").addEventListener("click", () => {
    at("story").hidden = true;
    at("picture").focus();
  });
  return open;
}

/**
 * @param {PastLooks} past
 * @returns {Scene["bands"]}
 */
export function bandsOf({ alerts, from, to }) {
  return alerts.map(({ what, kind, ...one }) => ({
    from: Math.max(from, one.from),
    to: one.to ?? to,
    name: what,
    ...(kind.startsWith("network.") ? { strong: /** @type {const} */ (true) } : {}),
  }));
}

/**
 * The alert that is meant at a moment: of several the shortest.
 *
 * @param {PastLooks} past
 * @param {number} moment
 * @param {number} reach So far beside it.
 */
export function alertAt({ alerts, to }, moment, reach) {
  const length = (/** @type {PastAlert} */ one) => (one.to ?? to) - one.from;
  const [shortest] = alerts
    .filter((one) => one.from - reach <= moment && moment <= (one.to ?? to) + reach)
    .toSorted((a, b) => length(a) - length(b));
  return shortest;
}

/**
 * The newest first.
 *
 * @param {HTMLElement} list
 * @param {PastLooks} past
 */
export function listAlerts(list, { alerts, moreAlerts = 0 }) {
  // From the one clock to the other, as their messages have it; the length of what is open would soon be wrong.
  const lines = alerts.toReversed().map(({ episode, severity, what, from, to }) => {
    const began = `${from}000000`;
    const { word, tone } = SEVERITY[severity];
    const lasted =
      to === undefined ? ", still open" : `, ${span((Math.floor(to / 1000) - Math.floor(from / 1000)) * 1000)}`;
    const when = h("time", { datetime: machineTime(began) }, localTime(began, undefined).slice(0, 16));
    const said = [h("span", { class: "badge word" }, word), " ", h("b", {}, what), " "];
    const row = h("span", { class: "when" }, when, lasted);
    return h("li", { "data-tone": tone }, h("button", { type: "button", "data-episode": episode }, ...said, row));
  });
  const more = moreAlerts === 0 ? [] : [`${moreAlerts} more in this time; alerts log has them.`];
  const none = lines.length === 0 ? ["No alert about the network or its nodes in this time."] : [];
  const rest = [...more, ...none].map((words) => h("li", { class: "none" }, words));
  keepFocus(list, () => list.replaceChildren(...[...lines, ...rest].map(makeElement)));
}
