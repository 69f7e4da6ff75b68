import { inSql } from "./in-sql.ts";

/**
 * What arrives at the console gets a position then, since what is critical overtakes. Positions of before follow the order
 * in which messages were owed: so earlier programs read them, and the readers that come back to this one.
 */
export const streamPositions = inSql(`
  alter table alert_receipts add column position bigint;
  update alert_receipts
    set position = (select d.seq from alert_deliveries as d where d.id = alert_receipts.delivery)
    where platform = 'web';
  insert into alert_counters (name, value)
    select 'positions', value from alert_counters where name = 'deliveries';
  create index alert_receipts_position on alert_receipts (platform, position)`);
