/** JSON that keeps 64-bit integers: a bigint is `{"$int": "123"}`. */
export function toStoredJson(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => (typeof one === "bigint" ? { $int: String(one) } : one));
}

/** Undoes toStoredJson. */
export function fromStoredJson(json: string): unknown {
  return JSON.parse(json, (_name, one: unknown) => {
    if (typeof one !== "object" || one === null || !("$int" in one) || typeof one.$int !== "string") return one;
    return BigInt(one.$int);
  });
}
