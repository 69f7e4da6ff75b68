import type { AnyCommand } from "../../../bot/command.ts";
import { QUESTION } from "../../../bot/grammar/grammar.ts";
import type { Caller, Invocation, Prepared, Target, Visibility } from "../../../bot/invocation.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import type { AnswerAudience } from "../../adapter.ts";
import type { SlackContext } from "../context.ts";
import type { WorkspaceUser } from "../../chat/home-data.ts";
import { ANSWER_WITHIN_MILLIS } from "../limits.ts";
import { slackPlatform } from "../platform.ts";
import type { RequestContext } from "./request-context.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";

export function prepare(
  slack: SlackContext,
  ask: Ask,
  request: RequestContext,
  progress?: (latest: Reply) => void,
): Prepared {
  return slack.bot.prepare(invocationOf(slack, ask, request, progress));
}

export function invocationOf(
  slack: SlackContext,
  ask: Ask,
  request: RequestContext,
  progress?: (latest: Reply) => void,
): Invocation {
  const invocation = {
    ...ask,
    ...(request.again === undefined ? {} : { again: request.again }),
    ...(request.pressed === undefined ? {} : { pressed: request.pressed }),
    ...(request.taken === true ? { taken: true as const } : {}),
    here: targetOf(request),
    caller: request.caller,
    zone: () => slack.managers.zoneOf({ id: request.caller.id, workspace: request.workspace }),
    signal: slack.stopping,
    ...(progress === undefined ? {} : { progress }),
  };
  return request.openly === true && slack.bot.isForEverybody(invocation) ? { ...invocation, openly: true } : invocation;
}

/** The command of an ask; undefined where none has that name. */
export function commandOf({ bot }: SlackContext, ask: Ask): AnyCommand | undefined {
  return bot.commands.find(({ name }) => name === ask.command);
}

export function targetOf(request: Pick<RequestContext, "workspace" | "channel">): Target {
  const { workspace, channel } = request;
  return {
    platform: "slack",
    ...withoutUndefined({ workspace, channel }),
    files: slackPlatform.files,
    answerWithin: ANSWER_WITHIN_MILLIS,
  };
}

/**
 * Whether the answer to a command is public. On Slack only the asker sees it by default. Public are answers to
 * `private:no`, changes that a command announces, and commands that the workspace chose to show; a command's own default
 * counts where it was asked by a mention.
 */
export function isShownToAll({ visibility, isDefault }: AnswerAudience): boolean {
  return visibility === "channel" && !isDefault;
}

/** The audience of an answer: set by the button, else by the command. */
export function audienceOf(slack: SlackContext, ask: Ask, request: RequestContext, prepared: Prepared): Visibility {
  if (request.audience !== undefined) return request.audience;
  if (!prepared.ok) return "caller";
  if (request.taken === true || invocationOf(slack, ask, request).openly === true) return "channel";
  const settled = "private" in ask.options || slack.bot.audience(ask.command, targetOf(request)) !== undefined;
  return isShownToAll({ visibility: prepared.visibility, isDefault: !settled }) ? "channel" : "caller";
}

export interface Asker extends WorkspaceUser {
  readonly name?: string | undefined;
}

/** Who sent a payload. */
export function askerOf(
  slack: SlackContext,
  { user, team }: { user: { id: string; name?: string; username?: string }; team?: { id: string } | null },
): Asker {
  return { id: user.id, name: user.name ?? user.username, workspace: slack.workspace ?? team?.id };
}

/**
 * The caller of a command. Whether they may manage the channel's alerts is looked up only for management commands,
 * since that takes a call to Slack.
 */
export async function callerOf(slack: SlackContext, asker: Asker, command: string | undefined): Promise<Caller> {
  const plain = plainCaller(asker);
  // A question may turn out to be about alerts.
  if (command === undefined || (command !== QUESTION && !isManagementCommand(slack, command))) return plain;
  return { ...plain, ...(await slack.managers.permissionOf(asker)) };
}

/** The same without that look-up. */
export function plainCaller({ id, name }: Asker): Caller {
  return { id, name: name ?? id, mayManageChannel: false };
}

/** Whether a command, or one of its group (`alerts …`), requires a channel manager. */
export function isManagementCommand(slack: SlackContext, command: string): boolean {
  const [family] = command.split(" ");
  return slack.bot.commands.some(({ access, name }) => access === "channel-manager" && name.split(" ")[0] === family);
}

/** Whether others could see a message in a channel: not in the app's direct messages. */
export function isShared(channel: string | undefined, directMessages: boolean): boolean {
  return channel !== undefined && !directMessages;
}
