// @ts-check
// Which alerts are not over: as the last look at the server had it, and as it was told since. Pure, so that tests read it
// in node.
/** @import { AlertJson } from "../alerts/alert-json.ts" */
/** @import { OpenAlert, WatchedNode } from "../alerts/watch.ts" */

import { localTime } from "./times.js";

/** In rising order. */
const SEVERITIES = ["info", "warning", "critical"];

/** An alert comes as soon as it is owed, the next look up to some seconds later: what was told last is what holds. */
export function createStanding() {
  /** @type {ReadonlyMap<string, OpenAlert>} */
  let seen = new Map();
  /** @type {Map<string, { readonly alert: AlertJson, readonly look: number }>} By episode, with the look that was under way. */
  const since = new Map();
  let looks = 0;

  return {
    /** A look begins; what is told from here on may be newer than what it sees. */
    look() {
      looks += 1;
      const own = looks;
      return {
        /** @param {readonly OpenAlert[]} open */
        saw(open) {
          seen = new Map(open.map((one) => [one.episode, one]));
          for (const [episode, { look }] of since) if (look < own) since.delete(episode);
        },
      };
    },
    /** @param {AlertJson} alert */
    told(alert) {
      if (tellsEpisode(alert)) since.set(alert.episode ?? "", { alert, look: looks });
    },
    /** The worst first. */
    open() {
      const open = new Map(seen);
      for (const [episode, { alert }] of since) {
        if (alert.state === "resolved") open.delete(episode);
        else if (!open.has(episode)) open.set(episode, openOf(alert, episode));
      }
      return [...open.values()].toSorted(worstFirst);
    },
  };
}

/**
 * @param {AlertJson} alert
 * @param {string} episode
 * @returns {OpenAlert}
 */
function openOf({ kind, network, subject, severity, at }, episode) {
  return {
    episode,
    kind: /** @type {OpenAlert["kind"]} */ (kind),
    network,
    subject,
    severity,
    state: "firing",
    // When it fired, which is all that is known of it until the next look.
    began: at,
    beganBefore: true,
  };
}

/**
 * As `alerts status` lists them: the worst, then what nobody has acknowledged, then the newest.
 *
 * @param {OpenAlert} a
 * @param {OpenAlert} b
 */
export function worstFirst(a, b) {
  return (
    SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
    Number(a.acknowledged !== undefined) - Number(b.acknowledged !== undefined) ||
    (BigInt(a.began) > BigInt(b.began) ? -1 : 1)
  );
}

/**
 * When it began, as its message says it.
 *
 * @param {Pick<OpenAlert, "began" | "beganBefore">} alert
 * @param {string} [timeZone] An IANA name; left out = the browser's.
 */
export function beganWords({ began, beganBefore }, timeZone) {
  return `began ${localTime(began, timeZone)}${beganBefore === true ? " at the latest" : ""}`;
}

/** @param {Pick<AlertJson, "state">} alert */
export function isUnderWay({ state }) {
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
 * `2 of 3 answer`: a node may answer and yet have no new block.
 *
 * @param {readonly Pick<WatchedNode, "state">[]} nodes
 */
export function answerWords(nodes) {
  const answering = nodes.filter(({ state }) => state === "ok" || state === "lagging").length;
  return `${answering} of ${nodes.length} answer`;
}
