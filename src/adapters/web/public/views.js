// @ts-check
// The page's two views, by the part of the address behind the hash.

/**
 * @param {{ window: Window, views: readonly { name: string, element: HTMLElement, link: HTMLElement, shown?: () => void }[] }} parts The first view is the usual one.
 */
export function createViews({ window, views }) {
  function show() {
    const asked = window.location.hash.slice(1);
    const chosen = views.find(({ name }) => name === asked) ?? views[0];
    for (const view of views) {
      view.element.hidden = view !== chosen;
      if (view === chosen) view.link.setAttribute("aria-current", "page");
      else view.link.removeAttribute("aria-current");
    }
    chosen?.shown?.();
  }
  window.addEventListener("hashchange", show);
  show();
  return {
    /** @param {string} name */
    open(name) {
      window.location.hash = name;
    },
  };
}
