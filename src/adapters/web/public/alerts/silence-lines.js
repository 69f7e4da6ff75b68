// @ts-check
/** @import { HoldingSilence } from "../../alerts/watch.ts" */
import { span } from "../reply/times.js";
import { h } from "../vnode/vnode.js";

/** Further ones are counted. */
const SHOWN = 3;
const MINUTE = 60_000;

/**
 * One line for each silence, with a button that ends it. Pure, so that tests run it in node.
 *
 * @param {readonly HoldingSilence[]} silences
 */
export function silenceLines(silences) {
  const more = silences.length - SHOWN;
  return h(
    "ul",
    { "aria-label": "Silences" },
    ...silences
      .slice(0, SHOWN)
      .map(({ id, what, where, by, reason, leftMillis, untilOver }) =>
        h(
          "li",
          { "data-more": silences.length > 1 ? `+ ${silences.length - 1}` : undefined },
          h(
            "span",
            {},
            h("strong", {}, `SILENCED: ${what}`),
            ` ${where}, ${untilOver === true ? "until it is over" : leftWords(leftMillis)}, by ${by}${reason === undefined ? "" : `: ${reason}`}`,
          ),
          h("button", { type: "button", class: "small", "data-silence": id, "aria-label": `End silence ${id}` }, "End"),
        ),
      ),
    more > 0 ? h("li", {}, `${more} more: alerts silences names them all.`) : undefined,
  );
}

/** @param {number} millis */
function leftWords(millis) {
  return `${span(Math.max(MINUTE, millis - (millis % MINUTE)))} left`;
}
