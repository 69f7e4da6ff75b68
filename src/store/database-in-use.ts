import { UserError } from "../errors.ts";

/** Another process holds the database: nothing is wrong with it. */
export class DatabaseInUse extends UserError {
  constructor(file: string, who: string) {
    super(`The database ${file} is in use by ${who}.`, {
      remedy: "Stop that one first, or name another file in DATABASE_URL.",
    });
  }
}
