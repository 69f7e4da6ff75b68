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

/** A container under construction. */
type Container = Json[] | Record<string, Json>;

/** Puts a leaf into its place in `root`, in a list at its end: leaves come in the order of `eachLeaf`. */
export function putLeaf(root: Record<string, Json>, place: Place, leaf: Leaf): void {
  let branch: Container = root;
  let step = place[0];
  for (let depth = 1; depth < place.length && step !== undefined; depth += 1) {
    const next = place[depth];
    branch = inner(branch, step, typeof next === "number");
    step = next;
  }
  if (step !== undefined) put(branch, step, leaf);
}

function inner(branch: Container, step: string | number, isListed: boolean): Container {
  const known = Array.isArray(branch) ? branch[Number(step)] : Object.hasOwn(branch, step) ? branch[step] : undefined;
  if (typeof known === "object" && known !== null) return known as Container;
  const fresh: Container = isListed ? [] : {};
  put(branch, step, fresh);
  return fresh;
}

function put(branch: Container, step: string | number, value: Json): void {
  if (Array.isArray(branch)) branch[Number(step)] = value;
  else if (step !== "__proto__") branch[step] = value;
  else Object.defineProperty(branch, step, { value, enumerable: true, configurable: true, writable: true });
}
