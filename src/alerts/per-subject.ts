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
