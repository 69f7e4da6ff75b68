// Settings of people and servers: saved parties, who sees answers about markets, sign-outs of the console.
// Next: seen-ids.ts (ids for completion), button-payloads.ts (command lines behind buttons).

import type { Milliseconds } from "../../units/duration.ts";
import { atomic, putRows, type WithDatabase } from "../queries.ts";
import type { AnswerChoice, Person, SavedParty, SignOut } from "../store.ts";
import { erasePerson } from "./erase-person.ts";

/** As many as a completion list shows. */
const MAX_PARTIES_PER_OWNER = 25;

/** Parties that people saved for themselves. An owner is a person on a platform; only they read their parties. */
export function createSavedParties(withDatabase: WithDatabase, now: () => Milliseconds) {
  return {
    /** Saves or renames a party, and puts it first. `full` when its owner has 25 others. */
    save: (owner: string, { id, name }: SavedParty) =>
      withDatabase((db) =>
        atomic<"saved" | "full">(db, async (trx) => {
          const saved = await trx
            .selectFrom("saved_parties")
            .select(["id", "saved_at"])
            .where("owner", "=", owner)
            .execute();
          if (saved.length >= MAX_PARTIES_PER_OWNER && !saved.some((one) => one.id === id)) return "full";
          // Later than all others, also within one millisecond, so that the last one comes first.
          const at = Math.max(now(), ...saved.map((one) => one.saved_at + 1));
          const row = { owner, id, name: name ?? null, saved_at: at };
          await putRows(trx, "saved_parties", { key: ["owner", "id"] }, [row]);
          return "saved";
        }),
      ),

    /** The party that was saved last comes first. */
    async list(owner: string) {
      const rows = await withDatabase((db) =>
        db
          .selectFrom("saved_parties")
          .select(["id", "name"])
          .where("owner", "=", owner)
          .orderBy("saved_at", "desc")
          .execute(),
      );
      return rows.map(({ id, name }) => ({ id, name: name ?? undefined }));
    },

    /** False when there was none. */
    async forget(owner: string, id: string) {
      const { numDeletedRows } = await withDatabase((db) =>
        db.deleteFrom("saved_parties").where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),
      );
      return numDeletedRows > 0n;
    },

    /**
     * Erases a person's data in all tables. Their parties, their direct messages and their buttons are deleted; their
     * id and name are replaced in subscriptions, silences and log lines of channels.
     */
    erase: (person: Person) => withDatabase((db) => atomic(db, (trx) => erasePerson(trx, person))),
  };
}

/** The choices of servers and workspaces about their answers: one each. */
export function createAnswerChoices(withDatabase: WithDatabase) {
  return {
    async all() {
      const rows = await withDatabase((db) => db.selectFrom("answer_choices").selectAll().execute());
      return rows.map(({ chosen_by: by, chosen_at: at, ...rest }) => ({ ...rest, by, at }));
    },

    /** Replaces the earlier choice there. */
    async keep({ platform, workspace, markets, by, at }: AnswerChoice) {
      const row = { platform, workspace, markets, chosen_by: by, chosen_at: at };
      await withDatabase((db) => putRows(db, "answer_choices", { key: ["platform", "workspace"] }, [row]));
    },
  };
}

/** Sign-outs of the console, kept until their sessions would have ended. */
export function createSignOuts(withDatabase: WithDatabase, now: () => Milliseconds) {
  return {
    async all() {
      const rows = await withDatabase((db) =>
        db.selectFrom("console_sign_outs").selectAll().where("ends_at", ">", now()).execute(),
      );
      return rows.map(({ session, ends_at: endsAt }) => ({ session, endsAt }));
    },

    async keep({ session, endsAt }: SignOut) {
      await withDatabase(async (db) => {
        await db.deleteFrom("console_sign_outs").where("ends_at", "<=", now()).execute();
        await db
          .insertInto("console_sign_outs")
          .values({ session, ends_at: endsAt })
          .onConflict((conflict) => conflict.column("session").doNothing())
          .execute();
      });
    },
  };
}
