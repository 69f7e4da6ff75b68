// @ts-check
// The states of a network as people see them: one word and one tone each, everywhere. Plain JavaScript: browsers load
// this very file.

/** @typedef {{ readonly word: string, readonly tone: "good" | "warning" | "bad" | "neutral" }} NetworkStateShown */

export const NETWORK_STATES = Object.freeze({
  healthy: shown("healthy", "good"),
  /** Healthy by what was seen before, but no node is where the network was. */
  unsettled: shown("unsettled", "warning"),
  suspicious: shown("suspicious", "warning"),
  contested: shown("its nodes disagree", "warning"),
  unconfirmed: shown("unconfirmed", "warning"),
  stalled: shown("stalled", "bad"),
  blind: shown("cannot be seen", "warning"),
  unwatched: shown("not watched yet", "neutral"),
  restarted: shown("not looked at yet since the start", "neutral"),
});

/**
 * @param {string} word What follows the network's name, or is.
 * @param {NetworkStateShown["tone"]} tone
 * @returns {NetworkStateShown}
 */
function shown(word, tone) {
  return { word, tone };
}

/**
 * The state of a verdict as people see it.
 *
 * @template {"healthy" | "contested" | "unconfirmed" | "stalled" | "blind"} S
 * @param {S} state
 * @param {readonly { readonly state: string }[]} nodes
 * @returns {S | "unsettled"}
 */
export function shownState(state, nodes) {
  return state === "healthy" && nodes.every((node) => node.state !== "ok") ? "unsettled" : state;
}
