// @ts-check
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/**
 * The list below which one types: it shows lines to choose from, and which one is chosen. The focus stays in the input
 * (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 *
 * @param {{ input: HTMLInputElement, list: HTMLElement, accept: (line: string) => void, summaryOf: (line: string) => string | undefined }} parts
 */
export function createCompletionList({ input, list, accept, summaryOf }) {
  /** @type {readonly string[]} */
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
   * @param {string} line
   * @param {number} index
   * @param {string} typed
   */
  function optionOf(line, index, typed) {
    const same = line.toLowerCase().startsWith(typed.toLowerCase()) ? typed.length : 0;
    const summary = summaryOf(line);
    const option = makeElement(
      h(
        "li",
        { id: `completion-${index}`, role: "option" },
        h("span", {}, line.slice(0, same), h("b", {}, line.slice(same))),
        summary === undefined ? undefined : h("small", {}, summary),
      ),
    );
    // Pressing the mouse must not take the focus from the input.
    option.addEventListener("pointerdown", (event) => event.preventDefault());
    option.addEventListener("click", () => accept(line));
    return option;
  }

  return {
    /**
     * @param {readonly string[]} offered
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
      return active === -1 ? undefined : lines[active];
    },
    get first() {
      return lines[0];
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
