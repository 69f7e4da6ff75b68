// @ts-check
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";
import { meaningOf, withShortIds } from "./lines.js";

/** @typedef {{ readonly line: string, readonly label?: string | null | undefined }} Offer A line, and what it stands for. */

/**
 * The list below which one types: it shows lines to choose from, and which one is chosen. The focus stays in the input
 * (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 *
 * @param {{ input: HTMLInputElement, list: HTMLElement, accept: (line: string) => void }} parts
 */
export function createCompletionList({ input, list, accept }) {
  /** @type {readonly Offer[]} */
  let lines = [];
  let active = -1;

  function mark() {
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute("aria-selected", String(index === active));
      if (index === active) option.scrollIntoView({ block: "nearest" });
    }
    if (active === -1) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `completion-${active}`);
  }

  /**
   * @param {Offer} offer
   * @param {number} index
   * @param {string} typed
   */
  function optionOf({ line, label }, index, typed) {
    const meaning = meaningOf(line, label);
    const same = line.toLowerCase().startsWith(typed.toLowerCase()) ? typed.length : 0;
    const option = makeElement(
      h(
        "li",
        { id: `completion-${index}`, role: "option" },
        h("span", { title: line }, withShortIds(line.slice(0, same)), h("b", {}, withShortIds(line.slice(same)))),
        meaning === undefined || meaning === null ? undefined : h("small", {}, meaning),
      ),
    );
    // Pressing the mouse must not take the focus from the input.
    option.addEventListener("pointerdown", (event) => event.preventDefault());
    option.addEventListener("click", () => accept(line));
    return option;
  }

  return {
    /**
     * @param {readonly Offer[]} offered
     * @param {string} typed
     */
    show(offered, typed) {
      lines = offered;
      active = -1;
      list.replaceChildren(...offered.map((line, index) => optionOf(line, index, typed)));
      list.hidden = offered.length === 0;
      input.setAttribute("aria-expanded", String(offered.length > 0));
      mark();
    },
    close() {
      this.show([], "");
    },
    get isOpen() {
      return lines.length > 0;
    },
    /** The line chosen with the arrows. */
    get chosen() {
      return active === -1 ? undefined : lines[active]?.line;
    },
    get first() {
      return lines[0]?.line;
    },
    /**
     * Down from the input to the first, from the last back to the input, and the other way round.
     *
     * @param {1 | -1} step
     */
    move(step) {
      const places = lines.length + 1;
      active = ((active + 1 + step + places) % places) - 1;
      mark();
    },
  };
}
