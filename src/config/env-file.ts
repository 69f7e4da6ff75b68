import { parseEnv } from "node:util";

import { closest, distance } from "fastest-levenshtein";

import { UserError } from "../errors.ts";
import { lineFindings } from "./environment.ts";
import type { SettingFinding } from "./settings.ts";

/** The file `.env`, as far as it can be read. */
export interface EnvFile {
  readonly values: Readonly<Record<string, string>>;
  /** Possible mistakes in it, without values. */
  readonly findings: readonly SettingFinding[];
}

/** A name in the file that is no setting, with the setting that is nearest. */
export interface UnknownName {
  readonly name: string;
  readonly nearest: string | undefined;
}

/** Names that Node and other programs read from the same environment. */
const FOREIGN =
  /^(?:NODE_\w+|npm_\w+|COMPOSE_\w+|TZ|TMPDIR|LANG|TERM|COLUMNS|NO_COLOR|FORCE_COLOR|(?:HTTPS?|NO)_PROXY)$/iu;

/** Reads the bytes of `.env`. Throws UserError for another encoding than UTF-8. */
export function parseEnvFile(bytes: Buffer): EnvFile {
  // Some Windows programs write UTF-16, in which no name would be found.
  if (bytes.includes(0)) {
    throw new UserError("The file .env is no UTF-8 text (it may be UTF-16).", { remedy: "Save it as UTF-8." });
  }
  const content = bytes.toString("utf8");
  const marked = content.startsWith("\u{FEFF}");
  // Node's parser takes the mark for a part of the first name.
  const values = parseEnv(marked ? content.slice(1) : content) as Record<string, string>;
  return { values, findings: [...(marked ? [MARKED] : []), ...lineFindings(content)] };
}

/** The names in the file that are not among these variables. */
export function unknownNames(
  { values }: Pick<EnvFile, "values">,
  variables: readonly string[],
): readonly UnknownName[] {
  return Object.keys(values)
    .filter((name) => !variables.includes(name) && !FOREIGN.test(name))
    .map((name) => ({ name, nearest: nearestVariable(name, variables) }));
}

const MARKED: SettingFinding = {
  severity: "hint",
  what: "The file .env begins with a byte order mark (BOM), which other programs take for a part of the first name",
  remedy: "Save the file as UTF-8 without one.",
};

/** The nearest name, if at least half of it is the same. */
function nearestVariable(name: string, variables: readonly string[]): string | undefined {
  const wanted = name.toUpperCase();
  const nearest = closest(wanted, variables);
  return distance(wanted, nearest) * 2 <= Math.max(wanted.length, nearest.length) ? nearest : undefined;
}
