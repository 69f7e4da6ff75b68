// @ts-check
import { makeElement } from "./vnode/make-dom.js";
import { h } from "./vnode/vnode.js";

/**
 * A row of tabs (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/): one is in the tab order, arrows move and choose.
 *
 * @param {{ label: string, panel: HTMLElement, tabs: readonly { id: string, name: string }[], chosen?: string, choose: (id: string) => void }} parts
 *   `chosen`: the tab that is marked at first; left out = the first one.
 * @returns {HTMLElement}
 */
export function createTabs({ label, panel, tabs, chosen: first, choose }) {
  const list = makeElement(h("div", { class: "tabs", role: "tablist", "aria-label": label }));
  panel.setAttribute("role", "tabpanel");
  const buttons = tabs.map((tab, index) => {
    const attrs = { type: "button", id: `${panel.id}-${tab.id}`, role: "tab", "aria-controls": panel.id };
    const button = makeElement(h("button", attrs, tab.name));
    button.addEventListener("click", () => select(index));
    list.append(button);
    return button;
  });

  /** @param {number} chosen */
  function mark(chosen) {
    for (const [index, button] of buttons.entries()) {
      button.setAttribute("aria-selected", String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
      if (index === chosen) panel.setAttribute("aria-labelledby", button.id);
    }
  }

  /** @param {number} index */
  function select(index) {
    mark(index);
    const tab = tabs[index];
    if (tab !== undefined) choose(tab.id);
  }

  list.addEventListener("keydown", (event) => {
    const from = buttons.findIndex((button) => button === document.activeElement);
    const last = buttons.length - 1;
    /** @type {Readonly<Record<string, number>>} */
    const moves = {
      ArrowRight: from === last ? 0 : from + 1,
      ArrowLeft: from === 0 ? last : from - 1,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (from === -1 || to === undefined) return;
    event.preventDefault();
    buttons[to]?.focus();
    select(to);
  });
  const at = tabs.findIndex(({ id }) => id === first);
  mark(Math.max(0, at));
  return list;
}

/** Here the tabs have room beside the question. */
const ROOMY = "(width >= 40rem)";

/**
 * The tabs that show an answer as platforms show it, folded where they would take a line of their own; none where there
 * are no previews.
 *
 * @param {{ readonly previews?: Readonly<Record<string, unknown>> }} reply
 * @param {readonly { readonly id: string, readonly name: string }[]} previews
 * @param {{ panel: HTMLElement, chosen: string, choose: (id: string) => void }} how
 * @returns {HTMLElement[]}
 */
export function previewTabs(reply, previews, how) {
  const platforms = previews.filter(({ id }) => Object.hasOwn(reply.previews ?? {}, id));
  const tabs = [{ id: "bellwether", name: "Bellwether" }, ...platforms];
  if (platforms.length === 0) return [];
  const fold = makeElement(h("details", { class: "shown-as" }, h("summary", {}, "Preview")));
  fold.toggleAttribute("open", how.chosen !== "bellwether" || matchMedia(ROOMY).matches);
  fold.append(createTabs({ label: "Shown as", tabs, ...how }));
  return [fold];
}
