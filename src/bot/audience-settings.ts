import type { AnswerChoice, AnswerChoices } from "../store/store.ts";
import type { Target } from "./invocation.ts";

/** Audiences that servers and workspaces chose, in memory: who will see an answer is known without waiting. */
export interface AudienceSettings {
  /** Undefined without a choice, and outside of servers and workspaces. */
  of(here: Pick<Target, "platform" | "workspace">): AnswerChoice | undefined;
  /** Holds once it is stored. Rejects, and changes nothing, where the store fails. */
  choose(choice: AnswerChoice): Promise<void>;
}

/** For a bot without servers and workspaces. */
export const NO_AUDIENCE_SETTINGS: AudienceSettings = {
  of: () => undefined,
  choose: () => Promise.reject(new Error("this bot keeps no choices")),
};

/** Reads every choice once; later changes go through here alone, since one process holds the database. */
export async function openAudienceSettings(kept: AnswerChoices): Promise<AudienceSettings> {
  const choices = new Map((await kept.all()).map((choice) => [keyOf(choice.platform, choice.workspace), choice]));
  return {
    of: ({ platform, workspace }) => (workspace === undefined ? undefined : choices.get(keyOf(platform, workspace))),
    async choose(choice) {
      await kept.keep(choice);
      choices.set(keyOf(choice.platform, choice.workspace), choice);
    },
  };
}

function keyOf(platform: string, workspace: string): string {
  return `${platform}:${workspace}`;
}
