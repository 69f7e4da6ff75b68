import type { Platforms } from "../alerts/destination.ts";
import type { AnyCommand } from "../bot/command.ts";
import type { Target, Visibility } from "../bot/invocation.ts";
import { UserError } from "../errors.ts";
import { code, commandLine, joinText, text, type Text } from "../reply/text.ts";

/** A server or workspace, and what people there call it. */
export interface Workspace {
  readonly platform: Target["platform"];
  readonly workspace: string;
  readonly noun: string;
}

/** @throws UserError outside of servers and workspaces. */
export function workspaceOf({ here, platforms }: { here: Target; platforms: Platforms }): Workspace {
  const { platform, workspace } = here;
  const noun = platforms.chat(platform)?.workspace;
  if (workspace === undefined || noun === undefined) {
    const those = platforms.chats.map((one) => `a ${one.workspace} on ${one.name}`).join(", or ");
    throw new UserError(`Who sees answers is chosen for ${those || "the channels of a chat platform"}; here is none.`, {
      remedy: `Ask in a channel of a ${platforms.workspaceNoun(platform)} that has added Bellwether. Elsewhere private:yes and private:no decide.`,
    });
  }
  return { platform, workspace, noun };
}

/** The choices of an audience: `everyone`, `asker`. */
export const AUDIENCES: readonly { readonly value: string; readonly label: string; readonly audience: Visibility }[] = [
  { value: "everyone", label: "everyone in the channel", audience: "channel" },
  { value: "asker", label: "whoever asks, alone", audience: "caller" },
];

/** A sentence about who sees answers, and how a single question can differ. */
export function audienceSentence(audience: Visibility, { noun }: Workspace, commands: readonly AnyCommand[]): Text {
  const names = joinText(
    commands.filter(({ workspaceChooses }) => workspaceChooses === true).map(({ name }) => commandLine(name)),
    " and ",
  );
  return audience === "channel"
    ? text`Everyone in the channel sees what ${names} answer, anywhere in this ${noun}; ${code("private:yes")} keeps an answer to oneself.`
    : text`Whoever asks ${names} sees the answer alone, anywhere in this ${noun}; ${code("private:no")} shows it to the channel.`;
}
