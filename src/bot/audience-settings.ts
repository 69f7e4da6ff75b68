import type { AnswerChoice, AnswerChoices } from "../store/store.ts";
import type { Target } from "./invocation.ts";

/** Audiences chosen by servers and workspaces, cached so that no answer waits for them. */
export interface AudienceSettings {
  /** Undefined if none was chosen, and outside of servers and workspaces. */
  of(here: Pick<Target, "platform" | "workspace">): AnswerChoice | undefined;
  /** Stores a choice. Rejects, and changes nothing, if the store fails. */
  choose(choice: AnswerChoice): Promise<void>;
}

/** For a bot without servers and workspaces. */
export const NO_AUDIENCE_SETTINGS: AudienceSettings = {
  of: () => undefined,
  choose: () => Promise.reject(new Error("this bot keeps no choices")),
};

/** Reads all choices once; one process holds the database, so the cache stays current. */
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
