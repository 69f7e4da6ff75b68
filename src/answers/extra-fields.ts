import { field, type Field } from "../reply/block.ts";
import { code } from "../reply/text.ts";

/** From this length on a value gets a line of its own. */
const WIDE_FROM_LENGTH = 40;

/** What a record holds beyond the fields that are known: newer releases add some, and none shall be hidden. */
export function extraFields(
  record: Readonly<Record<string, unknown>> | undefined,
  known: Readonly<Record<string, unknown>>,
  prefix = "",
): readonly Field[] {
  if (record === undefined) return [];
  return Object.entries(record)
    .filter(([name, value]) => !Object.hasOwn(known, name) && value !== undefined && value !== null && value !== "")
    .map(([name, value]) => {
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      return field(`${prefix}${name}`, code(shown), { wide: shown.length > WIDE_FROM_LENGTH });
    });
}
