import { inSql } from "./in-sql.ts";

/**
 * Ended episodes, and decisions about their state, are kept for longer than what they caused: a decision says whether it
 * lasts, and an episode whether it is bare. An index finds what is old without what lasts.
 */
export const lastingEpisodes = inSql(`
  alter table alert_episodes add column bare integer default 0 not null;
  alter table alert_decisions add column lasting integer default 0 not null;
  update alert_decisions set lasting = 1 where episode is not null and destination is null and delivery is null
    and what in ('pending', 'dismissed', 'fired', 'escalated', 'outlasted', 'surpassed', 'recovering', 'relapsed',
      'resolved', 'gone', 'flapping', 'withdrawn', 'restarted', 'calm');
  drop index alert_episodes_open;
  create index alert_episodes_open on alert_episodes (bare, open, opened_at);
  drop index alert_decisions_age;
  create index alert_decisions_age on alert_decisions (lasting, at)`);
