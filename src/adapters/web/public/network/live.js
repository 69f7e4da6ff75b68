// @ts-check
// What is seen now, added to what was kept. Pure, so that tests run it in node.
/** @import { LaneState } from "../../../../reply/chart.ts" */
/** @import { PastLooks } from "../../looks.ts" */
/** @import { WatchedNetwork, WatchedNode } from "../../alerts/watch.ts" */
import { toMillis } from "../reply/times.js";

/** @typedef {NonNullable<PastLooks["scene"]>["lanes"][number]["parts"]} Parts */

/** So many looks that are missing end a line. */
const GAP_LOOKS = 3;

/**
 * The same picture with one more look, where it is newer than all in it; the time moves on by as much.
 *
 * @param {PastLooks} past
 * @param {WatchedNetwork | undefined} watched
 * @param {number} everyMillis How often the network is looked at.
 * @returns {PastLooks}
 */
export function withLook(past, watched, everyMillis) {
  const { scene, from, to, partMillis } = past;
  const { verdict, nodes = [] } = watched ?? {};
  if (scene === undefined || verdict === undefined) return past;
  const at = toMillis(verdict.at);
  const last = Math.max(...scene.lines.flatMap(({ runs }) => runs.at(-1)?.at(-1)?.[0] ?? []), -Infinity);
  if (at <= last) return past;
  const until = at + everyMillis;
  const shift = Math.max(0, until - to);
  const [line, ...others] = scene.lines;
  const clocks = nodes.flatMap(({ time, vote }) => (time === undefined || vote === "silent" ? [] : [toMillis(time)]));
  /** @type {[number, number]} */
  const point = [at, Math.max(0, at - Math.max(...clocks))];
  const gap = Math.max(partMillis, GAP_LOOKS * everyMillis);
  const runs = line === undefined || clocks.length === 0 ? line?.runs : withPoint(line.runs, point, at - last <= gap);
  return {
    ...past,
    from: from + shift,
    to: to + shift,
    scene: {
      ...scene,
      from: from + shift,
      to: to + shift,
      lanes: scene.lanes.map(({ name, parts }) => {
        const node = nodes.find((one) => one.node === name);
        return {
          name,
          parts: node === undefined ? parts : withPart(parts, { from: at, to: until, state: stateOf(node) }, gap),
        };
      }),
      lines: line === undefined || runs === undefined ? scene.lines : [{ ...line, runs }, ...others],
    },
  };
}

/**
 * @template P
 * @param {readonly (readonly P[])[]} runs
 * @param {P} point
 * @param {boolean} isJoined
 * @returns {readonly (readonly P[])[]}
 */
function withPoint(runs, point, isJoined) {
  const last = runs.at(-1);
  return isJoined && last !== undefined ? [...runs.slice(0, -1), [...last, point]] : [...runs, [point]];
}

/**
 * @param {Parts} parts
 * @param {Parts[number]} part
 * @param {number} gap Nobody looked in more than that.
 * @returns {Parts}
 */
function withPart(parts, part, gap) {
  const last = parts.at(-1);
  if (last === undefined || part.from - last.to > gap) return [...parts, part];
  const before = parts.slice(0, -1);
  if (last.state === part.state) return [...before, { ...last, to: Math.max(last.to, part.to) }];
  // The part of the time that is under way may have been counted to its end.
  return [...before, { ...last, to: Math.max(last.from, part.from) }, part];
}

/**
 * As pictures of what is kept have it.
 *
 * @param {WatchedNode} node
 * @returns {LaneState}
 */
function stateOf({ state, vote, time }) {
  if (state === "down") return "silent";
  if (vote === "silent") return time === undefined ? "silent" : "doubted";
  if (vote === "stands") return "stands";
  return vote === "syncs" || vote === "climbs" || state === "lagging" ? "lags" : "moves";
}
