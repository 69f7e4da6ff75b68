import type { Json } from "../../looks/look.ts";
import type { TraceLine } from "./traces.ts";

/** Members whose own members are named after nodes. */
const BY_NODE: ReadonlySet<string> = new Set(["nodes", "votes"]);
/** Addresses that a text of a failure may name beside the configured ones. */
const ADDRESSES = /https?:\/\/\S+|\[[\da-f]*:[\da-f:.]*\](?::\d+)?|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/giu;

/** Puts `node-1`, `node-2` … in the place of the names of nodes, also within texts, and hides other addresses. */
export class Anonymous {
  readonly #names = new Map<string, string>();
  #pattern: RegExp | undefined;

  /** Names that are met for the first time get the next numbers. */
  add(names: readonly string[]): void {
    const fresh = names.filter((name) => !this.#names.has(name));
    if (fresh.length === 0) return;
    for (const name of fresh) this.#names.set(name, `node-${this.#names.size + 1}`);
    const all = [...this.#names.keys()];
    // Without its port a machine may have several nodes.
    const hosts = all.map((name) => name.replace(/:\d+$/u, "")).filter((host) => host !== "" && !all.includes(host));
    const longestFirst = [...new Set([...all, ...hosts])].toSorted((a, b) => b.length - a.length);
    const either = longestFirst.map((name) => RegExp.escape(name)).join("|");
    this.#pattern = new RegExp(`(?<![\\w-]|\\w\\.)(?:${either})(?![\\w-]|\\.\\w)`, "giu");
  }

  line(line: TraceLine): TraceLine {
    if ("settings" in line) this.add(line.settings.nodes);
    if ("look" in line) this.add(namesIn(line.seen?.["order"]));
    return this.#hidden(line as Json, []) as TraceLine;
  }

  #hidden(json: Json, place: readonly string[]): Json {
    if (typeof json === "string") return this.#text(json);
    if (typeof json !== "object" || json === null) return json;
    if (Array.isArray(json)) return json.map((one: Json) => this.#hidden(one, place));
    // The subjects of facts, by kind.
    const isByNode = BY_NODE.has(place.at(-1) ?? "") || place.at(-2) === "facts";
    return Object.fromEntries(
      Object.entries(json).map(([name, value]) => [
        isByNode ? (this.#names.get(name) ?? name) : name,
        this.#hidden(value, [...place, name]),
      ]),
    );
  }

  #text(text: string): string {
    const named = this.#pattern === undefined ? text : text.replace(this.#pattern, (found) => this.#nameOf(found));
    return named.replace(ADDRESSES, "an address");
  }

  #nameOf(found: string): string {
    return this.#names.get(found) ?? "a node";
  }
}

function namesIn(order: unknown): readonly string[] {
  return Array.isArray(order) ? order.filter((one) => typeof one === "string") : [];
}
