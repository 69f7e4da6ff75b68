/** Remembers what was seen last, so that what Slack delivers twice is done once. */
export class RecentKeys {
  readonly #kept = new Set<string>();
  readonly #most: number;

  constructor(most = 5000) {
    this.#most = most;
  }

  /** True for a key that has not been seen. */
  add(key: string): boolean {
    if (this.#kept.has(key)) return false;
    this.#kept.add(key);
    const [oldest] = this.#kept;
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    return true;
  }
}
