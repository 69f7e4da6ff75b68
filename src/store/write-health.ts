/** Whether the last write succeeded: reading goes on for long after writing has become impossible. */
export class WriteHealth {
  #fault: unknown;
  #wrote = false;

  /** Notes a statement that changed so many rows, inside a transaction or on its own. */
  changed(rows: number | bigint, inTransaction: boolean): void {
    if (rows === 0 || rows === 0n) return;
    if (inTransaction) this.#wrote = true;
    else this.#fault = undefined;
  }

  committed(): void {
    // A transaction that changed nothing does not show whether writing works.
    if (this.#wrote) this.#fault = undefined;
    this.#wrote = false;
  }

  rolledBack(): void {
    this.#wrote = false;
  }

  failed(thrown: unknown): void {
    this.#fault = thrown;
    this.#wrote = false;
  }

  /** The error of the last write; undefined where it succeeded or none was tried. */
  get fault(): unknown {
    return this.#fault;
  }
}
