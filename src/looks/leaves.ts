import type { Json } from "./look.ts";

/** The place of a value within JSON: names of members, and indexes of lists. */
export type Place = readonly (string | number)[];

/** A value without parts: a text, a number, a boolean, null, an empty list or an object without members. */
export type Leaf = Json;

/**
 * A place in values that are alike, and the places within it. Each is made once: to name all places of each of an hour's
 * looks anew would take longer than to pack them.
 */
export class Branch {
  /** The place as JSON. */
  readonly key: string;
  readonly #steps: string;
  readonly #inner = new Map<string | number, Branch>();

  constructor(steps = "") {
    this.#steps = steps;
    this.key = `[${steps}]`;
  }

  inner(step: string | number): Branch {
    let branch = this.#inner.get(step);
    if (branch === undefined) {
      branch = new Branch(`${this.#steps}${this.#steps === "" ? "" : ","}${JSON.stringify(step)}`);
      this.#inner.set(step, branch);
    }
    return branch;
  }
}

/** Calls `found` for each leaf of a value, in its order, with its place below `root`, as JSON. */
export function eachLeaf(value: Json, found: (key: string, leaf: Leaf) => void, root: Branch): void {
  if (typeof value !== "object" || value === null) return found(root.key, value);
  if (isList(value)) {
    if (value.length === 0) found(root.key, value);
    for (const [index, one] of value.entries()) eachLeaf(one, found, root.inner(index));
    return;
  }
  let isEmpty = true;
  for (const name of Object.keys(value)) {
    eachLeaf(value[name] ?? null, found, root.inner(name));
    isEmpty = false;
  }
  if (isEmpty) found(root.key, value);
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** A value of each look, by its number; undefined where it has none. */
export type Leaves = (look: number) => Leaf | undefined;

/** The reverse: puts values together whose leaves come from columns. */
export class Shape {
  /** Of the looks in which it has no parts. */
  #own: Leaves | undefined;
  readonly #members = new Map<string | number, Shape>();

  /** Adds a column of leaves. */
  add(place: Place, leaves: Leaves, depth = 0): void {
    const step = place[depth];
    if (step === undefined) {
      this.#own = leaves;
      return;
    }
    let member = this.#members.get(step);
    if (member === undefined) this.#members.set(step, (member = new Shape()));
    member.add(place, leaves, depth + 1);
  }

  /** The value of a look; undefined where it has none. */
  of(look: number): Json | undefined {
    const own = this.#own?.(look);
    if (own !== undefined || this.#members.size === 0) return own;
    let list: Json[] | undefined;
    let record: Record<string, Json> | undefined;
    for (const [step, member] of this.#members) {
      const value = member.of(look);
      if (value === undefined) continue;
      if (typeof step === "number") (list ??= [])[step] = value;
      // A member may be called __proto__.
      else if (step === "__proto__") Object.defineProperty((record ??= {}), step, { value, ...PLAIN });
      else (record ??= {})[step] = value;
    }
    return list ?? record;
  }
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const;
