import type { AnswerChoice, AnswerChoices } from "../store/store.ts";
import type { Milliseconds } from "../units/time.ts";
import type { AnyCommand } from "./command.ts";
import type { Target, Visibility } from "./invocation.ts";

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

/** How old the known choices of other processes may be. */
const FRESH: Milliseconds = 5000;

/** Reads all choices. Where other processes share the store, a question starts another reading for the next question. */
export async function openAudienceSettings(
  kept: AnswerChoices,
  {
    shared = false,
    now = () => performance.now(),
  }: { readonly shared?: boolean; readonly now?: () => Milliseconds } = {},
): Promise<AudienceSettings> {
  const read = async (): Promise<Map<string, AnswerChoice>> =>
    new Map((await kept.all()).map((choice) => [keyOf(choice.platform, choice.workspace), choice]));
  let choices = await read();
  let readAt = now();
  const refresh = async (): Promise<void> => {
    if (!shared || now() - readAt < FRESH) return;
    readAt = now();
    choices = await read().catch(() => choices);
  };
  return {
    of({ platform, workspace }) {
      void refresh();
      return workspace === undefined ? undefined : choices.get(keyOf(platform, workspace));
    },
    async choose(choice) {
      await kept.keep(choice);
      choices.set(keyOf(choice.platform, choice.workspace), choice);
    },
  };
}

function keyOf(platform: string, workspace: string): string {
  return `${platform}:${workspace}`;
}

/**
 * The audience that overrides a command's default: everybody if it announces a change, else the choice of the server or
 * workspace. Undefined if neither applies.
 */
export function presetAudience(command: AnyCommand, here: Target, settings: AudienceSettings): Visibility | undefined {
  if (command.announced === true) return "channel";
  return command.workspaceChooses === true ? settings.of(here)?.markets : undefined;
}
