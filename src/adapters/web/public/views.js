// @ts-check
// The page's views, by the part of the address behind the hash: a view's name, which may be followed by a question mark
// and what is to be shown in it, or the id of an element in it.

/**
 * @param {{ views: readonly { name: string, element: HTMLElement, link: HTMLElement, shown?: () => void }[] }} parts The first view is the usual one.
 */
export function createViews({ views }) {
  // Where the reader was in the usual view.
  let place = 0;
  function show() {
    const before = views.find(({ element }) => !element.hidden);
    if (before === views[0]) place = scrollY;
    const [asked = ""] = location.hash.slice(1).split("?");
    const at = asked === "" ? null : document.getElementById(asked);
    const chosen = views.find(({ name, element }) => name === asked || element.contains(at)) ?? views[0];
    for (const view of views) {
      view.element.hidden = view !== chosen;
      if (view === chosen) view.link.setAttribute("aria-current", "page");
      else view.link.removeAttribute("aria-current");
    }
    document.body.dataset["view"] = chosen?.name;
    // The question of the address belongs to the first view.
    if (chosen !== views[0] && location.search !== "") history.replaceState(null, "", `/${location.hash}`);
    chosen?.shown?.();
    if (at !== null) at.scrollIntoView();
    else if (chosen !== before) scrollTo(0, chosen === views[0] ? place : 0);
  }
  addEventListener("hashchange", show);
  show();
  return {
    show,
    /** The usual view, at once; `then` does something in it. */
    showFirst() {
      if (views[0]?.element.hidden === false) return;
      history.pushState(null, "", "/");
      show();
    },
  };
}
