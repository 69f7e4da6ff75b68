// @ts-check
/** @import { AttachmentJson } from "../../../../reply/document.ts" */
/** @import { VElement } from "../vnode/vnode.js" */
import { shorten, visible } from "./render-text.js";
import { h } from "../vnode/vnode.js";

/**
 * @param {AttachmentJson} picture
 * @returns {VElement}
 */
export function renderPicture(picture) {
  const alt = visible(picture.alt ?? picture.name);
  if (picture.href === undefined) return h("p", { class: "picture" }, alt);
  return h(
    "figure",
    { class: "picture" },
    h("img", { src: picture.href, alt, loading: "lazy" }),
    picture.alt === undefined ? undefined : h("figcaption", {}, alt),
  );
}

/**
 * @param {readonly AttachmentJson[]} files
 * @returns {VElement | undefined}
 */
export function renderAttachments(files) {
  if (files.length === 0) return undefined;
  return h(
    "ul",
    { class: "files" },
    ...files.map((file) =>
      h(
        "li",
        {},
        file.href === undefined
          ? h("span", { class: "file" }, visible(file.name))
          : h("a", { class: "file", href: file.href, download: file.name }, visible(file.name)),
        h("span", { class: "size" }, formatBytes(file.sizeBytes)),
        h(
          "button",
          { type: "button", class: "copy hash", "data-copy": file.sha256, title: `SHA-256 ${file.sha256} – copy` },
          h("code", {}, `sha256 ${shorten(file.sha256)}`),
        ),
      ),
    ),
  );
}

/**
 * `1.2 MB`, in powers of ten, as file managers show them.
 *
 * @param {number} bytes
 */
export function formatBytes(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1] ?? "TB"}`;
}
