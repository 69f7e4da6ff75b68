// @ts-check
/** @import { VElement } from "../vnode/vnode.js" */
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";
import { meaningOf, withShortIds } from "./lines.js";

/** @typedef {{ readonly line: string, readonly label?: string | null | undefined }} Offer A line, and what it stands for. */

/**
 * The list of a field in which one types: it shows what there is to choose from, and which one is chosen. The focus stays
 * in the field (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 *
 * @param {{ input: HTMLInputElement, list: HTMLElement, accept: (index: number) => void }} parts
 */
export function createList({ input, list, accept }) {
  let count = 0;
  let active = -1;

  function mark() {
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute("aria-selected", String(index === active));
      if (index === active) option.scrollIntoView({ block: "nearest" });
    }
    if (active === -1) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${list.id}-${active}`);
  }

  /**
   * @param {readonly (VElement | undefined)[]} content
   * @param {number} index
   */
  function optionOf(content, index) {
    const option = makeElement(h("li", { id: `${list.id}-${index}`, role: "option" }, ...content));
    // Pressing the mouse must not take the focus from the input.
    option.addEventListener("pointerdown", (event) => event.preventDefault());
    option.addEventListener("click", () => accept(index));
    return option;
  }

  return {
    /**
     * @param {readonly (readonly (VElement | undefined)[])[]} contents
     * @param {number} chosen -1: none.
     */
    show(contents, chosen = -1) {
      count = contents.length;
      active = Math.min(chosen, count - 1);
      list.replaceChildren(...contents.map(optionOf));
      list.hidden = count === 0;
      input.setAttribute("aria-expanded", String(count > 0));
      mark();
    },
    get isOpen() {
      return count > 0;
    },
    /** The one chosen with the arrows; -1: none. */
    get active() {
      return active;
    },
    /**
     * Down from the input to the first, from the last back to the input, and the other way round.
     *
     * @param {1 | -1} step
     */
    move(step) {
      const places = count + 1;
      active = ((active + 1 + step + places) % places) - 1;
      mark();
    },
  };
}

/**
 * The lines that complete what stands in the command line.
 *
 * @param {{ input: HTMLInputElement, list: HTMLElement, accept: (line: string) => void }} parts
 */
export function createCompletionList({ input, list, accept }) {
  /** @type {readonly Offer[]} */
  let lines = [];
  const options = createList({ input, list, accept: (index) => accept(lines[index]?.line ?? "") });

  return {
    /**
     * @param {readonly Offer[]} offered
     * @param {string} typed
     */
    show(offered, typed) {
      lines = offered;
      options.show(offered.map((offer) => contentOf(offer, typed)));
    },
    close() {
      this.show([], "");
    },
    get isOpen() {
      return options.isOpen;
    },
    /** The line chosen with the arrows. */
    get chosen() {
      return lines[options.active]?.line;
    },
    get first() {
      return lines[0]?.line;
    },
    /** @param {1 | -1} step */
    move: (step) => options.move(step),
  };
}

/**
 * @param {Offer} offer
 * @param {string} typed
 */
function contentOf({ line, label }, typed) {
  const meaning = meaningOf(line, label);
  const same = line.toLowerCase().startsWith(typed.toLowerCase()) ? typed.length : 0;
  return [
    h("span", { title: line }, withShortIds(line.slice(0, same)), h("b", {}, withShortIds(line.slice(same)))),
    meaning === undefined || meaning === null ? undefined : h("small", {}, meaning),
  ];
}
