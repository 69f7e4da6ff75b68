import { UserError } from "../errors.ts";
import { livingHolder } from "./holder-record.ts";

/** Another process holds the database: nothing is wrong with it. */
export class DatabaseInUse extends UserError {
  constructor(file: string) {
    const holder = livingHolder(file);
    const who = holder === undefined ? "another process" : `process ${holder.pid}`;
    super(`The database ${file} is in use by ${who}.`, {
      remedy: "Stop that one first, or name another file in DATABASE_URL.",
    });
  }
}
