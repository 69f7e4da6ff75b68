import { UserError } from "../../errors.ts";
import { migrations } from "./index.ts";

/** A mark of the database: the oldest program, by its last migration, that may run on the schema. */
export const OLDEST_PROGRAM_MARK = "oldest_program";

/**
 * `older` lacks migrations, which the next start applies. `newer` has some that this program does not know and cannot
 * run with; `current` is all else.
 */
export interface SchemaAge {
  readonly age: "current" | "older" | "newer";
  /** A migration that this program does not know; undefined where there is none. */
  readonly unknown: string | undefined;
}

/**
 * The age of a schema, by the migrations applied to it and its mark. Two versions run side by side during an upgrade. A
 * migration that only adds something does not change the mark, and the version before it goes on. A migration that
 * removes something an older version needs sets the mark to the migration, of an earlier release, from which on
 * programs do not need it.
 */
export function schemaAge(executed: readonly string[], oldestProgram: string | undefined): SchemaAge {
  const known = Object.keys(migrations);
  const unknown = executed.find((name) => !known.includes(name));
  const missing = known.some((name) => !executed.includes(name));
  if (unknown === undefined) return { age: missing ? "older" : "current", unknown };
  const refused = missing || (oldestProgram !== undefined && oldestProgram > (known.at(-1) ?? ""));
  return { age: refused ? "newer" : "current", unknown };
}

/** Whether a version of this program made the schema: other programs name their migrations otherwise. */
export function hasOwnMigration(executed: readonly string[]): boolean {
  return executed.some((name) => Object.hasOwn(migrations, name));
}

/** Throws UserError where what only reads would read another schema than its own. */
export function refuseOtherSchema({ age }: SchemaAge, subject: string): void {
  if (age === "current") return;
  throw new UserError(`${subject} has the schema of another version.`, {
    remedy: "Start Bellwether once with this version, or use that one.",
  });
}

/** Throws UserError where a newer version wrote the database or backup that `subject` names. */
export function refuseNewerSchema({ age, unknown }: SchemaAge, subject: string, remedy: string): void {
  if (age !== "newer") return;
  throw new UserError(`${subject} was written by a newer version of Bellwether (it has ${unknown}).`, { remedy });
}
