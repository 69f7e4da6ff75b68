// @ts-check
// The page's two views, by the part of the address behind the hash.

/**
 * @param {{ views: readonly { name: string, element: HTMLElement, link: HTMLElement, shown?: () => void }[] }} parts The first view is the usual one.
 */
export function createViews({ views }) {
  function show() {
    const asked = location.hash.slice(1);
    const chosen = views.find(({ name }) => name === asked) ?? views[0];
    for (const view of views) {
      view.element.hidden = view !== chosen;
      if (view === chosen) view.link.setAttribute("aria-current", "page");
      else view.link.removeAttribute("aria-current");
    }
    chosen?.shown?.();
  }
  addEventListener("hashchange", show);
  show();
}
