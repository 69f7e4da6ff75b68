// @ts-check
// The view of a network's past and present. Loaded when it is first shown.
// Read next: place.js (what time is shown, and its address), live.js (what is seen now), picture.js, cursor.js and look.js
// (exact values), bands.js (alerts), threshold.js, steps.js (buttons and keys).
/** @import { PastLooks } from "../../looks.ts" */
/** @import { WatchState } from "../../alerts/watch.ts" */
/** @import { ConsoleInfo } from "../../console-info.ts" */
/** @import { Surroundings } from "../exchange/exchange.js" */
/** @import { Place } from "./place.js" */
/** @import { Step } from "./steps.js" */
import { AskError, loadLooks } from "../api.js";
import { part } from "../part.js";
import { loadStyle } from "../preview/preview.js";
import { alertAt, bandsOf, createStory, listAlerts } from "./bands.js";
import { createCursor } from "./cursor.js";
import { withLook } from "./live.js";
import { createPicture } from "./picture.js";
import { addressOf, moved, placeAt, queryOf, RANGES, zoomed } from "./place.js";
import { createSteps, makeButtons, pressButton } from "./steps.js";
import { createThreshold } from "./threshold.js";

/** What is kept is read again so often at most. */
const AGAIN_MILLIS = 10_000;
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
  let [steppedAt, readAt] = [-Infinity, -Infinity];
  /** Until when what was read holds, and the alerts that were open then. */
  let [holdsUntil, openThen] = [0, ""];
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
    pressButton(
      at("ranges"),
      RANGES.findIndex(([, last]) => to.until === undefined && last === to.last),
    );
    pressButton(at("names"), info.networks.indexOf(network()));
    if (before !== network()) {
      cursor.forget();
      threshold.tryIt();
    }
    if (isOther) void load();
    else draw();
  }

  async function load() {
    loading.abort();
    const { signal } = (loading = new AbortController());
    readAt = performance.now();
    at("shown").setAttribute("aria-busy", "true");
    try {
      past = await loadLooks(queryOf(place), signal);
      [holdsUntil, openThen] = [past.to, openNow()];
      say(past.nothing ?? "");
      draw();
    } catch (thrown) {
      if (signal.aborted) return;
      say(thrown instanceof AskError ? thrown.message : "The picture could not be drawn.");
      if (!(thrown instanceof AskError)) reportError(thrown);
    }
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

  function openNow() {
    return (state?.open ?? []).flatMap((one) => (one.network === network() ? one.episode : [])).join(" ");
  }

  return {
    /** The view is shown, by an address that may be another one. */
    shown: () => show(placeAt(location.hash)),
    /** @param {WatchState} now What is seen now. */
    seen(now) {
      state = now;
      if (view.hidden || past === undefined || place.until !== undefined) return;
      const before = past;
      const watched = now.networks.find((one) => one.network === network());
      past = withLook(past, watched, now.timing.everyMillis);
      if (past !== before) draw();
      const isOld = Date.now() >= holdsUntil || openNow() !== openThen;
      if (isOld && performance.now() - readAt > AGAIN_MILLIS) void load();
    },
  };
}
