// @ts-check
// How other platforms will show a reply.
//
// For every platform that the server announces in GET /api/console (`previews`) and puts into an answer, there are two
// files in the folder `page` of its adapter, which are served below /page/<platform>/page:
//
//   page.js   exports  draw(payload, sent): VElement
//   page.css  its styles, every selector below `.preview-<platform>`; class names are its own, as no style of the
//             console's reaches in there but `.unseen` and `.waiting`
//
// What they have in common stands in drawn-message.js and preview.css.
//
// `payload` is the very JSON that the platform's renderer made for the reply at hand. `draw` describes how the platform
// would show it, as a tree of `h(...)` from vnode.js: pure and total, without a browser, so that it is tested in node. The
// tree is put into an element with the class `preview-<platform>`. A button there does what `payload.presses` has under
// its `data-press`: it asks the bot what the platform's button would ask, or shows `payload.whole`, one of `payload.pages`, and back. An element
// with `data-copy` copies. Pictures may come from this server alone (`/api/files/…`).
/** @import { PreviewPress } from "../../render.ts" */
/** @import { VElement } from "../vnode/vnode.js" */
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/**
 * The element that shows a payload; a sentence when it cannot be drawn.
 *
 * @param {string} platform
 * @param {unknown} payload
 * @param {number} sent When it was sent, in Unix milliseconds.
 * @param {(press: Extract<PreviewPress, { invocation: unknown }>, label: string) => void} press
 * @returns {Promise<HTMLElement>}
 */
export async function drawPreview(platform, payload, sent, press) {
  const shell = makeElement(h("div", { class: `preview preview-${platform}` }));
  try {
    if (!/^[a-z]+$/u.test(platform) || payload === null || payload === undefined) throw new Error("no payload");
    for (const name of ["preview/preview", `${platform}/page/page`]) loadStyle(name);
    /** @type {{ draw(payload: unknown, sent: number): VElement }} */
    const drawer = await import(`../${platform}/page/page.js`);
    const first = /** @type {Payload} */ (payload);
    let shown = first;
    const show = () => shell.replaceChildren(makeElement(drawer.draw(shown, sent)));
    show();
    shell.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("[data-press]") : null;
      if (!(button instanceof HTMLElement)) return;
      const does = shown.presses?.[button.dataset["press"] ?? ""];
      if (does === undefined) return;
      if ("invocation" in does) return press(does, button.textContent);
      shown = afterFold(first, shown, does.page) ?? first;
      show();
      const again = [...shell.querySelectorAll("button")].find(({ dataset }) => isFold(shown, dataset["press"]));
      again?.focus();
    });
  } catch (thrown) {
    reportError(thrown);
    shell.append(makeElement(h("p", { class: "waiting" }, "This preview could not be drawn.")));
  }
  return shell;
}

/** @typedef {{ readonly presses?: Readonly<Record<string, PreviewPress>>, readonly whole?: Payload, readonly pages?: readonly Payload[] }} Payload */

/**
 * @param {Payload} first
 * @param {Payload} shown
 * @param {number | undefined} page The page that a button leads to; left out for Details and Less.
 */
function afterFold(first, shown, page) {
  if (page === undefined) return shown === first ? first.whole : first;
  return page === 0 ? first.whole : first.pages?.[page - 1];
}

/**
 * @param {Payload} payload
 * @param {string | undefined} name
 */
function isFold({ presses = {} }, name = "") {
  const press = presses[name];
  return press !== undefined && "fold" in press;
}

/**
 * A style sheet that the page needs only now.
 *
 * @param {string} name
 */
export function loadStyle(name) {
  const id = `style-${name.replaceAll("/", "-")}`;
  if (document.getElementById(id) !== null) return;
  const link = document.createElement("link");
  link.id = id;
  link.rel = "stylesheet";
  link.href = `/page/${name}.css`;
  document.head.append(link);
}
