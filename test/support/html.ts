import type { VNode } from "../../src/adapters/web/public/vnode/vnode.js";

/** Elements without content, which have no end tag. */
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img"]);

/** A tree as HTML, without a line break that is not in its text. */
export function html(node: VNode): string {
  if (typeof node === "string") return escapeHtml(node);
  const attrs = Object.entries(node.attrs).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  const begin = `<${node.tag}${attrs.join("")}>`;
  return VOID.has(node.tag) ? begin : `${begin}${node.children.map(html).join("")}</${node.tag}>`;
}

/** Text for an element or an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
