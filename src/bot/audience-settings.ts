import type { AnswerChoice, AnswerChoices } from "../store/store.ts";
import type { Target } from "./invocation.ts";

/** What servers and workspaces chose for their answers, at hand: who will see one is known without waiting. */
export interface AudienceSettings {
  /** Undefined where nothing was chosen, and where there is no server or workspace. */
  of(here: Pick<Target, "platform" | "workspace">): AnswerChoice | undefined;
  /** Holds from the moment it is kept. Rejects, and changes nothing, when it cannot be. */
  choose(choice: AnswerChoice): Promise<void>;
}

/** For a bot that no server asks. */
export const NO_AUDIENCE_SETTINGS: AudienceSettings = {
  of: () => undefined,
  choose: () => Promise.reject(new Error("this bot keeps no choices")),
};

/** Reads every choice once; from then on they change through here alone, since one process holds the database. */
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
