import { STATUS_CODES } from "node:http";

import type { GARBAGE_BODIES } from "./fault.ts";

/** What a proxy in front of a node says in its place. */
export function proxyPage(status: number): string {
  const words = STATUS_CODES[status] ?? "Error";
  return `<!DOCTYPE html>\n<html><head><title>${status} ${words}</title></head>\n<body><h1>${words}</h1><script>alert("no")</script></body></html>\n`;
}

/** A reply that cannot be understood, made from the one that would have been right. */
export function garbageOf(
  kind: (typeof GARBAGE_BODIES)[number],
  document: Record<string, unknown>,
): { contentType: string; body: string } {
  const right = JSON.stringify(document);
  switch (kind) {
    case "html":
      return { contentType: "text/html", body: proxyPage(502) };
    case "truncated":
      return { contentType: "application/json", body: right.slice(0, Math.ceil(right.length * 0.6)) };
    case "wrong-types":
      return { contentType: "application/json", body: JSON.stringify(withWrongTypes(document)) };
    case "nulls":
      return { contentType: "application/json", body: JSON.stringify(mapLeaves(document, () => null)) };
    case "empty":
      return { contentType: "application/json", body: "" };
  }
}

/** Texts become lists, lists texts, flags numbers: the same names, nothing of the kind that is expected. */
function withWrongTypes(value: unknown): unknown {
  if (Array.isArray(value)) return "a list was here";
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWrongTypes(inner)]));
  }
  return typeof value === "string" ? [value] : 1.5;
}

function mapLeaves(value: unknown, map: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => mapLeaves(inner, map));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapLeaves(inner, map)]));
  }
  return map(value);
}
