// @ts-check
// The view of alerts: how things stand, the guided incident, and a card for each alert.
/** @import { AlertJson } from "../alert-json.ts" */
/** @import { WatchState } from "../watch-state.ts" */
/** @import { ConsoleInfo } from "./api.js" */
/** @import { AlertCard } from "./alert-card.js" */
/** @import { Surroundings } from "./exchange.js" */
import { createAlertCard, titleOf } from "./alert-card.js";
import { listen } from "./alert-source.js";
import { loadWatch } from "./api.js";
import { createIncident } from "./incident.js";
import { makeElement } from "./make-dom.js";
import { age, toMillis } from "./times.js";
import { h } from "./vnode.js";

/** More cards than anybody scrolls through; the log has the rest. */
const MAX_CARDS = 150;
const LOOK_MILLIS = 1000;
/** While nobody looks at it, only the number of open alerts matters. */
const GLANCE_MILLIS = 10_000;
/** What comes within this time after the page was opened is the past, and announced to nobody. */
const PAST_MILLIS = 3000;

/**
 * @param {HTMLElement} view
 * @param {HTMLElement} badge Shows how many are open.
 * @param {ConsoleInfo} info
 * @param {Surroundings} around
 */
export function createAlerts(view, badge, info, around) {
  const { document } = around;
  const part = (/** @type {string} */ id) => {
    const found = document.getElementById(id);
    if (found === null) throw new Error(`the page has no ${id}`);
    return found;
  };
  /** @type {Map<string, AlertCard>} Last one last. */
  const cards = new Map();
  const [first] = info.networks;
  const panel = part("incident");
  panel.hidden = !info.incident || first === undefined;
  const incident = info.incident && first !== undefined ? createIncident(panel, around, first) : undefined;
  const opened = performance.now();
  /** @type {WatchState | undefined} */
  let state;
  let live = false;

  listen({
    alert: take,
    state: (now) => {
      live = now;
      drawStanding();
    },
    gap: () => (part("alerts-gap").hidden = false),
  });
  void keepLooking();

  /** @param {AlertJson} alert */
  function take(alert) {
    const key = keyOf(alert);
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
    place(card);
    const now = Date.now();
    if (performance.now() - opened > PAST_MILLIS && alert.state !== "event") {
      around.announce(`${alert.state}: ${titleOf(alert, now)}`);
    }
    if (tellsEpisode(alert)) void incident?.told(alert);
    drawCounts();
  }

  /**
   * What is not over stands above what is.
   *
   * @param {AlertCard} card
   */
  function listOf(card) {
    const open = standingOf(card);
    card.stands(open);
    // Until it is known how things stand, what came last is believed.
    return part(
      isUnderWay(card.alert) && (state === undefined || open !== undefined) ? "alerts-open" : "alerts-earlier",
    );
  }

  /** @param {AlertCard} card */
  function standingOf({ alert }) {
    return tellsEpisode(alert) ? state?.open.find(({ episode }) => episode === alert.episode) : undefined;
  }

  /** @param {AlertCard} card */
  function place(card) {
    const list = listOf(card);
    if (list.firstElementChild !== card.element) list.prepend(card.element);
  }

  /** Until the page is closed. */
  async function keepLooking() {
    for (;;) {
      try {
        state = await loadWatch();
        // What was told of the incident before this page knew its episode.
        incident?.update(state);
        for (const { alert } of cards.values()) if (tellsEpisode(alert)) void incident?.told(alert);
        resettle();
      } catch {
        state = undefined;
        incident?.away();
      }
      drawStanding();
      drawCounts();
      await pause(view.hidden || document.hidden ? GLANCE_MILLIS : LOOK_MILLIS);
    }
  }

  /** A card goes where it belongs when that has changed without a new message. */
  function resettle() {
    for (const card of cards.values()) {
      const list = listOf(card);
      if (card.element.parentElement !== list) list.prepend(card.element);
    }
  }

  /** @type {(() => void) | undefined} */
  let wake;
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
    part("alerts-live").textContent =
      state === undefined ? "Bellwether does not answer" : live ? "live" : "connecting …";
    part("alerts-live").dataset["live"] = String(state !== undefined && live);
    part("watch").replaceChildren(
      ...(state?.networks ?? []).map(({ network, verdict, nodes }) =>
        makeElement(
          h(
            "li",
            { "data-verdict": verdict?.state ?? "none", title: verdict?.why },
            h("b", {}, network),
            ` ${verdict?.state ?? "not looked at yet"}`,
            h(
              "small",
              {},
              verdict === undefined
                ? ""
                : `${nodes.filter((node) => node.state === "ok").length} of ${nodes.length} nodes well, seen ${age(toMillis(verdict.at), Date.now())}`,
            ),
          ),
          document,
        ),
      ),
    );
  }

  function drawCounts() {
    const count = state?.open.length ?? 0;
    badge.hidden = count === 0;
    badge.textContent = String(count);
    const worst = state?.open.some((one) => one.severity === "critical") ? "bad" : "warning";
    badge.dataset["tone"] = worst;
    const open = part("alerts-open");
    part("none-open").hidden = count > 0 || open.childElementCount > 0;
    const unseen = count - open.childElementCount;
    const more = part("more-open");
    more.hidden = unseen <= 0;
    more.textContent = `${unseen} ${open.childElementCount > 0 ? "more " : ""}${unseen === 1 ? "is" : "are"} open, told before what is listed here: alerts status names them all.`;
    part("none-earlier").hidden = part("alerts-earlier").childElementCount > 0;
  }

  return {
    /** The view is looked at from now on. */
    shown: () => wake?.(),
  };
}

/** @param {AlertJson} alert */
function isUnderWay({ state }) {
  return state === "firing" || state === "escalated";
}

/**
 * Whether it says how its episode stands; what is said about one, such as that somebody acknowledged it, is news by itself.
 *
 * @param {AlertJson} alert
 */
export function tellsEpisode(alert) {
  return alert.episode !== undefined && (isUnderWay(alert) || alert.state === "resolved");
}

/**
 * One card for an episode, and one for all news of a kind.
 *
 * @param {AlertJson} alert
 */
function keyOf(alert) {
  return tellsEpisode(alert) ? `episode ${alert.episode}` : `${alert.state} ${alert.kind} ${alert.network}`;
}
