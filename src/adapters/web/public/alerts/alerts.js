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
import { createChosen } from "./chosen.js";
import { listen } from "./alert-source.js";
import { titleOf } from "./alert-title.js";
import { loadWatch, silenceWords } from "../api.js";
import { placeEarlier } from "./earlier.js";
import { createIncident } from "./incident.js";
import { worstTone } from "../../../../reply/states.js";
import { createSilences } from "./silences.js";
import { keepFocus } from "../vnode/keep-focus.js";
import { makeElement } from "../vnode/make-dom.js";
import { cardKey, createStanding, isUnderWay, changesEpisode, isStateCard, stateAlert } from "./standing.js";
import { allWell, createPace, networkLines, networkPills } from "../state/state.js";

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
 * @param {HTMLElement} element
 * @param {WatchState | undefined} state Left out where an alert is open, or nothing is known.
 */
function drawCalm(element, state) {
  element.hidden = state === undefined;
  element.textContent = state !== undefined && allWell(state) ? "Nothing is wrong." : "No alert is open.";
}

/**
 * @param {HTMLElement} view
 * @param {HTMLElement} badge Shows how many are open.
 * @param {ConsoleInfo} info
 * @param {Surroundings} around
 * @param {(state: WatchState) => void} looked Called with what is seen, each time.
 */
export function createAlerts(view, badge, info, around, looked) {
  const at = (/** @type {string} */ id) => part(`#${id}`, HTMLElement);
  /** @type {Map<string, AlertCard>} Last one last. */
  const cards = new Map();
  const stalling = info.incident ? info.networks[0] : undefined;
  at("incident").hidden = stalling === undefined;
  const incident = stalling === undefined ? undefined : createIncident(at("incident"), around, stalling);
  const lists = { open: at("alerts-open"), earlier: at("alerts-earlier") };
  const opened = performance.now();
  const standing = createStanding();
  const pace = createPace();
  /** @type {(() => void) | undefined} */
  let wake;
  const silences = createSilences(at("silences"), around, () => wake?.());
  const chosen = createChosen(at("open-alerts"), () => wake?.());
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
    for (const [oldest, { element }] of [...cards].slice(0, Math.max(0, cards.size - MAX_CARDS))) {
      element.remove();
      cards.delete(oldest);
    }
    standing.add(alert);
    if (changesEpisode(alert)) lookSoon();
    keepFocus(document.body, settle);
    if (performance.now() - opened > PAST_MILLIS && alert.state !== "event") {
      around.announce(`${alert.state}: ${titleOf(alert, Date.now())}`);
    }
    if (changesEpisode(alert)) void incident?.told(alert);
    drawCounts();
  }

  function settle() {
    listUndelivered(cards, standing.open(), around);
    placeCards(cards, standing.open(), lists);
    placeEarlier(lists.earlier, cards);
    chosen.show(standing.open().slice(0, lists.open.childElementCount));
  }

  /** Until the page is closed. */
  async function keepLooking() {
    for (;;) {
      const request = standing.beginRequest();
      try {
        state = await loadWatch();
        gone = false;
        pace.look(state.networks);
        looked(state);
        request.received(state.open);
        // Alerts of the incident from before this page knew its episode.
        incident?.update(state);
        for (const { alert } of cards.values()) {
          if (changesEpisode(alert) && !isStateCard(alert)) void incident?.told(alert);
        }
        keepFocus(document.body, settle);
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
    const { promise, resolve } = Promise.withResolvers();
    const timer = setTimeout(resolve, millis);
    wake = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
    return promise;
  }
  document.addEventListener("visibilitychange", () => wake?.());

  function drawCounts() {
    const open = standing.open();
    drawBadge(badge, open, gone);
    drawBurning(at, open, state, gone);
    at("none-earlier").hidden = lists.earlier.childElementCount > 0;
  }

  function drawStanding() {
    at("alerts-live").textContent = connectionWords(gone, live);
    at("alerts-live").dataset["live"] = String(!gone && live);
    at("state").hidden = state === undefined && !gone;
    drawNote(at("state-gone"), gone);
    at("watch").classList.toggle("gone", gone);
    if (state === undefined) return;
    const how = { now: Date.now(), gone, pace: (/** @type {string} */ network) => pace.of(network) };
    at("watch").replaceChildren(...networkLines(state, how).map(makeElement));
    at("networks").replaceChildren(...networkPills(state, gone).map(makeElement));
  }

  return {
    /** The view is shown from now on. */
    shown: () => wake?.(),
    /** What was last seen: the networks with their nodes, and the open alerts, the worst first. */
    seen: () => ({
      networks: state?.networks ?? [],
      open: standing.open().map((one) => {
        const { alert } = cards.get(`episode ${one.episode}`) ?? {};
        return { ...one, title: titleOf(alert ?? stateAlert(one), Date.now()) };
      }),
    }),
  };
}

/**
 * What stands around the rows of the open alerts. Without an observation, nothing is known.
 *
 * @param {(id: string) => HTMLElement} at
 * @param {readonly OpenAlert[]} open
 * @param {WatchState | undefined} state
 * @param {boolean} gone
 */
function drawBurning(at, open, state, gone) {
  const unseen = open.length - at("alerts-open").childElementCount;
  at("open-alerts").hidden = state === undefined && !gone;
  at("open-alerts").classList.toggle("calm", open.length === 0);
  at("all-open").hidden = open.length < 2;
  at("all-open").textContent = `All ${open.length} open alerts`;
  drawCalm(at("none-open"), open.length > 0 || gone ? undefined : state);
  at("more-open").hidden = unseen <= 0;
  at("more-open").textContent = unseenWords(unseen, open.length);
}

/**
 * A card for what is open and was not delivered here; it goes with its episode.
 *
 * @param {Map<string, AlertCard>} cards
 * @param {readonly OpenAlert[]} open
 * @param {Surroundings} around
 */
function listUndelivered(cards, open, around) {
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

/**
 * @param {boolean} gone
 * @param {boolean} live
 */
function connectionWords(gone, live) {
  if (gone) return navigator.onLine ? "Bellwether does not answer" : "offline";
  return live ? "live" : "connecting …";
}

/**
 * @param {HTMLElement} badge
 * @param {readonly OpenAlert[]} open
 * @param {boolean} gone
 */
function drawBadge(badge, open, gone) {
  const count = open.length;
  badge.hidden = count === 0;
  badge.textContent = String(count);
  document.title = count === 0 ? "Bellwether" : `(${count}) Bellwether`;
  badge.title = gone ? "as of the last look" : "";
  badge.classList.toggle("gone", gone);
  badge.dataset["tone"] = worstTone(open);
}

/**
 * @param {number} unseen
 * @param {number} count
 */
function unseenWords(unseen, count) {
  const more = unseen < count ? "more " : "";
  return `${unseen} ${more}${unseen === 1 ? "is" : "are"} open and not listed here: alerts status names them all.`;
}

/**
 * Open alerts come above closed ones, the worst first; only cards in a wrong place are moved.
 *
 * @param {ReadonlyMap<string, AlertCard>} cards
 * @param {readonly OpenAlert[]} open
 * @param {{ open: HTMLElement, earlier: HTMLElement }} lists
 */
function placeCards(cards, open, lists) {
  const underWay = [...cards.values()].filter(({ alert }) => isUnderWay(alert));
  const byEpisode = new Map(underWay.map((card) => [card.alert.episode, card]));
  const shown = open.flatMap(({ episode }) => byEpisode.get(episode) ?? []);
  for (const card of cards.values()) {
    card.stands(open.find(({ episode }) => changesEpisode(card.alert) && episode === card.alert.episode));
    if (!shown.includes(card) && !lists.earlier.contains(card.element)) lists.earlier.prepend(card.element);
  }
  for (const [index, { element }] of shown.entries()) {
    const there = lists.open.children[index];
    if (there !== element) lists.open.insertBefore(element, there ?? null);
  }
}

/**
 * Only a change is announced.
 *
 * @param {HTMLElement} note
 * @param {boolean} gone
 */
function drawNote(note, gone) {
  note.hidden = !gone;
  const words = gone ? silenceWords(navigator.onLine) : "";
  if (note.textContent !== words) note.textContent = words;
}
