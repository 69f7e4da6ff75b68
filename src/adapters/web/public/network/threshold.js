// @ts-check
// The threshold beside the picture: what is typed moves its line, and what it would have told is counted.
/** @import { Surroundings } from "../exchange/exchange.js" */
import { formatLine } from "../exchange/lines.js";
import { createTried } from "../exchange/tried.js";
import { part } from "../part.js";
import { span } from "../reply/times.js";
import { spanOf } from "./place.js";

/**
 * @param {(id: string) => HTMLElement} at
 * @param {Surroundings} around
 * @param {{ network: () => string, changed: () => void, count: Parameters<typeof createTried>[1] }} parts
 */
export function createThreshold(at, around, { network, changed, count }) {
  const input = part("#network-after", HTMLInputElement);
  const tried = createTried(at("tried"), count);
  let isTyped = false;

  const optionsOf = () => ({ kinds: "network.stalled", for: input.value.trim(), network: network() });

  function tryIt() {
    const isEmpty = input.value.trim() === "";
    const isWrong = !isEmpty && spanOf(input.value) === undefined;
    input.setAttribute("aria-invalid", String(isWrong));
    at("after-fault").hidden = !isWrong;
    tried.changed(!isTyped || isEmpty || isWrong ? "" : formatLine("alerts try", optionsOf()));
  }

  input.addEventListener("input", () => {
    isTyped = true;
    tryIt();
    changed();
  });
  at("subscribe").addEventListener("click", () => around.fillIn({ command: "alerts add", options: optionsOf() }));

  return {
    /** Another network is shown. */
    tryIt,
    /**
     * The threshold to draw: what is typed, else the one that holds.
     *
     * @param {readonly { readonly name: string, readonly value: number }[]} usual
     */
    of(usual) {
      if (!isTyped) input.value = writtenSpan(usual[0]?.value ?? 0);
      const typed = spanOf(input.value);
      return typed === undefined ? usual : [{ name: `told after ${span(typed)}`, value: typed }];
    },
  };
}

/**
 * `30s`, `1h30m`: as it is typed.
 *
 * @param {number} millis
 */
function writtenSpan(millis) {
  return span(millis).replaceAll("min", "m").replaceAll(" ", "");
}
