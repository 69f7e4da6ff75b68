import { inSql } from "./in-sql.ts";

/** Answers that are being made, with what closes them after a crash, sealed. */
export const openAnswers = inSql(`
  create table open_answers (id text not null primary key, platform text not null, workspace text not null,
    process text not null, sealed text not null, answering integer not null, expires_at bigint not null)`);
