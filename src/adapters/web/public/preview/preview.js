// @ts-check
// How other platforms will show a reply.
//
// For every platform that the server announces in GET /api/console (`previews`) and puts into an answer, there are two
// files in this folder:
//
//   preview-<platform>.js   exports  draw(payload, sent): VElement
//   preview-<platform>.css  its styles, every selector below `.preview-<platform>`; class names are its own, as
//                           no style of the console's reaches in there but `.unseen` and `.waiting`
//
// What they have in common stands in drawn-message.js and preview.css.
//
// `payload` is the very JSON that the platform's renderer made for the reply at hand. `draw` describes how the platform
// would show it, as a tree of `h(...)` from vnode.js: pure and total, without a browser, so that it is tested in node. The
// tree is put into an element with the class `preview-<platform>`; its buttons do nothing there, but an element with
// `data-copy` copies. Pictures may come from this server alone (`/api/files/…`).
/** @import { VElement } from "../vnode/vnode.js" */
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/**
 * The element that shows a payload; a sentence when it cannot be drawn.
 *
 * @param {string} platform
 * @param {unknown} payload
 * @param {number} sent When it was sent, in Unix milliseconds.
 * @returns {Promise<HTMLElement>}
 */
export async function drawPreview(platform, payload, sent) {
  const shell = makeElement(h("div", { class: `preview preview-${platform}` }));
  try {
    if (!/^[a-z]+$/u.test(platform) || payload === null || payload === undefined) throw new Error("no payload");
    for (const name of ["preview", `preview-${platform}`]) loadStyle(name);
    /** @type {{ draw(payload: unknown, sent: number): VElement }} */
    const drawer = await import(`./preview-${platform}.js`);
    shell.append(makeElement(drawer.draw(payload, sent)));
  } catch (thrown) {
    reportError(thrown);
    shell.append(makeElement(h("p", { class: "waiting" }, "This preview could not be drawn.")));
  }
  return shell;
}

/**
 * @param {string} name
 */
function loadStyle(name) {
  const id = `style-${name}`;
  if (document.getElementById(id) !== null) return;
  const link = document.createElement("link");
  link.id = id;
  link.rel = "stylesheet";
  link.href = `/page/preview/${name}.css`;
  document.head.append(link);
}
