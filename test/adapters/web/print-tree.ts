import type { VElement, VNode } from "../../../src/adapters/web/public/vnode/vnode.js";

/** A tree as indented markup, escaped as HTML is, so that golden files read well and differ by line. */
export function printTree(node: VNode, depth = 0): string {
  const indent = "  ".repeat(depth);
  if (typeof node === "string") return `${indent}${escape(node)}\n`;
  const attrs = Object.entries(node.attrs).map(([name, value]) => ` ${name}="${escape(value)}"`);
  const open = `<${node.tag}${attrs.join("")}>`;
  const [only] = node.children;
  if (only === undefined) return `${indent}${open}\n`;
  if (node.children.length === 1 && typeof only === "string") return `${indent}${open}${escape(only)}</${node.tag}>\n`;
  return `${indent}${open}\n${node.children.map((child) => printTree(child, depth + 1)).join("")}${indent}</${node.tag}>\n`;
}

/** Every element of a tree, the top first. */
export function elementsOf(node: VNode): VElement[] {
  return typeof node === "string" ? [] : [node, ...node.children.flatMap(elementsOf)];
}

/** Every text of a tree, in order. */
export function textsOf(node: VNode): string[] {
  return typeof node === "string" ? [node] : node.children.flatMap(textsOf);
}

function escape(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (control) => `&#x${(control.codePointAt(0) ?? 0).toString(16)};`)
    .toWellFormed();
}
