import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { Episode, Machine } from "./episode.ts";

/** Where the rules of one network stand, as it is kept: most of it is as it was at the look before, and parsed then. */
export class NetworkStateCache {
  readonly #network: string;
  readonly #machines = new ParsedRowCache((data) => Machine.parse(JSON.parse(data)));
  readonly #episodes = new ParsedRowCache((data) => Episode.parse(JSON.parse(data)));

  constructor(network: string) {
    this.#network = network;
  }

  /** All machines, and the open episodes by their ids; for the caller to change. */
  async load(tables: AlertTables): Promise<{ machines: RuleSubjectMap<Machine>; open: Map<string, Episode> }> {
    const rows = await tables.watch.machines(this.#network);
    const machines = new RuleSubjectMap<Machine>();
    for (const machine of this.#machines.parse(rows, ({ rule, subject }) => `${rule}|${subject}`).values()) {
      machines.set(machine.rule, machine.subject, machine);
    }
    const open = this.#episodes.parse(await tables.watch.openEpisodes(this.#network), ({ id }) => id);
    return { machines, open };
  }
}

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

/** What is kept for a rule and a subject; found without a key of both, of which a look at 20,000 markets would build many. */
export class RuleSubjectMap<T> {
  readonly #rules = new Map<string, Map<string, T>>();

  get(rule: string, subject: string): T | undefined {
    return this.#rules.get(rule)?.get(subject);
  }

  has(rule: string, subject: string): boolean {
    return this.#rules.get(rule)?.has(subject) === true;
  }

  set(rule: string, subject: string, value: T): void {
    const known = this.#rules.get(rule);
    if (known === undefined) this.#rules.set(rule, new Map([[subject, value]]));
    else known.set(subject, value);
  }

  *values(): Generator<T> {
    for (const subjects of this.#rules.values()) yield* subjects.values();
  }
}
