/**
 * Shows how far a job is by editing one message: at most one edit at a time, and each a while after the last,
 * since edits share a bucket with the answer itself. What comes in between is replaced by what comes later.
 */
export class ProgressEdits<T> {
  readonly #edit: (latest: T) => Promise<void>;
  readonly #everyMillis: number;
  #latest: T | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #sealed = false;

  /** `edit` must not reject. */
  constructor(edit: (latest: T) => Promise<void>, everyMillis: number) {
    this.#edit = edit;
    this.#everyMillis = everyMillis;
  }

  /** Shows this instead, and nothing after it. */
  showLast(latest: T): void {
    this.show(latest);
    this.#sealed = true;
  }

  show(latest: T): void {
    if (this.#stopped || this.#sealed) return;
    this.#latest = latest;
    if (this.#timer === undefined && this.#running === undefined) this.#begin();
  }

  /** Resolves once no edit is under way any more; none follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #begin(): void {
    const latest = this.#latest;
    this.#latest = undefined;
    this.#timer = undefined;
    if (latest === undefined || this.#stopped) return;
    this.#running = this.#edit(latest).finally(() => {
      this.#running = undefined;
      if (this.#stopped) return;
      this.#timer = setTimeout(() => this.#begin(), this.#everyMillis);
    });
  }
}
