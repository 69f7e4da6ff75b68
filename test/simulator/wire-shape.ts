/** What a text looks like, from the most particular to the least. */
const FORMATS: readonly [name: string, pattern: RegExp][] = [
  ["empty", /^$/u],
  ["lower-case hash", /^(?=.*[a-f])[\da-f]{64}$/u],
  ["upper-case hash", /^(?=.*[A-F])[\dA-F]{64}$/u],
  ["Ethereum hex", /^0x[\da-f]+$/u],
  ["enum", /^[A-Z]+(_[A-Z0-9]+)+$/u],
  ["integer", /^-?\d+$/u],
  ["fraction", /^\d*\.\d+$/u],
  ["cursor", /^(?=.*[+/=])[\w+/]+={0,2}$/u],
];

/** For every place in a JSON value (list places written []), what stands there. */
export type WireShape = Map<string, Set<string>>;

export function shapeOf(values: readonly unknown[]): WireShape {
  const shape: WireShape = new Map();
  for (const value of values) note(shape, "", value);
  return shape;
}

function note(shape: WireShape, place: string, value: unknown): void {
  const seen = shape.get(place) ?? new Set();
  shape.set(place, seen);
  seen.add(kindOf(value));
  if (Array.isArray(value)) {
    for (const inner of value) note(shape, `${place}[]`, inner);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) note(shape, `${place}.${key}`, inner);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value !== "string") return typeof value;
  return FORMATS.find(([, pattern]) => pattern.test(value))?.[0] ?? "text";
}

/**
 * What the second shape has that the first does not allow. Where free text stands, any text may; where a fraction
 * stands, a whole number may.
 */
export function strangers(allowed: WireShape, found: WireShape): string[] {
  const strange: string[] = [];
  for (const [place, kinds] of found) {
    const known = allowed.get(place);
    if (known === undefined) {
      strange.push(`${place} is unknown`);
      continue;
    }
    for (const kind of kinds) {
      const isText = !["null", "list", "object", "boolean", "number"].includes(kind);
      const fits = known.has(kind) || (isText && known.has("text")) || (kind === "integer" && known.has("fraction"));
      if (!fits) {
        strange.push(`${place} is ${kind}, not ${[...known].join(" or ")}`);
      }
    }
  }
  return strange;
}
