// @ts-check
// The current step of the guided incident: pure, so that tests run it in node.
import { NETWORK_STATES } from "../../../../reply/states.js";
import { span } from "../reply/times.js";
/** @import { OpenAlert, StallState, WatchedNetwork, WatchState } from "../../alerts/watch.ts" */

/**
 * @typedef {"calm" | "still" | "pending" | "firing" | "recovering" | "resolved"} Stage
 * @typedef {object} Step
 * @property {Stage} stage
 * @property {string} says One sentence: what is so, and what comes next.
 * @property {{ readonly millis: number, readonly of: number, readonly until: string } | undefined} countdown
 * @property {string | undefined} episode The one that this incident made, once it has fired.
 */

/** The stages in order: the verdict, then the states of the alert. */
export const STAGES = /** @type {const} */ ([
  ["calm", "Healthy"],
  ["pending", "Pending"],
  ["firing", "Firing"],
  ["recovering", "Recovering"],
  ["resolved", "Resolved"],
]);

/**
 * @param {WatchedNetwork} network
 * @param {WatchState["timing"]} timing
 * @param {string | undefined} before The episode that was seen under way, if any.
 * @param {readonly OpenAlert[]} [open] The open alerts.
 * @returns {Step}
 */
export function stepOf(network, timing, before, open = []) {
  const { stalled, incident, verdict } = network;
  const name = network.network;
  const blind =
    verdict === undefined
      ? "Bellwether has just started and has not looked yet: the incident goes on with its first look."
      : verdict.state === "blind"
        ? `${name} ${NETWORK_STATES.blind.word}: every timer stands still.`
        : undefined;
  switch (stalled.phase) {
    case "pending":
      return step("pending", {
        says:
          blind ??
          `No new block, though a majority of the nodes answers: network.stalled is pending, and fires once that has lasted ${seconds(timing.firesMillis)}.`,
        countdown: countdown(stalled, timing.firesMillis, "fires"),
      });
    case "firing":
      return step("firing", {
        says:
          blind ??
          (incident === undefined
            ? "Blocks come again; Bellwether sees it when it looks next."
            : `${toldWords(stalled.told)} ${nextWords(open.find((one) => one.episode === stalled.episode))}`),
        episode: stalled.episode,
      });
    case "recovering":
      return step("recovering", {
        says: blind ?? "Blocks come again. The alert ends once that lasts.",
        countdown: countdown(stalled, timing.keepMillis, "resolved"),
        episode: stalled.episode,
      });
    case "ok": {
      if (incident !== undefined) {
        return step("still", {
          says:
            blind ??
            `${name} has stopped making blocks. Its verdict stays healthy, and the alert is not pending, until no block has come for ${seconds(timing.suspiciousMillis)}.`,
          countdown: countdown(stalled, timing.suspiciousMillis, "pending"),
        });
      }
      if (before !== undefined) {
        return step("resolved", {
          says: "Over. Below: the last message, then what was decided and told, and when.",
          episode: before,
        });
      }
      return step("calm", { says: "" });
    }
  }
}

/** What comes at the end of a countdown. */
const UNTIL = { pending: "is pending in", fires: "fires in about", resolved: "is resolved in about" };

/**
 * @param {string} until
 * @param {number} left In milliseconds.
 */
export function countdownWords(until, left) {
  const words = UNTIL[/** @type {keyof typeof UNTIL} */ (until)];
  if (left > 0) return `The alert ${words} ${span(Math.ceil(left / 1000) * 1000)}.`;
  return `The alert ${words.replace(/ in.*/u, "")} when Bellwether looks next.`;
}

/**
 * What became of the alert, as far as it is known.
 *
 * @param {StallState["told"]} told
 */
function toldWords(told) {
  if (told === undefined) return "The alert has fired.";
  const { sent, waiting, kept } = told;
  const causes = Object.entries(kept).map(([by, count]) => `kept back at ${places(count)} by ${by}`);
  const parts = [
    ...(sent > 0 ? [`out at ${places(sent)}`] : []),
    ...(waiting > 0 ? [`on its way to ${places(waiting)}`] : []),
    ...causes,
  ];
  if (parts.length === 0) return "The alert has fired, and nobody is subscribed to it.";
  return sent + waiting === 0
    ? `The alert has fired, and nobody was told: it is ${parts.join(", ")}.`
    : `The alert is ${parts.join(", ")}.`;
}

/** @param {OpenAlert | undefined} alert */
function nextWords(alert) {
  const { acknowledged, silenced } = alert ?? {};
  const known = acknowledged === undefined ? "" : `Acknowledged by ${acknowledged.by}: no reminder comes. `;
  if (silenced === true) return `${known}It is silenced: end the silence above, or let the network recover.`;
  return known === ""
    ? "Acknowledge or silence it under Open alerts, or let the network recover."
    : `${known}Let the network recover.`;
}

/** @param {number} count */
function places(count) {
  return count === 1 ? "1 place" : `${count} places`;
}

/**
 * The words shown while the bot does not answer.
 *
 * @param {boolean} online Whether the browser is.
 */
export function awayWords(online) {
  return online
    ? "Bellwether does not answer. Start it again: the incident goes on where it was, and nothing is told twice."
    : "This browser is offline: connect again to see how it goes on.";
}

/**
 * @param {Stage} stage
 * @param {Partial<Step>} more
 * @returns {Step}
 */
function step(stage, more) {
  return { stage, says: "", countdown: undefined, episode: undefined, ...more };
}

/**
 * @param {StallState} stalled
 * @param {number} of
 * @param {string} until
 */
function countdown(stalled, of, until) {
  return stalled.leftMillis === undefined ? undefined : { millis: Math.max(0, stalled.leftMillis), of, until };
}

/**
 * `5 s`, `0.2 s`.
 *
 * @param {number} millis
 */
export function seconds(millis) {
  return `${millis < 1000 ? (millis / 1000).toFixed(1) : Math.round(millis / 1000)} s`;
}
