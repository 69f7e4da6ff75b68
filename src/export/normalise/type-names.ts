import { textCell } from "./cell.ts";

/** At most so many names are remembered. */
const MAX_NAMES = 64;

/** A type's name as the file has it. */
export interface TypeName {
  readonly name: string;
  /** As a cell. */
  readonly cell: Buffer;
}

interface Remembered extends TypeName {
  readonly sent: Buffer;
}

/** Names the types in a column, which are few, without making a string for each row. */
export class TypeNames {
  readonly #nameOf: (sent: string) => string;
  /** Each name moves forward by one when it is found, so that frequent ones are found soon. */
  readonly #names: Remembered[] = [];

  constructor(nameOf: (sent: string) => string) {
    this.#nameOf = nameOf;
  }

  of(bytes: Buffer, start: number, end: number): TypeName {
    const names = this.#names;
    for (let at = 0; at < names.length; at += 1) {
      const known = names[at] as Remembered;
      if (!isSame(known.sent, bytes, start, end)) continue;
      if (at > 0) {
        names[at] = names[at - 1] as Remembered;
        names[at - 1] = known;
      }
      return known;
    }
    const sent = Buffer.from(bytes.subarray(start, end));
    const name = this.#nameOf(sent.toString());
    const made = { sent, name, cell: textCell(name) };
    if (names.length < MAX_NAMES) names.push(made);
    return made;
  }
}

function isSame(known: Buffer, bytes: Buffer, start: number, end: number): boolean {
  const { length } = known;
  if (end - start !== length) return false;
  // From the end, since names of one kind have the same beginning.
  for (let at = length - 1; at >= 0; at -= 1) if (known[at] !== bytes[start + at]) return false;
  return true;
}
