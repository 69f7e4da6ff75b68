// What people and servers set for themselves: saved parties, who sees answers about markets, sign-outs of the console.
// Next: seen-ids.ts (ids for completion), button-payloads.ts (command lines behind buttons).

import type { Milliseconds } from "../../units/duration.ts";
import { atomic, putRows, type WithDatabase } from "../queries.ts";
import type { AnswerChoices, SavedParties, SignOuts } from "../store.ts";
import { erasePerson } from "./erase-person.ts";

/** As many as a completion list shows. */
const MAX_PARTIES_PER_OWNER = 25;

export function createSavedParties(withDatabase: WithDatabase, now: () => Milliseconds): SavedParties {
  return {
    save: (owner, { id, name }) =>
      withDatabase((db) =>
        atomic(db, async (trx) => {
          const saved = await trx
            .selectFrom("saved_parties")
            .select(["id", "saved_at"])
            .where("owner", "=", owner)
            .execute();
          if (saved.length >= MAX_PARTIES_PER_OWNER && !saved.some((one) => one.id === id)) return "full";
          // Later than every other one, even within one millisecond, so that the last one comes first.
          const at = Math.max(now(), ...saved.map((one) => one.saved_at + 1));
          const row = { owner, id, name: name ?? null, saved_at: at };
          await putRows(trx, "saved_parties", { key: ["owner", "id"], set: ["name", "saved_at"] }, [row]);
          return "saved";
        }),
      ),

    async list(owner) {
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

    async forget(owner, id) {
      const { numDeletedRows } = await withDatabase((db) =>
        db.deleteFrom("saved_parties").where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),
      );
      return numDeletedRows > 0n;
    },

    erase: (person) => withDatabase((db) => atomic(db, (trx) => erasePerson(trx, person))),
  };
}

export function createAnswerChoices(withDatabase: WithDatabase): AnswerChoices {
  return {
    async all() {
      const rows = await withDatabase((db) => db.selectFrom("answer_choices").selectAll().execute());
      return rows.map(({ chosen_by: by, chosen_at: at, ...rest }) => ({ ...rest, by, at }));
    },

    async keep({ platform, workspace, markets, by, at }) {
      const row = { platform, workspace, markets, chosen_by: by, chosen_at: at };
      const set = ["markets", "chosen_by", "chosen_at"] as const;
      await withDatabase((db) => putRows(db, "answer_choices", { key: ["platform", "workspace"], set }, [row]));
    },
  };
}

export function createSignOuts(withDatabase: WithDatabase, now: () => Milliseconds): SignOuts {
  return {
    async all() {
      const rows = await withDatabase((db) =>
        db.selectFrom("console_sign_outs").selectAll().where("ends_at", ">", now()).execute(),
      );
      return rows.map(({ session, ends_at: endsAt }) => ({ session, endsAt }));
    },

    async keep({ session, endsAt }) {
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
