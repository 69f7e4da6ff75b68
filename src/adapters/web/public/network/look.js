// @ts-check
// The looks of a picture, and the exact values of one as a reply with a table. Pure, so that tests run it in node.
/** @import { ReplyJson } from "../../../../reply/document.ts" */
/** @import { Scene } from "../../../../reply/chart.ts" */
/** @import { OneLook } from "../../looks.ts" */
import { exactUtc, localTime } from "../reply/times.js";

/** @type {Readonly<Record<NonNullable<OneLook["nodes"][number]["state"]>, string>>} */
const STATES = {
  moves: "moves",
  lags: "lags",
  stands: "stands",
  silent: "no answer",
  doubted: "not believed",
};

/**
 * @param {OneLook} look
 * @returns {ReplyJson}
 */
export function lookReply({ nodes }) {
  const headline = "What each node said";
  const says = (/** @type {string} */ text) => [{ kind: /** @type {const} */ ("text"), text }];
  const known = nodes.some(({ why }) => why !== undefined);
  return {
    tone: "neutral",
    title: says(headline),
    headline,
    blocks: [
      {
        kind: "table",
        name: "look",
        columns: [
          { title: "Node" },
          { title: "State" },
          { title: "Block", align: "right" },
          { title: "Its time, UTC" },
          { title: "Answered in", align: "right" },
          ...(known ? [{ title: "Why" }] : []),
        ],
        rows: nodes.map(({ node, state, height, time, roundTripMillis, why }) => [
          says(node),
          says(state === undefined ? "–" : STATES[state]),
          height === undefined
            ? says("–")
            : [{ kind: /** @type {const} */ ("number"), text: height, short: BigInt(height).toLocaleString("en") }],
          says(time === undefined ? "–" : exactUtc(time).slice(11, -4)),
          says(roundTripMillis === undefined ? "–" : `${Math.round(roundTripMillis)} ms`),
          ...(known ? [says(why ?? "")] : []),
        ]),
      },
    ],
    attachments: [],
    actions: [],
  };
}

/**
 * `2026-03-02 10:30:00.123 CET: network time was 12.345 s old`.
 *
 * @param {number} at
 * @param {number | undefined} ageMillis
 * @param {string} [timeZone]
 */
export function lookWords(at, ageMillis, timeZone) {
  const time = localTime(`${Math.floor(at)}000000`, timeZone);
  const millis = String(Math.floor(at) % 1000).padStart(3, "0");
  const exact = time.replace(/^(\S+ \S+)/u, `$1.${millis}`);
  const seconds = ((ageMillis ?? 0) / 1000).toLocaleString("en", { minimumFractionDigits: 3 });
  return ageMillis === undefined ? `${exact}: nobody said the time` : `${exact}: network time was ${seconds} s old`;
}

/**
 * How old the network's time was, by the points of the picture.
 *
 * @param {Scene} scene
 * @param {number} at
 */
export function ageAt({ lines }, at) {
  for (const run of lines[0]?.runs ?? []) for (const [moment, age] of run) if (moment === at) return age;
  return undefined;
}

/**
 * The moments of which values are known, in their order: those of the line, else the beginnings of states.
 *
 * @param {Scene} scene
 * @returns {number[]}
 */
export function momentsOf({ lines, lanes }) {
  const points = lines.flatMap(({ runs }) => runs.flatMap((run) => run.map(([at]) => at)));
  const all = points.length > 0 ? points : lanes.flatMap(({ parts }) => parts.map(({ from }) => from));
  return [...new Set(all)].toSorted((a, b) => a - b);
}

/**
 * The place of the nearest moment.
 *
 * @param {readonly number[]} moments
 * @param {number} at
 */
export function nearestOf(moments, at) {
  const behind = moments.findIndex((one) => one >= at);
  if (behind <= 0) return behind === 0 ? 0 : moments.length - 1;
  const [before = 0, after = 0] = [moments[behind - 1], moments[behind]];
  return at - before <= after - at ? behind - 1 : behind;
}
