/** Parses what is read again and again once for as long as it stays as it is; holds no more than it was given last. */
export class ParsedRowCache<T> {
  readonly #parse: (data: string) => T;
  #kept: ReadonlyMap<string, { readonly data: string; readonly value: T }> = new Map();

  constructor(parse: (data: string) => T) {
    this.#parse = parse;
  }

  /** By their keys, of which no two are equal; in the order of the rows. */
  parse<R extends { readonly data: string }>(rows: readonly R[], keyOf: (row: R) => string): Map<string, T> {
    const parsed = rows.map((row) => {
      const key = keyOf(row);
      const known = this.#kept.get(key);
      const { data } = row;
      return [key, known?.data === data ? known : { data, value: this.#parse(data) }] as const;
    });
    this.#kept = new Map(parsed);
    return new Map(parsed.map(([key, { value }]) => [key, value]));
  }
}
