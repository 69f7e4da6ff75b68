// @ts-check
// What is watched: the state of the networks, on every view, and the view of alerts, with the guided incident and a card
// for each alert.
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
/** @import { OpenAlert, WatchState } from "../../alerts/watch.ts" */
/** @import { ConsoleInfo } from "../../console-info.ts" */
/** @import { AlertCard } from "./alert-card.js" */
/** @import { Surroundings } from "../exchange/exchange.js" */
import { part } from "../part.js";
import { createAlertCard } from "./alert-card.js";
import { listen } from "./alert-source.js";
import { titleOf } from "./alert-title.js";
import { loadWatch, silenceWords } from "../api.js";
import { createIncident } from "./incident.js";
import { createSilences } from "./silences.js";
import { keepFocus } from "../vnode/keep-focus.js";
import { makeElement } from "../vnode/make-dom.js";
import { cardKey, createStanding, isUnderWay, changesEpisode, isStateCard, stateAlert } from "./standing.js";
import { createPace, networkCards, networkPills } from "../state/state.js";

/** The number of cards; the log has older alerts. */
const MAX_CARDS = 150;
const LOOK_MILLIS = 1000;
/** While the view of alerts is hidden, and while the whole page is. */
const STATE_MILLIS = 3000;
const GLANCE_MILLIS = 10_000;
/** After an alert the current state is fetched soon, once for many alerts. */
const SOON_MILLIS = 100;
/** Alerts within this time after the page was opened are past ones, and not announced. */
const PAST_MILLIS = 3000;

/**
 * @param {HTMLElement} view
 * @param {HTMLElement} badge Shows how many are open.
 * @param {ConsoleInfo} info
 * @param {Surroundings} around
 */
export function createAlerts(view, badge, info, around) {
  const at = (/** @type {string} */ id) => part(`#${id}`, HTMLElement);
  /** @type {Map<string, AlertCard>} Last one last. */
  const cards = new Map();
  const [first] = info.networks;
  const panel = at("incident");
  panel.hidden = !info.incident || first === undefined;
  const incident = info.incident && first !== undefined ? createIncident(panel, around, first) : undefined;
  const opened = performance.now();
  const standing = createStanding();
  const pace = createPace();
  /** @type {(() => void) | undefined} */
  let wake;
  const silences = createSilences(at("silences"), around, () => wake?.());
  /** @type {WatchState | undefined} How things stood when the server last answered. */
  let state;
  let gone = false;
  let live = false;

  listen({
    alert: take,
    state: (now) => {
      live = now;
      drawStanding();
    },
    gap: () => (at("alerts-gap").hidden = false),
  });
  void keepLooking();

  /** @param {AlertJson} alert */
  function take(alert) {
    const key = cardKey(alert);
    const known = cards.get(key);
    cards.delete(key);
    const card = known ?? createAlertCard(alert, around);
    if (known !== undefined) known.show(alert);
    cards.set(key, card);
    while (cards.size > MAX_CARDS) {
      const [oldest] = cards.keys();
      if (oldest === undefined) break;
      cards.get(oldest)?.element.remove();
      cards.delete(oldest);
    }
    standing.add(alert);
    if (changesEpisode(alert)) lookSoon();
    keepFocus(view, () => {
      settle();
      const earlier = at("alerts-earlier");
      if (card.element.parentElement === earlier && earlier.firstElementChild !== card.element) {
        earlier.prepend(card.element);
      }
    });
    const now = Date.now();
    if (performance.now() - opened > PAST_MILLIS && alert.state !== "event") {
      around.announce(`${alert.state}: ${titleOf(alert, now)}`);
    }
    if (changesEpisode(alert)) void incident?.told(alert);
    drawCounts();
  }

  /** Open alerts come above closed ones, the worst first; only cards in a wrong place are moved. */
  function settle() {
    const earlier = at("alerts-earlier");
    const open = standing.open();
    listUndelivered(open);
    const byEpisode = new Map(
      [...cards.values()].filter(({ alert }) => isUnderWay(alert)).map((card) => [card.alert.episode, card]),
    );
    const shown = open.flatMap(({ episode }) => byEpisode.get(episode) ?? []);
    for (const card of cards.values()) {
      card.stands(open.find(({ episode }) => changesEpisode(card.alert) && episode === card.alert.episode));
      if (!shown.includes(card) && card.element.parentElement !== earlier) earlier.prepend(card.element);
    }
    const list = at("alerts-open");
    for (const [index, { element }] of shown.entries()) {
      const there = list.children[index];
      if (there !== element) list.insertBefore(element, there ?? null);
    }
  }

  /**
   * A card for what is open and was not delivered here; it goes with its episode.
   *
   * @param {readonly OpenAlert[]} open
   */
  function listUndelivered(open) {
    for (const [key, card] of cards) {
      if (isStateCard(card.alert) && !open.some(({ episode }) => episode === card.alert.episode)) {
        card.element.remove();
        cards.delete(key);
      }
    }
    for (const one of open.slice(0, MAX_CARDS)) {
      const alert = stateAlert(one);
      if (!cards.has(cardKey(alert))) cards.set(cardKey(alert), createAlertCard(alert, around));
    }
  }

  /** Until the page is closed. */
  async function keepLooking() {
    for (;;) {
      const request = standing.beginRequest();
      try {
        state = await loadWatch();
        gone = false;
        pace.look(state.networks);
        request.received(state.open);
        // Alerts of the incident from before this page knew its episode.
        incident?.update(state);
        for (const { alert } of cards.values()) {
          if (changesEpisode(alert) && !isStateCard(alert)) void incident?.told(alert);
        }
        keepFocus(view, settle);
        silences.show(state.silences);
      } catch {
        gone = true;
        incident?.away();
      }
      drawStanding();
      drawCounts();
      await pause(document.hidden ? GLANCE_MILLIS : view.hidden ? STATE_MILLIS : LOOK_MILLIS);
    }
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;
  function lookSoon() {
    soon ??= setTimeout(() => {
      soon = undefined;
      wake?.();
    }, SOON_MILLIS);
  }

  /** @param {number} millis */
  function pause(millis) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, millis, undefined);
      wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }
  document.addEventListener("visibilitychange", () => wake?.());

  function drawStanding() {
    at("alerts-live").textContent = gone
      ? navigator.onLine
        ? "Bellwether does not answer"
        : "offline"
      : live
        ? "live"
        : "connecting …";
    at("alerts-live").dataset["live"] = String(!gone && live);
    const watch = at("watch");
    at("state").hidden = state === undefined && !gone;
    watch.classList.toggle("gone", gone);
    const note = at("state-gone");
    note.hidden = !gone;
    // Only a change is announced.
    const words = gone ? silenceWords(navigator.onLine) : "";
    if (note.textContent !== words) note.textContent = words;
    if (state === undefined) return;
    const cards = networkCards(state, standing.open(), {
      now: Date.now(),
      gone,
      pace: (network) => pace.of(network),
    });
    keepFocus(watch, () => watch.replaceChildren(...cards.map(makeElement)));
    at("networks").replaceChildren(...networkPills(state, gone).map(makeElement));
  }

  function drawCounts() {
    const open = standing.open();
    const count = open.length;
    badge.hidden = count === 0;
    badge.textContent = String(count);
    document.title = count === 0 ? "Bellwether" : `(${count}) Bellwether`;
    badge.title = gone ? "as of the last look" : "";
    badge.classList.toggle("gone", gone);
    badge.dataset["tone"] = open[0]?.severity === "critical" ? "bad" : "warning";
    const shown = at("alerts-open").childElementCount;
    // Without an observation, nothing is known.
    at("none-open").hidden = count > 0 || state === undefined || gone;
    const unseen = count - shown;
    const more = at("more-open");
    more.hidden = unseen <= 0;
    more.textContent = `${unseen} ${shown > 0 ? "more " : ""}${unseen === 1 ? "is" : "are"} open and not listed here: alerts status names them all.`;
    at("none-earlier").hidden = at("alerts-earlier").childElementCount > 0;
  }

  return {
    /** The view is shown from now on. */
    shown: () => wake?.(),
  };
}
