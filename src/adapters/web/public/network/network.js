// @ts-check
// The view of a network's past and present. Loaded when it is first shown.
// Read next: place.js (what time is shown, and its address), picture.js, cursor.js and look.js (exact values), bands.js
// (alerts), threshold.js, steps.js (buttons and keys).
/** @import { PastLooks } from "../../looks.ts" */
/** @import { WatchState } from "../../alerts/watch.ts" */
/** @import { ConsoleInfo } from "../../console-info.ts" */
/** @import { Surroundings } from "../exchange/exchange.js" */
/** @import { Place } from "./place.js" */
/** @import { Step } from "./steps.js" */
import { AskError, loadLooks } from "../api.js";
import { part } from "../part.js";
import { loadStyle } from "../preview/preview.js";
import { toMillis } from "../reply/times.js";
import { alertAt, bandsOf, createStory, listAlerts } from "./bands.js";
import { createCursor } from "./cursor.js";
import { createPicture } from "./picture.js";
import { addressOf, isOffered, moved, placeAt, queryOf, rangeOf, RANGES, zoomed } from "./place.js";
import { createSteps, hideButtons, makeButtons, pressButton } from "./steps.js";
import { createThreshold } from "./threshold.js";

/** What is kept is read again so often at most, and for no more than this part of the time. */
const [AGAIN_MILLIS, AGAIN_PART] = [5000, 1 / 20];
/** Steps within this time are one for the back button. */
const STEP_MILLIS = 1500;

/**
 * @param {HTMLElement} view
 * @param {HTMLAnchorElement} link Leads to the place that was shown last.
 * @param {ConsoleInfo} info
 * @param {Surroundings} around
 * @param {(line: string, signal: AbortSignal) => Promise<string | undefined>} count Counts what an alert would have told.
 */
export function createNetwork(view, link, info, around, count) {
  loadStyle("network/network");
  const at = (/** @type {string} */ id) => part(`#network-${id}`, HTMLElement, view);
  /** @type {Place} */
  let place = { network: undefined, last: 0, until: undefined };
  /** @type {PastLooks | undefined} */
  let past;
  /** @type {WatchState | undefined} */
  let state;
  let loading = new AbortController();
  let [steppedAt, againAt] = [-Infinity, Infinity];
  /** @type {string | undefined} How everything stood when it was read. */
  let stoodThen;
  const network = () => place.network ?? info.networks[0] ?? "";

  const openStory = createStory(at, around);
  const threshold = createThreshold(at, around, { network, changed: draw, count });
  const picture = createPicture(at("picture"));
  const cursor = createCursor(at, { network, pointed: picture.point });
  picture.follow({
    over: (moment) => cursor.chooseNear(moment),
    pressed: (moment, reach) => {
      const alert = past && alertAt(past, moment, reach);
      if (alert !== undefined) openStory(alert.episode);
    },
    drawn: (between) => cursor.align(between),
  });
  const ranges = RANGES.map(([words]) => words);
  makeButtons(at("ranges"), ranges, (index) => go({ ...place, last: RANGES[index]?.[1] ?? "all", until: undefined }));
  at("names").hidden = info.networks.length < 2;
  makeButtons(at("names"), info.networks, (index) => go({ ...place, network: info.networks[index] }));
  createSteps(at("steps"), at("picture"), step);

  /** @param {Step} does */
  function step(does) {
    if (past === undefined) return;
    const now = Date.now();
    // Before the first look nothing is kept: without a picture the keys would have no place any more.
    if (does === "earlier" && past.from <= (past.first ?? Infinity)) return;
    if (does === "now") go({ ...place, until: undefined });
    else if (does === "earlier" || does === "later") go(moved(place, past, does === "later" ? 1 : -1, now));
    else go(zoomed(place, past, does, { now, around: cursor.chosen() }));
  }

  /** @param {Place} to */
  function go(to) {
    const now = performance.now();
    const how = now - steppedAt < STEP_MILLIS ? "replaceState" : "pushState";
    steppedAt = now;
    if (addressOf(to) !== location.hash) history[how](null, "", addressOf(to));
    show(to);
  }

  /** @param {Place} to */
  function show(to) {
    const isOther = past === undefined || addressOf(to) !== addressOf(place);
    const before = network();
    place = to;
    link.href = addressOf(to);
    pressButton(at("names"), info.networks.indexOf(network()));
    if (before !== network()) {
      cursor.forget();
      threshold.tryIt();
    }
    pressButton(at("ranges"), rangeOf(to, Infinity));
    if (isOther) {
      at("shown").setAttribute("aria-busy", "true");
      void load();
    } else draw();
  }

  async function load() {
    loading.abort();
    const { signal } = (loading = new AbortController());
    const began = performance.now();
    [againAt, stoodThen] = [Infinity, state && standsNow()];
    try {
      past = await loadLooks(queryOf(place), signal);
      say(past.nothing ?? "");
      const kept = Date.now() - (past.first ?? Infinity);
      hideButtons(at("ranges"), (index) => RANGES[index]?.[1] !== place.last && !isOffered(index, kept));
      pressButton(at("ranges"), rangeOf(place, kept));
      draw();
    } catch (thrown) {
      if (signal.aborted) return;
      say(thrown instanceof AskError ? thrown.message : "The picture could not be drawn.");
      if (!(thrown instanceof AskError)) reportError(thrown);
    }
    const ended = performance.now();
    againAt = ended + Math.max(AGAIN_MILLIS, (ended - began) / AGAIN_PART);
    at("shown").removeAttribute("aria-busy");
  }

  /** @param {string} words */
  function say(words) {
    at("says").textContent = words;
    at("says").hidden = words === "";
  }

  function draw() {
    const { scene, alt = "" } = past ?? {};
    at("shown").hidden = scene === undefined;
    if (past === undefined || scene === undefined) return;
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const thresholds = threshold.of(scene.thresholds);
    picture.show({ ...scene, zone, thresholds, bands: bandsOf(past) }, alt);
    cursor.show(scene);
    listAlerts(at("alerts"), past);
  }

  function watched() {
    return state?.networks.find((one) => one.network === network());
  }

  function standsNow() {
    const { verdict, nodes = [] } = watched() ?? {};
    const open = (state?.open ?? []).filter((one) => one.network === network());
    return [verdict?.state, ...nodes.map((one) => one.state), ...open.map((one) => one.episode)].join(" ");
  }

  return {
    /** The view is shown, by an address that may be another one. */
    shown: () => show(placeAt(location.hash)),
    /** @param {WatchState} now What is seen now. */
    seen(now) {
      state = now;
      stoodThen ??= standsNow();
      if (view.hidden || past === undefined || place.until !== undefined || performance.now() < againAt) return;
      // Less than a part of the time would hardly be seen, but for what has changed.
      const { verdict } = watched() ?? {};
      if (standsNow() !== stoodThen || (verdict !== undefined && toMillis(verdict.at) >= past.to)) void load();
    },
  };
}
