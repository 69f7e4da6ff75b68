// Conditions on deliveries that queries share.
import { sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";

/** Written exactly like the partial indexes: otherwise no engine uses them. */
export function isOpen(table: "d" | "e" | "o" | "alert_deliveries") {
  return sql<boolean>`${sql.ref(`${table}.state`)} in ('owed', 'sending')`;
}

/**
 * No delivery to its destination goes before it. Urgency 2 overtakes all that is owed there but other deliveries of
 * urgency 2. The edit of a message that was sent comes after every message that is owed there, and holds up none. The
 * files of a message whose words have arrived hold up nothing until its `run_at`, and neither does the message about an
 * export, whose file takes long.
 * (As SQL: every claim asks this, and to build it of parts takes many times as long as to run it.)
 */
export function isNext(at: Milliseconds) {
  return sql<boolean>`not exists (
    select e.seq from alert_deliveries as e
    where e.destination = d.destination and ${isOpen("e")} and e.seq != d.seq and e.phase != 'export' and (
      (e.state = 'sending' and (e.shown is null or e.run_at <= ${at}) and (d.urgency < 2 or e.urgency = 2))
      or (e.shown is null and (
        d.shown is not null
        or ((d.urgency < 2 or e.urgency = 2) and (e.seq < d.seq or (d.urgency < 2 and e.urgency = 2)))
      ))
      or (d.shown is not null and e.seq < d.seq and e.run_at <= ${at})
    )
  )`;
}

/** 1 for a trigger that has not arrived, as far as is known, and has another message beside it: that may follow from it. */
export const ACCOMPANIED = sql<0 | 1>`case
  when d.phase = 'trigger' and d.shown is null and exists (
    select 1 from alert_deliveries as o
    where o.destination = d.destination and o.id != d.id and o.state = 'owed' and ${isOpen("o")} and o.shown is null
  ) then 1
  else 0
end`;

export type Deliveries = "d" | "alert_deliveries";

/**
 * Whether a delivery needs the token of this key (a platform's id, or with a slash and a workspace, that workspace's), or
 * goes to the destination of this key.
 */
export function needs(table: Deliveries, key: string) {
  const [platform = "", workspace, channel] = key.split("/");
  const isThere = sql<boolean>`${sql.ref(`${table}.platform`)} = ${platform}`;
  if (workspace === undefined) return isThere;
  if (channel !== undefined) return sql<boolean>`${sql.ref(`${table}.destination`)} = ${key}`;
  // Keys of destinations begin with their token's and a slash; all are encoded, in ASCII.
  return sql<boolean>`${isThere} and substr(${sql.ref(`${table}.destination`)}, 1, ${key.length + 1}) = ${`${key}/`}`;
}
