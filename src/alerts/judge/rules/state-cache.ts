/** Parses each stored row once for as long as it does not change; holds no more than the rows of the last call. */
export class ParsedRowCache<R extends { readonly data: string }, T> {
  readonly #parse: (row: R) => T;
  #cached: ReadonlyMap<string, { readonly data: string; readonly value: T }> = new Map();

  constructor(parse: (row: R) => T) {
    this.#parse = parse;
  }

  /** The values by key, in the order of the rows; no two keys are equal. */
  parse(rows: readonly R[], keyOf: (row: R) => string): Map<string, T> {
    const parsed = rows.map((row) => {
      const key = keyOf(row);
      const known = this.#cached.get(key);
      const { data } = row;
      return [key, known?.data === data ? known : { data, value: this.#parse(row) }] as const;
    });
    this.#cached = new Map(parsed);
    return new Map(parsed.map(([key, { value }]) => [key, value]));
  }
}

/** A map by subject and rule. It needs no joined key, of which an observation of 20,000 markets would build many. */
export class RuleSubjectMap<T> {
  readonly #subjects = new Map<string, Map<string, T>>();

  get(rule: string, subject: string): T | undefined {
    return this.#subjects.get(subject)?.get(rule);
  }

  set(rule: string, subject: string, value: T): void {
    const known = this.#subjects.get(subject);
    if (known !== undefined) known.set(rule, value);
    else this.#subjects.set(subject, new Map<string, T>().set(rule, value));
  }

  *values(): Generator<T> {
    for (const rules of this.#subjects.values()) yield* rules.values();
  }
}
