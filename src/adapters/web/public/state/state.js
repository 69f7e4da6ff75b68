// @ts-check
// How each network stands, as cards: pure, so that tests run it in node.
/** @import { OpenAlert, WatchedNetwork, WatchState } from "../../alerts/watch.ts" */
/** @import { VElement } from "../vnode/vnode.js" */
import { NETWORK_STATES, shownState, worstTone } from "../../../../reply/states.js";
import { answerWords } from "../alerts/standing.js";
import { age, exactUtc, localTime, span, toMillis } from "../reply/times.js";
import { h } from "../vnode/vnode.js";

/** A verdict that may no longer hold, since nothing answers. */
const STALE = /** @type {const} */ ({ word: "not known now", tone: "neutral" });

/** @param {Pick<WatchedNetwork, "verdict" | "nodes">} watched */
function stateOf({ verdict, nodes }) {
  return verdict === undefined ? "unwatched" : shownState(verdict.state, nodes);
}

/**
 * The verdict in a word and a tone. Where an alert tells of it, the tone is that of the alert: a stall is a warning before it is
 * critical.
 *
 * @param {WatchedNetwork} watched
 * @param {readonly OpenAlert[]} open
 * @param {boolean} gone
 */
function shownAs(watched, open, gone) {
  if (gone) return STALE;
  const shown = NETWORK_STATES[stateOf(watched)];
  const told = open.filter(({ kind, network }) => kind.startsWith("network.") && network === watched.network);
  return shown.tone !== "bad" || told.length === 0 ? shown : { ...shown, tone: worstTone(told) };
}

/**
 * Whether all networks and all their nodes are seen, and are well, and nothing is about to become an alert.
 *
 * @param {Pick<WatchState, "networks">} state
 */
export function allWell({ networks }) {
  return networks.every((watched) => stateOf(watched) === "healthy" && watched.stalled.phase === "ok");
}

/**
 * One line for each network, the verdict first.
 *
 * @param {Pick<WatchState, "networks"> & Partial<Pick<WatchState, "open">>} state
 * @param {{ readonly now: number, readonly gone: boolean, readonly pace: (network: string) => number | undefined }} reader
 *   `now` in Unix milliseconds, `gone`: nothing answers, `pace` in blocks a second.
 * @returns {VElement[]}
 */
export function networkLines({ networks, open = [] }, { now, gone, pace }) {
  return networks.map((watched) => {
    const { network, verdict, nodes } = watched;
    const state = stateOf(watched);
    const { word, tone } = shownAs(watched, open, gone);
    const measured = pace(network);
    const halted = gone ? undefined : haltBegan(watched, open);
    return h(
      "li",
      { class: "network", "data-verdict": state, "data-tone": tone },
      h(
        "h3",
        {},
        h("span", { class: "shape", "aria-hidden": "true" }),
        h("span", { class: "name" }, network),
        " ",
        h("span", { class: "word" }, capitalised(word)),
      ),
      h(
        "dl",
        {},
        fact("Block", heightWords(watched), titleOf(watched)),
        halted === undefined
          ? fact("Last block", lastBlockWords(watched, gone), titleOf(watched))
          : fact("No block since", localTime(`${halted}000000`, undefined).slice(11), titleOf(watched)),
        fact("Pace", gone || measured === undefined ? "–" : paceOf(state, measured)),
        fact("Nodes", gone || nodes.length === 0 ? "–" : answerWords(nodes)),
        verdict === undefined ? undefined : fact("Seen", age(toMillis(verdict.at), now)),
      ),
      verdict === undefined || state === "healthy" || gone
        ? undefined
        : h(
            "p",
            { class: "why" },
            `${halted === undefined ? capitalised(verdict.why) : `No block for ${span(now - halted)}`}.`,
          ),
    );
  });
}

/**
 * The same for the bar at the top: the shape and the name, the word where there is room.
 *
 * @param {Pick<WatchState, "networks"> & Partial<Pick<WatchState, "open">>} state
 * @param {boolean} gone Nothing answers.
 * @returns {VElement[]}
 */
export function networkPills({ networks, open = [] }, gone) {
  return networks.map((watched) => {
    const { word, tone } = shownAs(watched, open, gone);
    return h(
      "span",
      { class: "pill", "data-tone": tone },
      h("span", { class: "shape", "aria-hidden": "true" }),
      h("b", {}, watched.network),
      h("span", { class: "word" }, ` ${word}`),
    );
  });
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} [title]
 */
function fact(name, value, title) {
  return h("div", {}, h("dt", {}, name), h("dd", { title }, value));
}

/** @param {WatchedNetwork} watched */
function heightWords({ verdict }) {
  return verdict?.height === undefined ? "–" : BigInt(verdict.height).toLocaleString("en");
}

/**
 * Its age at the look that the verdict is of, so that both say the same; of a network that may stand still, its time.
 *
 * @param {WatchedNetwork} watched
 * @param {boolean} gone
 */
function lastBlockWords({ verdict }, gone) {
  if (verdict?.time === undefined) return "–";
  if (verdict.state !== "healthy" || gone) return localTime(verdict.time, undefined).slice(11);
  const past = toMillis(verdict.at) - toMillis(verdict.time);
  return past < 1000 ? "new" : `${span(past)} old`;
}

/** @param {WatchedNetwork} watched */
function titleOf({ verdict }) {
  return verdict?.time === undefined ? undefined : exactUtc(verdict.time);
}

/**
 * The measured pace is that of the last half minute, in which a network that stands still may have made blocks; nobody
 * measures one that nobody sees.
 *
 * @param {ReturnType<typeof stateOf>} state
 * @param {number} pace Blocks a second.
 */
function paceOf(state, pace) {
  if (state === "stalled") return paceWords(0);
  return state === "blind" ? "–" : paceWords(pace);
}

/**
 * `1.3 blocks/s`, `12 blocks/min`.
 *
 * @param {number} pace Blocks a second.
 */
export function paceWords(pace) {
  if (pace === 0) return "no blocks";
  return pace >= 0.1 ? `${pace.toFixed(1)} blocks/s` : `${(pace * 60).toFixed(1)} blocks/min`;
}

/** The pace is known after two looks, and over before a standstill of this length is told. */
const PACE_WINDOW_MILLIS = 30_000;

/** Blocks a second of each network, from the looks of the last half minute. */
export function createPace() {
  /** @type {Map<string, { readonly at: number, readonly height: bigint }[]>} */
  const seen = new Map();
  return {
    /** @param {readonly WatchedNetwork[]} networks */
    look(networks) {
      for (const { network, verdict } of networks) {
        if (verdict?.height === undefined) continue;
        const at = toMillis(verdict.at);
        const looks = seen.get(network) ?? [];
        if (looks.at(-1)?.at === at) continue;
        const recent = looks.filter((one) => one.at > at - PACE_WINDOW_MILLIS && one.at < at);
        seen.set(network, [...recent, { at, height: BigInt(verdict.height) }]);
      }
    },
    /** @param {string} network */
    of(network) {
      const looks = seen.get(network) ?? [];
      const [first, last] = [looks[0], looks.at(-1)];
      if (first === undefined || last === undefined || first === last) return undefined;
      const blocks = Number(last.height - first.height);
      return blocks <= 0 ? 0 : (blocks * 1000) / (last.at - first.at);
    },
  };
}

/**
 * When a halt began, as its alert says it; before there is one, when the last block was seen.
 *
 * @param {WatchedNetwork} watched
 * @param {readonly OpenAlert[]} open
 */
function haltBegan({ network, verdict }, open) {
  if (verdict?.state !== "stalled" || !verdict.why.startsWith("no block")) return undefined;
  const alert = open.find((one) => one.kind === "network.stalled" && one.network === network);
  return alert === undefined ? toMillis(verdict.at) - (verdict.stillMillis ?? 0) : toMillis(alert.began);
}

/** @param {string} words */
function capitalised(words) {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
