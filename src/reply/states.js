// @ts-check
// The states of networks and of alerts as people see them: one word and one tone each, everywhere. Plain JavaScript:
// browsers load this very file.

/** @typedef {{ readonly word: string, readonly tone: "good" | "warning" | "bad" | "neutral" }} StateShown */

export const NETWORK_STATES = Object.freeze({
  healthy: shown("healthy", "good"),
  /** It makes blocks, while some of its nodes are not where it is. */
  troubled: shown("some nodes in trouble", "warning"),
  /** Healthy by what was seen before, but no node is where the network was. */
  unsettled: shown("unsettled", "warning"),
  suspicious: shown("suspicious", "warning"),
  contested: shown("its nodes disagree", "warning"),
  unconfirmed: shown("unconfirmed", "warning"),
  syncing: shown("catching up", "warning"),
  stalled: shown("stalled", "bad"),
  blind: shown("cannot be seen", "warning"),
  unwatched: shown("not watched yet", "neutral"),
  restarted: shown("not looked at yet since the start", "neutral"),
});

export const SEVERITY = Object.freeze({
  info: shown("Info", "neutral"),
  warning: shown("Warning", "warning"),
  critical: shown("Critical", "bad"),
});

/** The words for the states of an episode. While it is open its tone is that of its severity. */
export const EPISODE_WORDS = Object.freeze({
  firing: "firing",
  recovering: "recovering",
  resolved: "resolved",
  withdrawn: "no longer watched",
  gone: "what it was about is gone",
});

/** The tone of an alert that is over, and whose end was seen. */
export const RESOLVED_TONE = /** @type {const} */ ("good");

/**
 * The tone of the worst.
 *
 * @param {readonly { readonly severity: keyof typeof SEVERITY }[]} open
 * @returns {StateShown["tone"]}
 */
export function worstTone(open) {
  const tones = new Set(open.map(({ severity }) => SEVERITY[severity].tone));
  return tones.has("bad") ? "bad" : tones.has("warning") ? "warning" : "neutral";
}

/**
 * @param {string} word What follows the network's name, or is.
 * @param {StateShown["tone"]} tone
 * @returns {StateShown}
 */
function shown(word, tone) {
  return { word, tone };
}

/**
 * The state of a verdict as people see it.
 *
 * @template {"healthy" | "contested" | "unconfirmed" | "syncing" | "stalled" | "blind"} S
 * @param {S} state
 * @param {readonly { readonly state: string }[]} nodes
 * @returns {S | "troubled" | "unsettled"}
 */
export function shownState(state, nodes) {
  if (state !== "healthy" || nodes.every((node) => node.state === "ok")) return state;
  return nodes.some((node) => node.state === "ok") ? "troubled" : "unsettled";
}
