import type { WithDatabase } from "./access.ts";
import type { AnswerChoices } from "./store.ts";

export function createAnswerChoices(use: WithDatabase): AnswerChoices {
  return {
    async all() {
      const rows = await use((db) => db.selectFrom("answer_choices").selectAll().execute());
      return rows.map(({ chosen_by: by, chosen_at: at, ...rest }) => ({ ...rest, by, at }));
    },

    async keep({ platform, workspace, markets, by, at }) {
      await use((db) =>
        db
          .insertInto("answer_choices")
          .values({ platform, workspace, markets, chosen_by: by, chosen_at: at })
          .onConflict((conflict) =>
            conflict.columns(["platform", "workspace"]).doUpdateSet({ markets, chosen_by: by, chosen_at: at }),
          )
          .execute(),
      );
    },
  };
}
