import { inSql } from "./in-sql.ts";

/** A delivery counts the processes that died while they were sending it. */
export const interruptions = inSql(`
  alter table alert_deliveries add column interruptions integer default 0 not null`);
