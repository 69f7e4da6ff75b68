import { sql } from "kysely";

import { TABLES } from "../schema.ts";

/** Those of Bellwether's tables that are there. */
const THERE = sql`select from pg_class
  where relkind = 'r' and pg_table_is_visible(oid) and relname in (${sql.join(Object.keys(TABLES))})`;

/** Whether this user may make tables, and change those that are there, as migrations do. */
export const MAY_MIGRATE = sql<boolean>`(coalesce(has_schema_privilege(current_schema(), 'create'), false)
  and not exists (${THERE} and not pg_has_role(relowner, 'usage')))`;

/** Whether this user may read and change the rows of all tables that are there. */
export const MAY_WRITE = sql<boolean>`not exists (${THERE} and not (has_table_privilege(oid, 'select')
  and has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')))`;
