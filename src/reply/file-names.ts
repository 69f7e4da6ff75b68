import { safeFileName } from "./attachment.ts";

/** The file names of one message: safe, and different from each other whatever their case. */
export class UniqueFileNames {
  readonly #taken = new Set<string>();

  /** The name to use for a wanted one; `ledger-2.csv` where `ledger.csv` is taken. */
  add(wanted: string): string {
    const safe = safeFileName(wanted);
    const dot = safe.lastIndexOf(".");
    const [base, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ""];
    let name = safe;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count += 1) name = `${base}-${count}${extension}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}
